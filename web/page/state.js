// The state that the parts of the page share: the scene, the options for reading it, the view, and the user's choices.

import { Names } from "./names.js";
import { $ } from "./page.js";
import { Picture } from "./picture.js";

export const state = {
  scene: null, path: "", example: null, address: null, files: [], served: null, wishes: {}, device: null, camera: null, whole: null,
  parts: { hidden: [], only: [], glass: [] }, section: null, kind: "shaded", by: "own", picked: null, marks: [], measures: false,
  labels: false, unit: "", restarts: 0, openings: 0,
};

export const picture = new Picture($("#picture"), $("#lit"));
export const names = new Names($("#names"), (ids) => picture.light(ids));

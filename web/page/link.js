// The link to a view: the example, the camera and the kind of picture.

import { Orbit } from "./orbit.js";

const KINDS = ["shaded", "distance", "ids", "normals"];

/** Returns what a link says. A part of it that makes no sense counts as none. */
export function linked(hash) {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const numbers = (parameters.get("camera") ?? "").split(",").map(Number);
  const isCamera = numbers.length === 10 && numbers.every(Number.isFinite);
  const kind = parameters.get("picture");
  return {
    example: parameters.get("scene"),
    camera: isCamera ? Orbit.of(numbers) : undefined,
    kind: KINDS.includes(kind) ? kind : undefined,
  };
}

/** Writes the view into the page's address. The address of a visitor's own scene holds none of it. */
export function writeLink({ example, camera, kind }) {
  const parts = [];
  if (example) parts.push(`scene=${example}`);
  if (example && camera) parts.push(`camera=${camera.numbers().join(",")}`);
  if (kind !== "shaded") parts.push(`picture=${kind}`);
  history.replaceState(null, "", parts.length > 0 ? `#${parts.join("&")}` : location.pathname + location.search);
}

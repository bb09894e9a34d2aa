// Wishes are the options for reading a scene: the values of its joints and the choices of its format.

import { askAnew } from "./answer.js";
import { showChoices, showChosen, showColors } from "./choices.js";
import { drawAnew, tracer } from "./drawing.js";
import { showFacts } from "./facts.js";
import { showError } from "./fault.js";
import { showJoints } from "./joints.js";
import { $ } from "./page.js";
import { servedScene } from "./served.js";
import { picture, state } from "./state.js";

/** The wishes that wait while the scene is read with other wishes. */
let wished = null;
let isReading = false;

/** Drops the waiting wishes, because another scene replaces the one that they belong to. */
export function dropWishes() {
  wished = null;
}

/** Shows the joints and the choices of a scene that was opened. */
export function showWishes() {
  const { scene, wishes } = state;
  showChoices($("#choices"), scene, (choice) => wish({ ...state.wishes, ...choice }));
  showChosen($("#choices"), wishes);
  showColors($("#colors"), scene, state, ({ by, colors }) => {
    state.by = by;
    if (colors && colors !== state.wishes.colors) wish({ ...state.wishes, colors });
    else drawAnew();
  });
  showJoints($("#joints"), scene.joints, (joints) => wish({ ...state.wishes, joints: { ...state.wishes.joints, ...joints } }));
}

/** Reads the scene again with other wishes, one reading after another. If several wait, only the last counts. */
async function wish(wishes) {
  wished = wishes;
  if (isReading) return;
  isReading = true;
  try {
    while (wished) {
      const next = wished;
      wished = null;
      await readBy(next);
    }
  } catch (error) {
    showError(error);
  } finally {
    isReading = false;
    showChosen($("#choices"), state.wishes);
  }
}

async function readBy(wishes) {
  const { openings } = state;
  const served = state.served && await servedScene(wishes.joints);
  // Another scene, chosen meanwhile, has other joints.
  if (openings !== state.openings) return;
  const { scene } = await tracer.ask("readAgain", { served, wishes, parts: state.parts, ...picture.size() });
  const isOther = scene.geometry_count !== state.scene.geometry_count;
  Object.assign(state, { scene, served, wishes });
  if (isOther) showFacts();
  askAnew();
  drawAnew();
}

// Draws the picture. The worker sends it in tiles, first coarse, then fine. Drawing continues if a GPU or a worker fails.

import { showAxes } from "./axes.js";
import { showDevice } from "./device.js";
import { fault, showError } from "./fault.js";
import { hideLabels, showLabels } from "./labels.js";
import { writeLink } from "./link.js";
import { showMarks } from "./measuring.js";
import { $, say } from "./page.js";
import { picture, state } from "./state.js";
import { NoView, Restarted, Tracer } from "./tracer.js";
import { look, paint } from "./view.js";
import { shown } from "./words.js";

/** The share of the progress bar that is full after the picture with pixels of this size. Layers fill the rest. */
const SHARES = { 8: 0.02, 4: 0.06, 2: 0.15, 1: 0.3 };

export const tracer = new Tracer(new URL(`worker.js${location.search}`, import.meta.url), {
  tile: onTile,
  device: drawnBy,
  restarted: loadAgain,
});

function drawnBy(device) {
  state.device = device;
  showDevice(device);
}

function onTile(tile) {
  $("#starting").hidden = true;
  picture.put(tile);
  const { block, layer, row, rows, size } = tile;
  const done = (row + rows) / size[1];
  const share = layer ? SHARES[1] + ((1 - SHARES[1]) * (layer[0] + done)) / layer[1] : SHARES[block] * done;
  $("#progress i").style.width = `${100 * share}%`;
  // Every pixel has its answer now. The layers only improve the light.
  if (block === 1 && !layer && row + rows === size[1]) {
    document.documentElement.dataset.drawn = state.kind;
    state.restarts = 0;
    showLabels();
  }
  if (state.kind === "distance") showRange(tile.range);
}

function showRange(range) {
  $("#range").querySelectorAll("b").forEach((end, index) => { end.textContent = shown(Number(range[index].toPrecision(3))); });
}

export async function draw() {
  if (!state.scene) return;
  showMarks();
  showAxes();
  hideLabels();
  $("#range").hidden = state.kind !== "distance";
  $("#progress").hidden = false;
  picture.begin();
  const { device } = state;
  try {
    const { done } = await tracer.ask("draw", { look: look(), ...picture.size(), paint: paint() });
    if (done) $("#progress").hidden = true;
  } catch (error) {
    await afterFault(error, device);
  }
}

/** Continues in float64 after the device failed. One lost device may make several pictures fail. */
async function afterFault(error, before) {
  if (error instanceof NoView) return fault(error.message, "This view cannot be shown");
  if (before?.gpu === false || error instanceof Restarted) return showError(error);
  if (state.device?.gpu !== false) {
    const reason = error.message;
    drawnBy({ gpu: false, why: "failed", reason });
    say($("#device").textContent);
    await tracer.ask("leaveDevice", { reason });
  }
  return draw();
}

/** Gives a new worker the scene of the worker that stopped, unless the scene stops the new worker too. */
async function loadAgain(reason) {
  fault(reason, "The tracer was restarted");
  state.restarts += 1;
  if (!state.scene || state.restarts > 2) return;
  const { files, path, served, wishes, parts } = state;
  try {
    await tracer.ask("load", { files, path, served, wishes, parts, ...picture.size() });
    drawAnew();
  } catch (error) {
    showError(error);
  }
}

/** Marks the picture as outdated until its replacement is drawn. */
export function outdate() {
  delete document.documentElement.dataset.drawn;
  $("#progress").hidden = false;
  $("#progress i").style.width = "0";
}

let pendingWrite = 0;

/** Draws another view or another scene, and writes its link when the view stops moving. */
export function drawAnew() {
  outdate();
  draw();
  clearTimeout(pendingWrite);
  pendingWrite = setTimeout(() => writeLink(state), 300);
}

/** Draws with a camera that the user moved, and which is therefore not one of the file's cameras. */
export function steered() {
  $("#cameras").value = "";
  drawAnew();
}

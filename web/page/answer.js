// Shows the exact answer at a place in the picture: in the list, next to the pointer, and for screen readers.

import { steered, tracer } from "./drawing.js";
import { showError } from "./fault.js";
import { addMark, clearMarks } from "./measuring.js";
import { $, say } from "./page.js";
import { names, picture, state } from "./state.js";
import { look } from "./view.js";
import { isTogether, shown, vector } from "./words.js";

/** The verb of the hint: with a touch screen, users cannot point. */
const TOUCHED = matchMedia("(hover: none)").matches ? "Tap" : "Point at";

function showAnswer(answer) {
  const list = $("#answer dl");
  const hint = $("#answer .hint");
  list.hidden = !answer?.hit;
  hint.hidden = Boolean(answer?.hit);
  hint.textContent = answer ? "There is no hit here." : `${TOUCHED} the scene.`;
  // A scene that was combined from several files has no file of its own, so no command can name it.
  $("#copy").hidden = !answer || isTogether(state.path);
  if (!answer?.hit) return;
  const { distance, point, normal, point_in_node: inNode, instance_id: instance } = answer;
  const text = {
    ...answer, distance: shown(distance), point: vector(point), normal: normal.some((part) => part !== 0) ? vector(normal) : null,
    point_in_node: inNode ? vector(inNode) : null, instance_id: instance ?? null,
  };
  for (const cell of list.querySelectorAll("dd")) {
    const entry = text[cell.dataset.of];
    // A value that only some shapes have is hidden for other shapes.
    cell.hidden = cell.previousElementSibling.hidden = entry === null;
    cell.textContent = entry === "" ? "–" : entry;
  }
}

/** The number of the last question. Only its answer counts. */
let asked = 0;

/** Requests the answer at a pixel of a view and lists it. Returns null if it fails or another question follows. */
async function pick({ look, size, pixel }) {
  const mine = ++asked;
  if (!state.scene) return null;
  const seen = await tracer.ask("pick", { look, ...size, ...pixel }).catch(showError);
  if (!seen || mine !== asked) return null;
  const { answer } = seen;
  state.picked = { ...seen, look, size, pixel };
  showAnswer(answer);
  return answer;
}

const at = (pixel) => ({ look: look(), size: picture.size(), pixel });

/** Repeats the last question after the scene changed. The marks are cleared, because shapes may have moved. */
export async function askAnew() {
  clearMarks();
  leave();
  if (!state.picked) return;
  const answer = await pick(state.picked);
  if (answer) names.mark(answer.hit ? answer.geometry_id : null);
}

/** Clears the answer and the marks, which belong to a scene that was replaced. */
export function forget() {
  leave();
  state.picked = null;
  clearMarks();
  showAnswer(null);
}

/** Shows the answer at the pointer. */
export async function point(pixel, place) {
  const answer = await pick(at(pixel));
  if (!answer) return;
  names.mark(answer.hit ? answer.geometry_id : null);
  $("#tip").hidden = !answer.hit;
  if (answer.hit) showTip(answer, place);
}

function showTip(answer, [x, y]) {
  const tip = $("#tip");
  const title = document.createElement("b");
  title.textContent = answer.path || `geometry ${answer.geometry_id}`;
  const distance = document.createElement("span");
  distance.textContent = shown(answer.distance);
  tip.replaceChildren(title, distance);
  const stage = $("#stage").getBoundingClientRect();
  const left = Math.min(x + 16, stage.width - tip.offsetWidth - 8);
  const top = Math.min(y + 18, stage.height - tip.offsetHeight - 8);
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

/** Hides the answer at the pointer, and drops its question. */
export function leave() {
  asked += 1;
  $("#tip").hidden = true;
}

/** Announces the answer at a pixel, and measures from it in measuring mode. */
export async function press(pixel) {
  const answer = await pick(at(pixel));
  if (!answer) return;
  if (!answer.hit) {
    say("There is no hit here");
    return;
  }
  say(`${answer.path || answer.type}, distance ${shown(answer.distance)}`);
  if (state.measures) addMark(await markOf(answer));
}

/** Returns the mark to measure from: a feature of the hit shape, or the point itself. */
async function markOf({ geometry_id: geometry, primitive_id: primitive, point, normal, path }) {
  const isExact = $("#measured select").value === "points";
  if (isExact) return { kind: "point", point, name: "" };
  const feature = await tracer.ask("feature", { geometry, primitive, point, normal }).catch(showError);
  return feature ?? { kind: "point", point, name: path };
}

/** Moves the point at a pixel into the middle of the picture, so that the camera turns about it. */
export async function center(pixel) {
  const answer = await pick(at(pixel));
  if (!answer?.hit) return;
  state.camera.moveTo(answer.point);
  steered();
}

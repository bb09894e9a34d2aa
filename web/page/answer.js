// The exact answer at a place of the picture: in the list, beside the pointer, and to those who hear the page.

import { steered, tracer } from "./drawing.js";
import { showError } from "./fault.js";
import { addMark, clearMarks } from "./measuring.js";
import { $, say } from "./page.js";
import { names, picture, state } from "./state.js";
import { look } from "./view.js";
import { isTogether, shown, vector } from "./words.js";

/** How a visitor asks: a finger points at nothing. */
const TOUCHED = matchMedia("(hover: none)").matches ? "Tap" : "Point at";

function showAnswer(answer) {
  const list = $("#answer dl");
  const hint = $("#answer .hint");
  list.hidden = !answer?.hit;
  hint.hidden = Boolean(answer?.hit);
  hint.textContent = answer ? "Nothing is hit here." : `${TOUCHED} the scene.`;
  // A scene of several files is in none, so no command names it.
  $("#copy").hidden = !answer || isTogether(state.path);
  if (!answer?.hit) return;
  const { distance, point, normal, point_in_node: inNode, instance_id: instance } = answer;
  const text = {
    ...answer, distance: shown(distance), point: vector(point), normal: normal.some((part) => part !== 0) ? vector(normal) : null,
    point_in_node: inNode ? vector(inNode) : null, instance_id: instance ?? null,
  };
  for (const cell of list.querySelectorAll("dd")) {
    const entry = text[cell.dataset.of];
    // What only some shapes have takes no room with others.
    cell.hidden = cell.previousElementSibling.hidden = entry === null;
    cell.textContent = entry === "" ? "–" : entry;
  }
}

/** The number of the last question: only its answer counts. */
let asked = 0;

/** Asks for the answer at a pixel of a view and lists it. Returns nothing if it failed or another question came after it. */
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

/** Asks anew what was asked last, of a scene that has changed. Marks on what has moved are no measure any more. */
export async function askAnew() {
  clearMarks();
  leave();
  if (!state.picked) return;
  const answer = await pick(state.picked);
  if (answer) names.mark(answer.hit ? answer.geometry_id : null);
}

/** Forgets the answer and the marks, which are of a scene that was replaced. */
export function forget() {
  leave();
  state.picked = null;
  clearMarks();
  showAnswer(null);
}

/** Shows the answer where the pointer is. */
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

/** Hides what the pointer showed, and drops the question that it asked. */
export function leave() {
  asked += 1;
  $("#tip").hidden = true;
}

/** Says the answer at a pixel, and measures from it if the visitor measures. */
export async function press(pixel) {
  const answer = await pick(at(pixel));
  if (!answer) return;
  if (!answer.hit) {
    say("Nothing is hit here");
    return;
  }
  say(`${answer.path || answer.type}, distance ${shown(answer.distance)}`);
  if (state.measures) addMark(await markOf(answer));
}

/** Returns what is measured from: the feature of what was hit, or the very point. */
async function markOf({ geometry_id: geometry, primitive_id: primitive, point, normal, path }) {
  const isExact = $("#measured select").value === "points";
  if (isExact) return { kind: "point", point, name: "" };
  const feature = await tracer.ask("feature", { geometry, primitive, point, normal }).catch(showError);
  return feature ?? { kind: "point", point, name: path };
}

/** Brings what is seen at a pixel into the middle, to turn about it from then on. */
export async function center(pixel) {
  const answer = await pick(at(pixel));
  if (!answer?.hit) return;
  state.camera.moveTo(answer.point);
  steered();
}

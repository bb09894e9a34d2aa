// The exact answer at a place of the picture: in the list, beside the pointer, and to those who hear the page.

import { tracer } from "./drawing.js";
import { told } from "./fault.js";
import { addMark } from "./measuring.js";
import { $, say } from "./page.js";
import { names, picture, state } from "./state.js";
import { shown, vector } from "./words.js";

export function showAnswer(answer) {
  const list = $("#answer dl");
  const hint = $("#answer .hint");
  list.hidden = !answer?.hit;
  hint.hidden = Boolean(answer?.hit);
  hint.textContent = answer ? "Nothing is hit here." : "Point at the scene.";
  $("#copy").hidden = !answer;
  if (!answer?.hit) return;
  const text = { ...answer, distance: shown(answer.distance), point: vector(answer.point), normal: vector(answer.normal) };
  for (const cell of list.querySelectorAll("dd")) cell.textContent = text[cell.dataset.of] || "–";
}

/** The number of the last question: only its answer counts. */
let asked = 0;

/** Asks for the answer at a pixel and lists it. Returns nothing if it failed or another question came after it. */
async function pick(pixel) {
  const mine = ++asked;
  if (!state.scene) return null;
  const camera = state.camera.numbers();
  const size = picture.size();
  const answer = await tracer.ask("pick", { camera, ...size, ...pixel }).catch(told);
  if (!answer || mine !== asked) return null;
  state.picked = { answer, camera, size, pixel };
  showAnswer(answer);
  return answer;
}

/** Shows the answer where the pointer is. */
export async function point(pixel, place) {
  const answer = await pick(pixel);
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
  const answer = await pick(pixel);
  if (!answer) return;
  if (!answer.hit) {
    say("Nothing is hit here");
    return;
  }
  say(`${answer.path || answer.type}, distance ${shown(answer.distance)}`);
  if (state.measures) addMark(answer.point);
}

// The page: it asks the worker for pictures and answers, and shows them.

import { EXAMPLES, download } from "./examples.js";
import { fromDrop, fromInput } from "./files.js";
import { Names } from "./names.js";
import { Orbit, length } from "./orbit.js";
import { Picture } from "./picture.js";
import { pickCommand } from "./command.js";
import { controls } from "./controls.js";
import { showJoints } from "./joints.js";
import { Tracer } from "./tracer.js";
import { linked, writeLink } from "./link.js";
import { SERVED, isServed, servedScene, watchServed } from "./served.js";

const $ = (selector) => document.querySelector(selector);
const picture = new Picture($("#picture"), $("#lit"));
const names = new Names($("#names"), (ids) => picture.light(ids));
const live = $("#live");

const state = {
  scene: null, path: "", example: null, served: null, camera: null, first: null, kind: "shaded", picked: null, marks: [], measures: false,
};

const tracer = new Tracer(new URL(`worker.js${location.search}`, import.meta.url), onTile);
// Tests read what the page shows.
globalThis.raytwin = { state, picture, tracer, open, pickCommand };

/** Shows whole numbers as they are, and others with so many digits that they differ from their neighbours. */
const shown = (number) => (Number.isInteger(number) ? String(number) : String(Number(number.toPrecision(7))));
const vector = (numbers) => numbers.map(shown).join(", ");
const say = (text) => { live.textContent = text; };

function onTile(tile) {
  picture.put(tile);
  const { block, row, rows, size } = tile;
  const shares = { 8: 0.02, 4: 0.06, 2: 0.2, 1: 0.5, 0.5: 1 };
  const done = (row + rows) / size[1];
  $("#progress i").style.width = `${100 * shares[block] * done}%`;
  // Every pixel has its answer; what follows only smooths edges.
  if (block === 1 && row + rows === size[1]) document.documentElement.dataset.drawn = state.kind;
  if (state.kind === "distance") {
    const [near, far] = $("#range").querySelectorAll("b");
    near.textContent = shown(Number(tile.range[0].toPrecision(3)));
    far.textContent = shown(Number(tile.range[1].toPrecision(3)));
  }
}

async function draw() {
  if (!state.scene) return;
  showMarks();
  $("#range").hidden = state.kind !== "distance";
  $("#progress").hidden = false;
  picture.begin();
  const drawn = tracer.ask("draw", { camera: state.camera.numbers(), ...picture.size(), kind: state.kind });
  try {
    const { done } = await drawn;
    if (done) $("#progress").hidden = true;
  } catch (error) {
    await afterFault(error);
  }
}

/** Goes on in float64 when the device fails. */
async function afterFault(error) {
  if (!state.device?.gpu) return fault(error.message);
  await tracer.ask("leaveDevice");
  state.device = { gpu: false, reason: error.message };
  showDevice();
  return draw();
}

let pendingWrite = 0;
function moved() {
  delete document.documentElement.dataset.drawn;
  draw();
  clearTimeout(pendingWrite);
  pendingWrite = setTimeout(() => writeLink(state), 300);
}

async function open(files, { path, example, served, joints, camera, kind } = {}) {
  say("Loading");
  document.documentElement.dataset.loading = "";
  delete document.documentElement.dataset.drawn;
  try {
    const loaded = await tracer.ask("load", { files, path, served, ...picture.size() });
    Object.assign(state, { ...loaded, example: example ?? null, files, served: served ?? null, joints: joints ?? {}, picked: null, marks: [] });
    const ours = loaded.scene.cameras;
    const whole = ours[ours.length - 1];
    state.first = () => new Orbit(ours[0], loaded.scene.up);
    state.whole = () => new Orbit(whole, loaded.scene.up);
    state.camera = camera ?? state.first();
    if (kind) chooseKind(kind);
    $("#fault").hidden = true;
    showScene();
    moved();
  } catch (error) {
    fault(error.message);
  } finally {
    delete document.documentElement.dataset.loading;
  }
}

/** Reads the scene again with other values of its joints, one reading after another. */
let moving = false;
let wished = null;
async function moveJoints(joints) {
  wished = { ...state.joints, ...joints };
  if (moving) return;
  moving = true;
  try {
    while (wished) {
      const next = wished;
      wished = null;
      const served = state.served && await servedScene(next);
      if (served?.error) throw new Error(served.error);
      await tracer.ask("load", { files: state.files, path: state.path, joints: next, served, ...picture.size() });
      Object.assign(state, { joints: next, served });
      moved();
    }
  } catch (error) {
    fault(error.message);
  } finally {
    moving = false;
  }
}

function fault(message) {
  $("#fault").hidden = false;
  $("#fault pre").textContent = message;
}

function showScene() {
  const { scene, path } = state;
  const plural = (what) => (what === "box" ? "boxes" : what === "torus" ? "tori" : what === "mesh" ? "meshes" : what === "lines" ? "sets of lines" : `${what}s`);
  const many = (count, what) => `${count.toLocaleString("en")} ${count === 1 ? what : plural(what)}`;
  const kinds = scene.census.map(([kind, count]) => many(count, kind)).slice(0, 4).join(", ");
  $("#facts").textContent = `${path.split("/").pop()}: ${kinds}${scene.census.length > 4 ? ", …" : ""}`;
  $("#examples").value = state.example ?? "";
  names.show(scene);
  showJoints($("#joints"), scene.joints, moveJoints);
  const warnings = $("#warnings");
  warnings.hidden = scene.warnings.length === 0;
  warnings.querySelector("summary").textContent = `${many(scene.warnings.length, "warning")}`;
  warnings.querySelector("ul").replaceChildren(...scene.warnings.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  $("#picture").setAttribute("aria-label", `Scene ${path.split("/").pop()} of ${many(scene.geometry_count, "shape")}`);
  document.title = `${path.split("/").pop()} · raytwin`;
  showDevice();
  showAnswer(null);
  say(`${path.split("/").pop()} is loaded: ${kinds}`);
}

function showDevice() {
  const { gpu, name, reason } = state.device;
  $("#device").textContent = gpu
    ? `Drawn by your GPU${name ? `, ${name}` : ""}. Answers are in float64.`
    : "Drawn by the float64 tracer, which is slower: this browser gives no GPU.";
  $("#device").title = reason ?? "";
}

function showAnswer(answer) {
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

/** Asks for the exact answer at a place of the page; of several questions that wait only the last counts. */
let asked = 0;
async function pick(pixel) {
  const mine = ++asked;
  if (!state.scene) return null;
  const camera = state.camera.numbers();
  const size = picture.size();
  const answer = await tracer.ask("pick", { camera, ...size, ...pixel });
  if (mine !== asked) return null;
  state.picked = { answer, camera, size, pixel };
  return answer;
}

async function point(pixel, place) {
  const tip = $("#tip");
  const answer = await pick(pixel);
  if (!answer) return;
  showAnswer(answer);
  names.mark(answer.hit ? answer.geometry_id : null);
  tip.hidden = !answer.hit;
  if (!answer.hit) return;
  const title = document.createElement("b");
  title.textContent = answer.path || `geometry ${answer.geometry_id}`;
  const distance = document.createElement("span");
  distance.textContent = shown(answer.distance);
  tip.replaceChildren(title, distance);
  const stage = $("#stage").getBoundingClientRect();
  const left = Math.min(place[0] + 16, stage.width - tip.offsetWidth - 8);
  const top = Math.min(place[1] + 18, stage.height - tip.offsetHeight - 8);
  tip.style.transform = `translate(${left}px, ${top}px)`;
}

/** Sets a point, and after the second one tells their distance. */
async function mark(pixel) {
  const answer = await pick(pixel);
  if (!answer) return;
  showAnswer(answer);
  if (!answer.hit) return say("Nothing is hit here");
  say(`${answer.path || answer.type}, distance ${shown(answer.distance)}`);
  if (!state.measures) return;
  if (state.marks.length === 2) state.marks = [];
  state.marks.push(answer.point);
  showMarks();
  if (state.marks.length === 2) say($("#measured p").textContent);
}

function showMarks() {
  const [a, b] = state.marks;
  const { width, height } = picture.size();
  const svg = $("#marks");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const scale = width / svg.clientWidth;
  const places = state.marks.map((mark) => state.camera.project(mark, [width, height])).filter(Boolean);
  const circle = ([x, y]) => `<circle cx="${x}" cy="${y}" r="${5 * scale}"/>`;
  const line = places.length === 2 ? `<line x1="${places[0][0]}" y1="${places[0][1]}" x2="${places[1][0]}" y2="${places[1][1]}"/>` : "";
  svg.innerHTML = line + places.map(circle).join("");
  $("#measured").hidden = !state.measures;
  $("#measured p").textContent = b ? shown(length(a.map((x, i) => x - b[i]))) : a ? "Choose the second point." : "Choose two points.";
}

function chooseKind(kind) {
  state.kind = kind;
  document.querySelector(`input[name=kind][value="${CSS.escape(kind)}"]`).checked = true;
}

function measure(on) {
  state.measures = on;
  state.marks = [];
  $("#measure").setAttribute("aria-pressed", String(on));
  showMarks();
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  say("Copied");
  const before = button.innerHTML;
  button.textContent = "Copied";
  setTimeout(() => { button.innerHTML = before; }, 1200);
}

async function openExample(name, options = {}) {
  const example = EXAMPLES.find((example) => example.name === name) ?? EXAMPLES[0];
  try {
    const files = await download(example);
    await open(files, { path: example.files[0], example: example.name, ...options });
  } catch (error) {
    fault(error.message);
  }
}

/** Shows the scene of the program that serves the page. */
async function openServed({ joints = {}, ...options } = {}) {
  try {
    let served = await servedScene(joints);
    // A change of the scene may have taken a joint away.
    if (served.error) [joints, served] = [{}, await servedScene()];
    $(`#examples option[value=${SERVED}]`).textContent = served.name;
    if (served.error) return fault(served.error);
    return await open([], { path: served.name, example: SERVED, served, joints, ...options });
  } catch (error) {
    return fault(error.message);
  }
}

const choose = (name, options) => (isServed && (name ?? SERVED) === SERVED ? openServed(options) : openExample(name, options));

// What visitors do.

$("#examples").append(
  Object.assign(new Option("Your own", "", true), { disabled: true, hidden: true }),
  ...(isServed ? [new Option("Your scene", SERVED)] : []),
  ...EXAMPLES.map(({ name, title }) => new Option(title, name)),
);
$("#examples").onchange = ({ target }) => choose(target.value);
$("#open-files").onclick = () => $("#files").click();
$("#open-folder").onclick = () => $("#folder").click();
for (const input of [$("#files"), $("#folder")]) {
  input.onchange = async () => input.files.length > 0 && open(await fromInput(input));
}
addEventListener("dragover", (event) => { event.preventDefault(); $("#drop").hidden = false; });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("#drop").hidden = true; });
addEventListener("drop", async (event) => {
  event.preventDefault();
  $("#drop").hidden = true;
  await open(await fromDrop(event.dataTransfer));
});
for (const input of document.querySelectorAll("input[name=kind]")) {
  input.onchange = () => { state.kind = input.value; moved(); };
}
$("#reset").onclick = () => { state.camera = state.whole(); moved(); };
$("#measure").onclick = () => measure(!state.measures);
$("#link").onclick = ({ target }) => { writeLink(state); copy(target, location.href); };
$("#copy").onclick = ({ currentTarget }) => copy(currentTarget, pickCommand(state));
$("#fault button").onclick = () => { $("#fault").hidden = true; };

controls($("#picture"), {
  turn: (across, down) => { state.camera?.turn(across, down); moved(); },
  pan: (right, up) => { state.camera?.pan(right, up); moved(); },
  zoom: (factor) => { state.camera?.zoom(factor); moved(); },
  home: () => $("#reset").click(),
  point: (place) => point(picture.pixel(place), place),
  leave: () => { asked += 1; $("#tip").hidden = true; },
  press: (place) => mark(picture.pixel(place)),
  middle: () => mark(picture.middle()),
  measure: () => { if (!state.measures) measure(true); mark(picture.middle()); },
});
new ResizeObserver(() => { if (picture.fit()) moved(); }).observe($("#stage"));
picture.fit();

const { example, camera, kind } = linked(location.hash);
choose(example, { camera, kind });
if (isServed) {
  const isShown = () => state.scene === null || state.example === SERVED;
  const follow = () => isShown() && openServed({ joints: state.joints, camera: state.camera, kind: state.kind });
  watchServed(follow, (isEnded) => { $("#ended").hidden = !isEnded; });
}

// The page: it asks the worker for pictures and answers, and shows them.

import { EXAMPLES, download } from "./examples.js";
import { fromDrop, fromInput } from "./files.js";
import { Names } from "./names.js";
import { Orbit, length } from "./orbit.js";
import { Picture } from "./picture.js";
import { showCameras, showChoices, showChosen } from "./choices.js";
import { diffCommand, pickCommand } from "./command.js";
import { controls } from "./controls.js";
import { showJoints } from "./joints.js";
import { Restarted, Tracer } from "./tracer.js";
import { linked, writeLink } from "./link.js";
import { prepareSaving } from "./save.js";
import { SERVED, isServed, servedScene, watchServed } from "./served.js";

const $ = (selector) => document.querySelector(selector);
const picture = new Picture($("#picture"), $("#lit"));
const names = new Names($("#names"), (ids) => picture.light(ids));
const live = $("#live");

const state = {
  scene: null, path: "", example: null, served: null, wishes: {}, device: null, camera: null, first: null, kind: "shaded", picked: null,
  marks: [], measures: false, restarts: 0,
};

const tracer = new Tracer(new URL(`worker.js${location.search}`, import.meta.url), {
  tile: onTile,
  device: (device) => { state.device = device; showDevice(); },
  restarted: loadAgain,
});
// Tests read what the page shows.
globalThis.raytwin = { state, picture, tracer, open, pickCommand, diffCommand };

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
  if (block === 1 && row + rows === size[1]) {
    document.documentElement.dataset.drawn = state.kind;
    state.restarts = 0;
  }
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
  const { device } = state;
  const drawn = tracer.ask("draw", { camera: state.camera.numbers(), ...picture.size(), kind: state.kind });
  try {
    const { done } = await drawn;
    if (done) $("#progress").hidden = true;
  } catch (error) {
    await afterFault(error, device);
  }
}

/** Goes on in float64 when the device fails. Several pictures may fail by one loss. */
async function afterFault(error, before) {
  if (before?.gpu === false || error instanceof Restarted) return told(error);
  if (state.device?.gpu !== false) {
    const reason = error.message;
    state.device = { gpu: false, reason };
    showDevice();
    say($("#device").textContent);
    await tracer.ask("leaveDevice", { reason });
  }
  return draw();
}

/** Gives a new worker the scene of the one that stopped, unless that stops it again. */
async function loadAgain(reason) {
  fault(reason, "The tracer was started again");
  state.restarts += 1;
  if (!state.scene || state.restarts > 2) return;
  try {
    await tracer.ask("load", { files: state.files, path: state.path, served: state.served, wishes: state.wishes, ...picture.size() });
    moved();
  } catch (error) {
    told(error);
  }
}

/** Draws after the visitor moved the camera, which is none of the file's then. */
function steered() {
  $("#cameras").value = "";
  moved();
}

let pendingWrite = 0;
function moved() {
  delete document.documentElement.dataset.drawn;
  draw();
  clearTimeout(pendingWrite);
  pendingWrite = setTimeout(() => writeLink(state), 300);
}

/** The wishes that wait while the scene is read by others. */
let wished = null;

async function open(files, { path, example, served = null, wishes = {}, camera, kind } = {}) {
  say("Loading");
  wished = null;
  document.documentElement.dataset.loading = "";
  delete document.documentElement.dataset.drawn;
  try {
    const loaded = await tracer.ask("load", { files, path, served, wishes, ...picture.size() });
    Object.assign(state, { ...loaded, example: example ?? null, files, served, wishes, picked: null, marks: [] });
    const cameras = loaded.scene.cameras;
    state.first = () => new Orbit(cameras[0], loaded.scene.up);
    state.whole = () => new Orbit(cameras.at(-1), loaded.scene.up);
    state.camera = camera ?? state.first();
    if (kind) chooseKind(kind);
    $("#fault").hidden = true;
    showScene();
    showCameras($("#cameras"), cameras, (chosen) => { state.camera = new Orbit(chosen, state.scene.up); moved(); });
    if (camera) $("#cameras").value = "";
    showChoices($("#choices"), loaded.scene, (choice) => wish({ ...state.wishes, ...choice }));
    showChosen($("#choices"), state.wishes);
    showJoints($("#joints"), loaded.scene.joints, (joints) => wish({ ...state.wishes, joints: { ...state.wishes.joints, ...joints } }));
    moved();
  } catch (error) {
    told(error);
  } finally {
    delete document.documentElement.dataset.loading;
  }
}

/** Opens files once they are read. A browser may refuse to read one. */
async function openAll(files) {
  try {
    await open(await files);
  } catch (error) {
    told(error);
  }
}

/** Has the scene read by other wishes, one reading after another; of several that wait only the last counts. */
let isReading = false;
async function wish(wishes) {
  wished = wishes;
  if (isReading) return;
  isReading = true;
  try {
    while (wished) {
      const next = wished;
      wished = null;
      const served = state.served && await servedScene(next.joints);
      const { scene } = await tracer.ask("readAgain", { served, wishes: next, ...picture.size() });
      const isOther = scene.geometry_count !== state.scene.geometry_count;
      Object.assign(state, { scene, served, wishes: next });
      if (isOther) showScene();
      moved();
    }
  } catch (error) {
    told(error);
  } finally {
    isReading = false;
    showChosen($("#choices"), state.wishes);
  }
}

function fault(message, title = "This file cannot be shown") {
  $("#fault").hidden = false;
  $("#fault h2").textContent = title;
  $("#fault pre").textContent = message;
}

/** Shows the error of a call, unless a new worker told it already. */
function told(error) {
  if (!(error instanceof Restarted)) fault(error.message);
}

function showScene() {
  const { scene, path } = state;
  const plural = (what) => (what === "box" ? "boxes" : what === "torus" ? "tori" : what === "mesh" ? "meshes" : what === "lines" ? "sets of lines" : `${what}s`);
  const many = (count, what) => `${count.toLocaleString("en")} ${count === 1 ? what : plural(what)}`;
  const kinds = scene.census.map(([kind, count]) => many(count, kind)).slice(0, 4).join(", ");
  $("#facts").textContent = `${path.split("/").pop()}: ${kinds}${scene.census.length > 4 ? ", …" : ""}`;
  $("#examples").value = state.example ?? "";
  names.show(scene);
  const warnings = $("#warnings");
  warnings.hidden = scene.warnings.length === 0;
  warnings.querySelector("summary").textContent = `${many(scene.warnings.length, "warning")}`;
  warnings.querySelector("ul").replaceChildren(...scene.warnings.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  $("#picture").setAttribute("aria-label", `Scene ${path.split("/").pop()} of ${many(scene.geometry_count, "shape")}`);
  document.title = `${path.split("/").pop()} · raytwin`;
  showAnswer(null);
  say(`${path.split("/").pop()} is loaded: ${kinds}`);
}

function showDevice() {
  const { gpu, name, reason } = state.device;
  $("#device").textContent = gpu
    ? `Drawn by your GPU${name ? `, ${name}` : ""}. Answers are in float64.`
    : `Drawn by the float64 tracer, which is slower: ${reason === "no WebGPU" ? "this browser gives no GPU" : "the GPU failed"}.`;
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
  const answer = await tracer.ask("pick", { camera, ...size, ...pixel }).catch(told);
  if (!answer || mine !== asked) return null;
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
    told(error);
  }
}

/** Shows the scene of the program that serves the page. */
async function openServed({ wishes = {}, ...options } = {}) {
  try {
    const read = (joints) => servedScene(joints).then((served) => ({ served, wishes: { joints } }));
    // A change of the scene may have taken a joint away.
    const { served, wishes: kept } = await read(wishes.joints ?? {}).catch(() => read({}));
    $(`#examples option[value=${SERVED}]`).textContent = served.name;
    await open([], { path: served.name, example: SERVED, served, wishes: kept, ...options });
  } catch (error) {
    told(error);
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
  input.onchange = () => input.files.length > 0 && openAll(fromInput(input));
}
addEventListener("dragover", (event) => { event.preventDefault(); $("#drop").hidden = false; });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("#drop").hidden = true; });
addEventListener("drop", (event) => {
  event.preventDefault();
  $("#drop").hidden = true;
  openAll(fromDrop(event.dataTransfer));
});
for (const input of document.querySelectorAll("input[name=kind]")) {
  input.onchange = () => { state.kind = input.value; moved(); };
}
$("#reset").onclick = () => { state.camera = state.whole(); steered(); };
$("#measure").onclick = () => measure(!state.measures);
$("#link").onclick = ({ target }) => { writeLink(state); copy(target, location.href); };
const showSaving = prepareSaving($("#saving"), {
  now: () => ({ canvas: picture.canvas, path: state.path, served: state.served, wishes: state.wishes, camera: state.camera.numbers() }),
  cast: async (camera, size) => {
    try {
      return await tracer.ask("save", { camera, ...size });
    } finally {
      draw();
    }
  },
  copy,
  failed: told,
});
$("#save").onclick = () => state.scene && showSaving();
$("#copy").onclick = ({ currentTarget }) => copy(currentTarget, pickCommand(state));
$("#fault button").onclick = () => { $("#fault").hidden = true; };

controls($("#picture"), {
  turn: (across, down) => { state.camera?.turn(across, down); steered(); },
  pan: (right, up) => { state.camera?.pan(right, up); steered(); },
  zoom: (factor) => { state.camera?.zoom(factor); steered(); },
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
  const follow = () => isShown() && openServed({ wishes: state.wishes, camera: state.camera, kind: state.kind });
  watchServed(follow, (isEnded) => { $("#ended").hidden = !isEnded; });
}

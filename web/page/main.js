// Connects the user's actions with the parts of the page.

import { addressOf, prepareAddress } from "./address.js";
import { center, leave, point, press } from "./answer.js";
import { prepareAxes } from "./axes.js";
import { diffCommand, pickCommand } from "./command.js";
import { controls } from "./controls.js";
import { answered, copy } from "./copying.js";
import { cut, prepareCut } from "./cut.js";
import { draw, drawAnew, steered, tracer } from "./drawing.js";
import { EXAMPLES } from "./examples.js";
import { hideFault, showError } from "./fault.js";
import { fromDrop, fromInput } from "./files.js";
import { label } from "./labels.js";
import { linked, writeLink } from "./link.js";
import { measure, showMarks } from "./measuring.js";
import { choose, open, openAddress, openFiles, openServed } from "./opening.js";
import { $ } from "./page.js";
import { focusOn, hide, isolate, lookThrough, showAll } from "./parts.js";
import { prepareSaving } from "./save.js";
import { SERVED, isServed, watchServed } from "./served.js";
import { names, picture, state } from "./state.js";
import { dot, times } from "./vectors.js";
import { look, onNight } from "./view.js";

// Tests read these values.
globalThis.raytwin = { state, picture, tracer, look, open, pickCommand, diffCommand };

$("#examples").append(
  Object.assign(new Option("Your own", "", true), { disabled: true, hidden: true }),
  ...(isServed ? [new Option("Your scene", SERVED)] : []),
  ...EXAMPLES.map(({ name, title }) => new Option(title, name)),
);
$("#examples").onchange = ({ target }) => choose(target.value);
$("#open-files").onclick = () => $("#files").click();
for (const button of [$("#open-folder"), $("#missing button")]) button.onclick = () => $("#folder").click();
for (const input of [$("#files"), $("#folder")]) {
  input.onchange = () => input.files.length > 0 && openFiles(fromInput(input));
}
addEventListener("dragover", (event) => { event.preventDefault(); $("#drop").hidden = false; });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("#drop").hidden = true; });
addEventListener("drop", (event) => {
  event.preventDefault();
  $("#drop").hidden = true;
  openFiles(fromDrop(event.dataTransfer));
});
for (const input of document.querySelectorAll("input[name=kind]")) {
  input.onchange = () => { state.kind = input.value; drawAnew(); };
}
/** Switches to another camera, and keeps the perspective or parallel projection. */
function lookBy(camera) {
  camera.isParallel = state.camera?.isParallel ?? false;
  state.camera = camera;
  steered();
}
$("#reset").onclick = () => lookBy(state.whole());
prepareAxes((side) => {
  // The end that the camera looks from hides the opposite end, so a click on it leads to the opposite side.
  const isThere = dot(state.camera.frame().forward, side) < -0.9999;
  state.camera.lookFrom(isThere ? times(side, -1) : side, state.scene.up);
  steered();
});
$("#parallel").onclick = () => { state.camera.isParallel = !state.camera.isParallel; steered(); };
prepareCut();
$("#label").onclick = () => label(!state.labels);
$("#unit").oninput = ({ target }) => { state.unit = target.value.trim(); showMarks(); };
names.prepare({ focus: focusOn, hide, isolate, lookThrough });
$("#unseen button").onclick = showAll;
onNight(drawAnew);
// A page that a program serves does not contact other machines.
$("#open-address").hidden = isServed;
const askAddress = prepareAddress(openAddress);
$("#open-address").onclick = () => askAddress(state.address ?? "");
$("#measure").onclick = () => measure(!state.measures);
$("#link").onclick = ({ target }) => {
  // The address of a page cannot include a user's file.
  if (state.example === null && state.address === null) return answered(target, "A link cannot include your own file");
  writeLink(state);
  return copy(target, location.href);
};
const showSaving = prepareSaving($("#saving"), {
  now: () => ({ canvas: picture.canvas, path: state.path, served: state.served, wishes: state.wishes, parts: state.parts, look: look({ ...state, section: null }) }),
  cast: async (look, size) => {
    try {
      return await tracer.ask("save", { look, ...size });
    } finally {
      draw();
    }
  },
  copy,
  failed: showError,
});
$("#save").onclick = () => state.scene && showSaving();
$("#copy").onclick = ({ currentTarget }) => copy(currentTarget, pickCommand(state));
$("#fault button").onclick = hideFault;

controls($("#picture"), {
  turn: (across, down) => { state.camera?.turn(across, down); steered(); },
  pan: (right, up) => { state.camera?.pan(right, up); steered(); },
  zoom: (factor) => { state.camera?.zoom(factor); steered(); },
  home: () => $("#reset").click(),
  point: (place) => point(picture.pixel(place), place),
  leave,
  press: (place) => press(picture.pixel(place)),
  // In measuring mode, quick clicks set marks.
  center: (place) => { if (!state.measures) center(picture.pixel(place)); },
  middle: () => press(picture.middle()),
  parallel: () => $("#parallel").click(),
  measure: () => { if (!state.measures) measure(true); press(picture.middle()); },
});
addEventListener("keydown", ({ key }) => {
  if (key !== "Escape" || document.querySelector("dialog[open]")) return;
  // Escape ends the innermost action first.
  if (!$("#fault").hidden) hideFault();
  else if (state.measures) measure(false);
  else if (state.section) cut(false);
});
new ResizeObserver(() => { if (picture.fit()) drawAnew(); }).observe($("#stage"));
picture.fit();

/** Opens the scene in the page's address. */
function follow() {
  const { example, address, ...options } = linked(location.hash);
  // A link does not contact another machine until the user confirms it.
  const asked = isServed || !address ? null : addressOf(address);
  choose(example, asked ? {} : options);
  if (asked) askAddress(asked, options);
}
follow();
// A link that is pasted into an open tab only changes the address. Anchors within the page are not links to views.
addEventListener("hashchange", () => { if (location.hash.includes("=")) follow(); });
if (isServed) {
  const isShown = () => state.scene === null || state.example === SERVED;
  const changed = () => isShown() && openServed({ wishes: state.wishes, camera: state.camera, kind: state.kind });
  watchServed(changed, (isEnded) => { $("#ended").hidden = !isEnded; });
}

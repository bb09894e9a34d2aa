// Opens scenes: a user's own files, the examples, and the scene of the program that serves the page.

import { fromAddress } from "./address.js";
import { forget } from "./answer.js";
import { showCameras } from "./choices.js";
import { showCut } from "./cut.js";
import { drawAnew, tracer } from "./drawing.js";
import { EXAMPLES, download } from "./examples.js";
import { showFacts } from "./facts.js";
import { hideFault, showError } from "./fault.js";
import { Orbit } from "./orbit.js";
import { $, say } from "./page.js";
import { tellParts } from "./parts.js";
import { SERVED, isServed, servedScene } from "./served.js";
import { picture, state } from "./state.js";
import { ALL_PARTS } from "./view.js";
import { dropWishes, showWishes } from "./wishes.js";

/** Opens the scene that `read` returns: files, and how to show them. If this fails, the previous scene stays. The last choice wins,
 * even if the files of an earlier choice arrive later. */
async function openOnce(read) {
  const mine = ++state.openings;
  const isLast = () => mine === state.openings;
  say("Loading");
  dropWishes();
  document.documentElement.dataset.loading = "";
  delete document.documentElement.dataset.drawn;
  try {
    const scene = await read();
    // After this request the worker has the scene, so the page must show it.
    if (isLast()) await load(scene);
  } catch (error) {
    if (isLast()) showError(error);
  } finally {
    if (isLast()) delete document.documentElement.dataset.loading;
  }
}

/** Loads a scene, and shows it in the requested view or in the file's own view. */
async function load({ files, path, example = null, address = null, served = null, wishes = {}, parts = ALL_PARTS, ...view }) {
  const ask = (wishes) => tracer.ask("load", { files, path, served, wishes, parts, ...picture.size() }).then((loaded) => ({ ...loaded, wishes }));
  // A link may have joints that are missing in the current scene.
  const loaded = await ask(wishes).catch((error) => (wishes.joints ? ask({ ...wishes, joints: undefined }) : Promise.reject(error)));
  Object.assign(state, { ...loaded, example, address, files, served, parts });
  hideFault();
  showFacts();
  showView(view);
  showWishes();
  forget();
  drawAnew();
}

/** Shows the scene in a view. Missing parts of the view have their defaults. */
function showView({ camera, section = null, kind, by = "own" }) {
  placeCamera(camera);
  Object.assign(state, { section, by, unit: state.scene.is_molecular ? "Å" : "" });
  $("#unit").value = state.unit;
  if (kind) chooseKind(kind);
  showCut();
  tellParts();
}

/** Opens files that were read before. */
export const open = (files, options = {}) => openOnce(() => ({ files, ...options }));

/** Lists the scene's cameras, and uses the given one or the first. */
function placeCamera(camera) {
  const { cameras, up } = state.scene;
  state.whole = () => new Orbit(cameras.at(-1), up);
  state.camera = camera ?? new Orbit(cameras[0], up);
  showCameras($("#cameras"), cameras, (chosen) => { state.camera = new Orbit(chosen, up); drawAnew(); });
  if (camera) $("#cameras").value = "";
}

function chooseKind(kind) {
  state.kind = kind;
  $(`input[name=kind][value="${CSS.escape(kind)}"]`).checked = true;
}

/** Opens files after they are read. A browser may fail to read a file. */
export const openFiles = (files) => openOnce(async () => ({ files: await files }));

/** Opens the scene with this name in a link or in the list. */
export const choose = (name, options) => (isServed && (name ?? SERVED) === SERVED ? openServed(options) : openExample(name, options));

/** Opens the scene at an address. */
export const openAddress = (address, options) => openOnce(async () => ({ files: await fromAddress(address), address, ...options }));

function openExample(name, options = {}) {
  const example = EXAMPLES.find((example) => example.name === name) ?? EXAMPLES[0];
  return openOnce(async () => ({ files: await download(example), path: example.files[0], example: example.name, ...options }));
}

/** Opens the scene of the program that serves the page. */
export const openServed = ({ wishes = {}, ...options } = {}) => openOnce(async () => {
  const read = (joints) => servedScene(joints).then((served) => ({ served, wishes: { joints } }));
  // A change of the scene may have removed a joint.
  const { served, wishes: kept } = await read(wishes.joints ?? {}).catch(() => read({}));
  $(`#examples option[value=${SERVED}]`).textContent = served.name;
  return { files: [], path: served.name, example: SERVED, served, wishes: kept, ...options };
});

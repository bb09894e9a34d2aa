// Opening scenes: a visitor's own files, the examples, and the scene of the program that serves the page.

import { showCameras } from "./choices.js";
import { drawAnew, tracer } from "./drawing.js";
import { EXAMPLES, download } from "./examples.js";
import { showFacts } from "./facts.js";
import { hideFault, told } from "./fault.js";
import { Orbit } from "./orbit.js";
import { $, say } from "./page.js";
import { SERVED, isServed, servedScene } from "./served.js";
import { picture, state } from "./state.js";
import { dropWishes, showWishes } from "./wishes.js";

/** Opens a scene in the view that is asked for, else in the file's own. What was shown stays if it fails. */
export async function open(files, { path, example = null, served = null, wishes = {}, camera, kind } = {}) {
  say("Loading");
  dropWishes();
  document.documentElement.dataset.loading = "";
  delete document.documentElement.dataset.drawn;
  try {
    const loaded = await tracer.ask("load", { files, path, served, wishes, ...picture.size() });
    Object.assign(state, { ...loaded, example, files, served, wishes, picked: null, marks: [] });
    hideFault();
    showFacts();
    showWishes();
    placeCamera(camera);
    if (kind) chooseKind(kind);
    drawAnew();
  } catch (error) {
    told(error);
  } finally {
    delete document.documentElement.dataset.loading;
  }
}

/** Lists the scene's cameras, and looks through the given one, or through the first. */
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

/** Opens files once they are read. A browser may refuse to read one. */
export async function openFiles(files) {
  try {
    await open(await files);
  } catch (error) {
    told(error);
  }
}

/** Opens the scene that a link or the list calls so. */
export const choose = (name, options) => (isServed && (name ?? SERVED) === SERVED ? openServed(options) : openExample(name, options));

async function openExample(name, options = {}) {
  const example = EXAMPLES.find((example) => example.name === name) ?? EXAMPLES[0];
  try {
    const files = await download(example);
    await open(files, { path: example.files[0], example: example.name, ...options });
  } catch (error) {
    told(error);
  }
}

/** Opens the scene of the program that serves the page. */
export async function openServed({ wishes = {}, ...options } = {}) {
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

// The visibility of parts: hidden, shown alone, or transparent.

import { askAnew } from "./answer.js";
import { drawAnew, outdate, steered, tracer } from "./drawing.js";
import { showError } from "./fault.js";
import { $, say } from "./page.js";
import { names, state } from "./state.js";
import { ALL_PARTS } from "./view.js";

/** Returns the texts that choose a part, in the form of `raytwin --ignore`: its path, or the ids of its geometries if the path would
 * choose something else. */
const chosenBy = ({ name, ids, isPath }) => (isPath && !/[,*?]/.test(name) && !/^\d+$/.test(name) ? [name] : ids.map(String));

const toggled = (list, texts) => (texts.every((text) => list.includes(text)) ? list.filter((text) => !texts.includes(text)) : [...new Set([...list, ...texts])]);

/** Hides a part, or shows it again. */
export function hide(node) {
  const { hidden, only, glass } = state.parts;
  return showParts({ hidden: toggled(hidden, chosenBy(node)), only, glass });
}

/** Shows only this part, even if it was hidden, or shows all parts again. */
export function isolate(node) {
  const texts = chosenBy(node);
  const isAlone = state.parts.only.length === texts.length && texts.every((text) => state.parts.only.includes(text));
  return showParts({ glass: state.parts.glass, hidden: isAlone ? state.parts.hidden : [], only: isAlone ? [] : texts });
}

/** Makes a part transparent, or opaque again. */
export function lookThrough(node) {
  return showParts({ ...state.parts, glass: toggled(state.parts.glass, chosenBy(node)) });
}

export const showAll = () => showParts(ALL_PARTS);

async function showParts(parts) {
  const { openings } = state;
  // If the user hides another part before this one is hidden, both are hidden.
  state.parts = parts;
  tellParts();
  outdate();
  try {
    await tracer.ask("showParts", { parts });
  } catch (error) {
    showError(error);
    return;
  }
  if (openings !== state.openings || parts !== state.parts) return;
  askAnew();
  drawAnew();
}

/** Shows, in the list and above it, which parts are hidden, shown alone or transparent. */
export function tellParts() {
  const { hidden, only, glass } = state.parts;
  names.showParts(state.parts);
  const texts = [only.length > 0 && "Only some parts are shown.", hidden.length > 0 && `${hidden.length} hidden.`, glass.length > 0 && `${glass.length} transparent.`];
  const text = texts.filter(Boolean).join(" ");
  $("#unseen").hidden = text === "";
  $("#unseen span").textContent = text;
  if (text) say(text);
}

/** Moves a part into the middle of the picture. */
export async function focusOn(node) {
  outdate();
  const extent = await tracer.ask("extentOf", { parts: chosenBy(node) }).catch(showError);
  if (!extent) return;
  state.camera.frameBall(extent);
  steered();
}

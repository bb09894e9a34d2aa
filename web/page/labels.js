// Shows the names of the visible parts in the picture.

import { $ } from "./page.js";
import { picture, state } from "./state.js";

const MISS = 0xffffffff;
/** The largest number of names. The largest parts come first. */
const MOST = 60;
/** The smallest number of pixels of a part with a name. */
const LEAST_PIXELS = 60;

/** Turns the names on or off. */
export function label(on) {
  state.labels = on;
  $("#label").setAttribute("aria-pressed", String(on));
  if (on) showLabels();
  else hideLabels();
}

export function hideLabels() {
  $("#labels").replaceChildren();
}

/** Shows the names of the parts in the picture, without overlaps. */
export function showLabels() {
  if (!state.labels || !state.scene) return;
  const scale = picture.canvas.clientWidth / picture.canvas.width;
  const placed = [];
  const written = new Set();
  const elements = [];
  for (const { id, x, y } of seenParts()) {
    const { path } = state.scene.geometries[id];
    // The name of a bond consists of the names of its atoms, which are shown anyway.
    const text = nameIn(path);
    if (!text || written.has(text) || (state.scene.is_molecular && text.includes("-"))) continue;
    const width = 8 + 7 * text.length;
    const box = { x: Math.max(x * scale, width / 2), y: y * scale, width, height: 16 };
    const isFree = placed.every((other) => Math.abs(other.x - box.x) > (other.width + box.width) / 2 || Math.abs(other.y - box.y) > box.height);
    if (!isFree) continue;
    placed.push(box);
    written.add(text);
    const element = Object.assign(document.createElement("span"), { textContent: text });
    element.style.transform = `translate(${box.x}px, ${box.y}px) translate(-50%, -50%)`;
    elements.push(element);
    if (elements.length === MOST) break;
  }
  $("#labels").replaceChildren(...elements);
}

/** Returns the last real name in a path. A shape without a name has its type and number in the path. */
function nameIn(path) {
  return path.split("/").filter((name) => !/^[a-z]+\[\d+\]$/.test(name)).pop() ?? "";
}

/** Returns the parts with enough pixels, the largest first, with the middle of their visible pixels. */
function seenParts() {
  const { width } = picture.size();
  const sums = new Map();
  picture.ids.forEach((id, index) => {
    if (id === MISS || id >= state.scene.geometries.length) return;
    const sum = sums.get(id) ?? { id, count: 0, x: 0, y: 0 };
    sum.count += 1;
    sum.x += index % width;
    sum.y += Math.floor(index / width);
    sums.set(id, sum);
  });
  const parts = [...sums.values()].filter(({ count }) => count >= LEAST_PIXELS).sort((a, b) => b.count - a.count);
  return parts.map(({ id, count, x, y }) => ({ id, x: x / count, y: y / count }));
}

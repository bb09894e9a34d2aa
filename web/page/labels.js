// The names of parts, written on the picture where these are seen.

import { $ } from "./page.js";
import { picture, state } from "./state.js";

const MISS = 0xffffffff;
/** The most names that are written; the largest parts have theirs first. */
const MOST = 60;
/** A part that has fewer pixels is too small for a name, but for an atom. */
const LEAST_PIXELS = 60;

/** Writes names, or no longer. */
export function label(on) {
  state.labels = on;
  $("#label").setAttribute("aria-pressed", String(on));
  if (on) showLabels();
  else hideLabels();
}

export function hideLabels() {
  $("#labels").replaceChildren();
}

/** Writes the names of what the picture shows, none over another. */
export function showLabels() {
  if (!state.labels || !state.scene) return;
  const scale = picture.canvas.clientWidth / picture.canvas.width;
  const placed = [];
  const written = new Set();
  const elements = [];
  for (const { id, x, y } of seenParts()) {
    const { path } = state.scene.geometries[id];
    // A bond is named by its atoms, which have names of their own.
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

/** Returns the last name in a path that someone gave: what has none is called by its type and its number. */
function nameIn(path) {
  return path.split("/").filter((name) => !/^[a-z]+\[\d+\]$/.test(name)).pop() ?? "";
}

/** Returns the parts that have pixels enough, the largest first, with the middles of what is seen of them. */
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

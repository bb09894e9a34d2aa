// Two points on surfaces, and their distance.

import { length } from "./orbit.js";
import { $, say } from "./page.js";
import { picture, state } from "./state.js";
import { shown } from "./words.js";

/** Begins to measure, or ends it. */
export function measure(on) {
  state.measures = on;
  state.marks = [];
  $("#measure").setAttribute("aria-pressed", String(on));
  showMarks();
}

/** Sets a point, and after the second one tells their distance. A third begins anew. */
export function addMark(point) {
  if (state.marks.length === 2) state.marks = [];
  state.marks.push(point);
  showMarks();
  if (state.marks.length === 2) say($("#measured p").textContent);
}

/** Drops the points; the visitor may set others. */
export function clearMarks() {
  state.marks = [];
  if (state.camera) showMarks();
}

/** Draws the points where the camera sees them. */
export function showMarks() {
  const { width, height } = picture.size();
  const svg = $("#marks");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const scale = width / svg.clientWidth;
  const places = state.marks.map((mark) => state.camera.project(mark, [width, height])).filter(Boolean);
  const circles = places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="${5 * scale}"/>`);
  svg.innerHTML = line(places) + circles.join("");
  $("#measured").hidden = !state.measures;
  $("#measured p").textContent = measured(state.marks);
}

function line([from, to]) {
  return to ? `<line x1="${from[0]}" y1="${from[1]}" x2="${to[0]}" y2="${to[1]}"/>` : "";
}

function measured([a, b]) {
  if (!a) return "Choose two points.";
  if (!b) return "Choose the second point.";
  return shown(length(a.map((x, i) => x - b[i])));
}

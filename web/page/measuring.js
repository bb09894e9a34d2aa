// Measures between the features that users choose: atoms, centres of balls, axes, planes, and points on surfaces.

import { $, say } from "./page.js";
import { picture, state } from "./state.js";
import { add, cross, dot, length, sub, times, unit } from "./vectors.js";
import { shown } from "./words.js";

/** The largest number of marks. Four points have a torsion. */
const MOST = 4;
const DEGREES = 180 / Math.PI;
/** The largest angle between parallel directions, in degrees. */
const PARALLEL = 0.01;

/** Turns measuring on or off. */
export function measure(on) {
  state.measures = on;
  state.marks = [];
  $("#measure").setAttribute("aria-pressed", String(on));
  showMarks();
}

/** Adds a mark, and announces the measurement with the earlier marks. If there are too many marks, a new measurement begins. */
export function addMark(mark) {
  const isFull = state.marks.length === MOST || (state.marks.length === 2 && [...state.marks, mark].some(({ kind }) => !isPoint({ kind })));
  state.marks = isFull ? [mark] : [...state.marks, mark];
  showMarks();
  if (state.marks.length > 1) say($("#measured ul").textContent);
}

/** Removes all marks. Measuring continues. */
export function clearMarks() {
  state.marks = [];
  if (state.camera) showMarks();
}

const isPoint = ({ kind }) => kind === "point" || kind === "center";

/** Draws the marks in the picture, and shows their measurements. */
export function showMarks() {
  const { width, height } = picture.size();
  const svg = $("#marks");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const scale = width / svg.clientWidth;
  const place = (point) => state.camera.project(point, [width, height]);
  const line = (from, to, className) => {
    const [a, b] = [place(from), place(to)];
    return a && b ? `<line class="${className}" x1="${a[0]}" y1="${a[1]}" x2="${b[0]}" y2="${b[1]}"/>` : "";
  };
  const axes = state.marks.filter(({ kind }) => kind === "axis").map(({ ends }) => line(...ends, "axis"));
  const between = state.marks.slice(1).map((mark, index) => line(...footOf(state.marks[index], mark), "between"));
  const circles = state.marks.map(({ point }) => place(point)).filter(Boolean).map(([x, y]) => `<circle cx="${x}" cy="${y}" r="${5 * scale}"/>`);
  const results = measurements(state.marks);
  svg.innerHTML = axes.join("") + between.join("") + circles.join("");
  showValue(svg, results, place, scale);
  $("#measured").hidden = !state.measures;
  showResults(results);
}

/** Shows the last value next to the last mark, because the panel may not be visible. */
function showValue(svg, [result], place, scale) {
  const at = result && place(state.marks.at(-1).point);
  if (!at) return;
  const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
  text.setAttribute("x", at[0] + 10 * scale);
  text.setAttribute("y", at[1] - 8 * scale);
  text.setAttribute("font-size", 14 * scale);
  text.textContent = result[1];
  svg.append(text);
}

function showResults(results) {
  const ask = ["Choose what to measure from.", "Choose what to measure to."][state.marks.length];
  const rows = results.map(([what, value]) => {
    const row = document.createElement("li");
    row.append(Object.assign(document.createElement("span"), { textContent: what }), Object.assign(document.createElement("b"), { textContent: value }));
    return row;
  });
  $("#measured ul").replaceChildren(...rows);
  $("#measured p").textContent = ask ?? (state.marks.length === MOST || !state.marks.every(isPoint) ? "" : "Choose another point to measure an angle.");
}

/** Formats a length with the user's unit. For molecules it has three decimals, as usual in chemistry. */
function inUnit(number) {
  return [state.scene.is_molecular ? number.toFixed(3) : shown(number), state.unit].filter(Boolean).join(" ");
}

/** Formats an angle. Points that coincide or are on one line have none. */
const inDegrees = (radians) => (Number.isNaN(radians) ? "none" : `${shown(Number((radians * DEGREES).toFixed(3)))}°`);

/** Returns the titles and the values of all measurements, the last first. */
function measurements(marks) {
  const results = [];
  const points = marks.map(({ point }) => point);
  const titled = (word, some) => (some.every(({ name }) => name) ? `${word} ${some.map(({ name }) => name).join("–")}`.trim() : word || "Distance");
  if (marks.length === 4) results.push([titled("Torsion", marks), inDegrees(torsion(...points))]);
  if (marks.length >= 3) results.push([titled("Angle", marks.slice(-3)), inDegrees(angleAt(...points.slice(-3)))]);
  if (marks.length >= 2) results.push(...pair(...marks.slice(-2), titled));
  return results;
}

/** Returns the measurements of two marks: a distance, and an angle if they have directions. */
function pair(a, b, titled) {
  const [from, to] = footOf(a, b);
  const distance = [titled("", [a, b]), inUnit(length(sub(from, to)))];
  if (isPoint(a) || isPoint(b)) return [distance];
  const between = Math.acos(Math.min(1, Math.abs(dot(direction(a), direction(b)))));
  // Between an axis and a plane, the angle is the one to the plane, and not to its normal.
  const angle = a.kind === b.kind ? between : Math.PI / 2 - between;
  const isParallel = angle * DEGREES < PARALLEL;
  const rows = [["Angle", isParallel ? "parallel" : inDegrees(angle)]];
  // Planes that intersect, and an axis that intersects a plane, have no distance.
  return isParallel || (a.kind === "axis" && b.kind === "axis") ? [distance, ...rows] : rows;
}

const direction = ({ kind, normal, ends }) => unit(kind === "plane" ? normal : sub(ends[1], ends[0]));

/** Returns the two points, one of each mark, between which the distance is measured. */
function footOf(a, b) {
  if (isPoint(a) && isPoint(b)) return [a.point, b.point];
  if (isPoint(a)) return [a.point, nearest(b, a.point)];
  if (isPoint(b)) return [nearest(a, b.point), b.point];
  if (a.kind === "axis" && b.kind === "axis") return betweenLines(a, b);
  return a.kind === "plane" ? [nearest(a, b.point), b.point] : [a.point, nearest(b, a.point)];
}

/** Returns the nearest point of an axis or a plane, both infinite, to a point. */
function nearest(mark, point) {
  const offset = sub(point, mark.point);
  const along = direction(mark);
  const share = dot(offset, along);
  return mark.kind === "plane" ? sub(point, times(along, share)) : add(mark.point, times(along, share));
}

/** Returns the points at which two lines are nearest to each other. */
function betweenLines(a, b) {
  const [u, v, w] = [direction(a), direction(b), sub(a.point, b.point)];
  const normal = cross(u, v);
  const square = dot(normal, normal);
  if (Math.asin(Math.min(1, Math.sqrt(square))) * DEGREES < PARALLEL) return [nearest(a, b.point), b.point];
  const s = dot(cross(v, w), normal) / square;
  const t = dot(cross(u, w), normal) / square;
  return [add(a.point, times(u, s)), add(b.point, times(v, t))];
}

function angleAt(a, b, c) {
  const [u, v] = [sub(a, b), sub(c, b)];
  return length(u) * length(v) > 0 ? Math.atan2(length(cross(u, v)), dot(u, v)) : NaN;
}

/** Returns the angle between the planes of the first three and the last three points. Its sign follows IUPAC: positive if the farther
 * bond is turned clockwise from the nearer. */
function torsion(a, b, c, d) {
  const [u, v, w] = [sub(b, a), sub(c, b), sub(d, c)];
  const [m, n] = [cross(u, v), cross(v, w)];
  return length(m) * length(n) > 0 ? Math.atan2(dot(cross(m, n), unit(v)), dot(m, n)) : NaN;
}

// The link to a view: the example or the address, the options for reading it, the visible parts, and the camera.

import { Orbit } from "./orbit.js";
import { cross, length, sub } from "./vectors.js";
import { ALL_PARTS } from "./view.js";

const KINDS = ["shaded", "distance", "ids", "normals"];
const COLORS = ["own", "id", "label", "group"];
const PARTS = { hidden: "hide", only: "only", glass: "glass" };

/** Returns the contents of a link. Invalid parts are ignored. */
export function linked(hash) {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const one = (name, known) => (known.includes(parameters.get(name)) ? parameters.get(name) : undefined);
  const camera = numbersIn(parameters, "camera", 10);
  const cut = numbersIn(parameters, "cut", 6);
  return {
    example: parameters.get("scene"),
    address: parameters.get("from"),
    camera: camera && isView(camera) ? Object.assign(Orbit.of(camera), { isParallel: parameters.has("parallel") }) : undefined,
    section: cut && length(cut.slice(3)) > 0 ? { point: cut.slice(0, 3), normal: cut.slice(3) } : null,
    kind: one("picture", KINDS),
    by: one("by", COLORS),
    parts: Object.fromEntries(Object.entries(PARTS).map(([part, name]) => [part, parameters.getAll(name)])),
    wishes: wishesIn(parameters),
  };
}

/** The largest coordinate that the tracer accepts. */
const MOST = 1e9;

function numbersIn(parameters, name, count) {
  const numbers = (parameters.get(name) ?? "").split(",").map(Number);
  return numbers.length === count && numbers.every((number) => Math.abs(number) <= MOST) ? numbers : undefined;
}

/** True if these numbers are a camera with a direction and an upward direction. */
function isView(numbers) {
  const [eye, target, up, fov] = [numbers.slice(0, 3), numbers.slice(3, 6), numbers.slice(6, 9), numbers[9]];
  return length(cross(sub(target, eye), up)) > 0 && fov > 0 && fov < 180;
}

/** Returns the wishes in a link. A joint is written as NAME:VALUE. */
function wishesIn(parameters) {
  const joints = parameters.getAll("joint").map((text) => {
    const end = text.lastIndexOf(":");
    return [text.slice(0, end), Number(text.slice(end + 1))];
  });
  const isJoint = ([name, value]) => name !== "" && Number.isFinite(value);
  const [style, colors] = ["style", "colors"].map((name) => parameters.get(name));
  return {
    ...(joints.some(isJoint) && { joints: Object.fromEntries(joints.filter(isJoint)) }),
    ...(style && { style }),
    ...(colors && { colors }),
    ...(parameters.has("collision") && { collision: true }),
  };
}

function wishesOut({ joints = {}, style, colors, collision }) {
  const parts = Object.entries(joints).map(([name, value]) => `joint=${encodeURIComponent(name)}:${value}`);
  if (style) parts.push(`style=${encodeURIComponent(style)}`);
  if (colors) parts.push(`colors=${encodeURIComponent(colors)}`);
  if (collision) parts.push("collision");
  return parts;
}

function viewOut({ camera, section, parts = ALL_PARTS, by }) {
  const out = camera ? [`camera=${camera.numbers()}`] : [];
  if (camera?.isParallel) out.push("parallel");
  if (section) out.push(`cut=${[...section.point, ...section.normal]}`);
  for (const [part, name] of Object.entries(PARTS)) out.push(...parts[part].map((text) => `${name}=${encodeURIComponent(text)}`));
  if (by !== "own") out.push(`by=${by}`);
  return out;
}

/** Writes the view into the page's address. For a user's own scene, the address has no view. */
export function writeLink({ example, address, kind, wishes, ...view }) {
  const parts = [];
  if (example || address) {
    parts.push(example ? `scene=${example}` : `from=${encodeURIComponent(address)}`, ...wishesOut(wishes), ...viewOut(view));
  }
  if (kind !== "shaded") parts.push(`picture=${kind}`);
  history.replaceState(null, "", parts.length > 0 ? `#${parts.join("&")}` : location.href.replace(/#.*/, ""));
  keepView(location.search + location.hash);
}

/** Stores the view for the proof page, which links back to it. */
function keepView(view) {
  // Views in a notebook have no proof page.
  if (window.parent !== window) return;
  try {
    sessionStorage.setItem("view", view);
  } catch {
    // A browser may forbid storage. The proof page then links back to the first view.
  }
}

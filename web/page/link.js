// The link to a view: the example, how it is read, the camera and the kind of picture.

import { Orbit } from "./orbit.js";

const KINDS = ["shaded", "distance", "ids", "normals"];

/** Returns what a link says. A part of it that makes no sense counts as none. */
export function linked(hash) {
  const parameters = new URLSearchParams(hash.replace(/^#/, ""));
  const numbers = (parameters.get("camera") ?? "").split(",").map(Number);
  const isCamera = numbers.length === 10 && numbers.every(Number.isFinite);
  const kind = parameters.get("picture");
  return {
    example: parameters.get("scene"),
    camera: isCamera ? Orbit.of(numbers) : undefined,
    kind: KINDS.includes(kind) ? kind : undefined,
    wishes: wishesIn(parameters),
  };
}

/** Returns the wishes that a link holds. A joint is told as NAME:VALUE. */
function wishesIn(parameters) {
  const joints = parameters.getAll("joint").map((text) => {
    const end = text.lastIndexOf(":");
    return [text.slice(0, end), Number(text.slice(end + 1))];
  });
  const isJoint = ([name, value]) => name !== "" && Number.isFinite(value);
  const style = parameters.get("style");
  return {
    ...(joints.some(isJoint) && { joints: Object.fromEntries(joints.filter(isJoint)) }),
    ...(style && { style }),
    ...(parameters.has("collision") && { collision: true }),
  };
}

function wishesOut({ joints = {}, style, collision }) {
  const parts = Object.entries(joints).map(([name, value]) => `joint=${encodeURIComponent(name)}:${value}`);
  if (style) parts.push(`style=${encodeURIComponent(style)}`);
  if (collision) parts.push("collision");
  return parts;
}

/** Writes the view into the page's address. The address of a visitor's own scene holds none of it. */
export function writeLink({ example, wishes, camera, kind }) {
  const parts = [];
  if (example) parts.push(`scene=${example}`);
  if (example) parts.push(...wishesOut(wishes));
  if (example && camera) parts.push(`camera=${camera.numbers().join(",")}`);
  if (kind !== "shaded") parts.push(`picture=${kind}`);
  history.replaceState(null, "", parts.length > 0 ? `#${parts.join("&")}` : location.pathname + location.search);
}

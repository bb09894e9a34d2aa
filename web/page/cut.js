// The plane that cuts the scene open: its direction, and its position along that direction.

import { drawAnew } from "./drawing.js";
import { $ } from "./page.js";
import { heedArrows } from "./slider.js";
import { state } from "./state.js";
import { add, dot, sub, times, unit } from "./vectors.js";

const SIDES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
/** The largest distance of the slider's ends from the first position of the cut, in multiples of the visible height there. */
const REACH = 1.5;

/** Turns the cut on or off. The first cut is perpendicular to the axis that points most towards the camera. */
export function cut(on) {
  if (!on) {
    show(null);
    return;
  }
  const towards = sub(state.camera.eye, state.camera.target);
  const [side, flips] = Object.values(SIDES)
    .map((side) => [side, dot(side, towards)])
    .reduce((best, next) => (Math.abs(next[1]) > Math.abs(best[1]) ? next : best));
  show(planeThrough(state.camera.target, flips < 0 ? times(side, -1) : side));
}

/** Returns a plane with the range of the slider. The range is limited, because a scene may be much larger than the visible part. */
function planeThrough(middle, normal) {
  return { point: middle, normal, middle, reach: Math.min(REACH * state.camera.height(), 2 * state.scene.radius) };
}

function show(section) {
  state.section = section;
  showCut();
  drawAnew();
}

/** Returns the distance of the plane from the middle of its range, along its normal. */
const heightOf = ({ point, middle, normal }) => dot(sub(point, middle), normal);

/** Shows the current plane in its controls. */
export function showCut() {
  // A link has only the plane, without its range.
  if (state.section && !state.section.reach) state.section = { ...planeThrough(state.section.point, unit(state.section.normal)) };
  const { section } = state;
  $("#cut").setAttribute("aria-pressed", String(section !== null));
  $("#cutting").hidden = section === null;
  if (!section) return;
  const axis = Object.keys(SIDES).find((name) => Math.abs(dot(SIDES[name], section.normal)) > 0.9999);
  $("#cutting select").value = axis ?? "view";
  const slider = $("#cutting input");
  [slider.min, slider.max] = [-section.reach, section.reach];
  slider.value = heightOf(section);
  // Rounding can leave a tiny number in place of 0.
  const rounded = (height) => (Math.abs(height) < 1e-6 * section.reach ? 0 : Number(height.toPrecision(4)));
  const name = axis ? `${axis} = ${rounded(dot(section.point, SIDES[axis]))}` : `${rounded(heightOf(section))} away`;
  $("#cutting output").textContent = name;
  slider.setAttribute("aria-valuetext", name);
}

export function prepareCut() {
  $("#cut").onclick = () => cut(state.section === null);
  $("#cutting select").onchange = ({ target }) => {
    const normal = SIDES[target.value] ?? unit(sub(state.camera.eye, state.camera.target));
    show(planeThrough(state.camera.target, normal));
  };
  const slider = $("#cutting input");
  slider.oninput = () => {
    const { section } = state;
    show({ ...section, point: add(section.middle, times(section.normal, Number(slider.value))) });
  };
  heedArrows(slider);
  $("#cutting button").onclick = () => {
    show({ ...state.section, normal: times(state.section.normal, -1) });
  };
}

// The plane that cuts the scene open: its direction, and how far it lies along that.

import { drawAnew } from "./drawing.js";
import { $ } from "./page.js";
import { state } from "./state.js";
import { add, dot, sub, times, unit } from "./vectors.js";
import { shown } from "./words.js";

const SIDES = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };
/** The slider's ends lie so far from the scene's middle, in its radii. */
const REACH = 1.02;

/** Cuts the scene, or no longer. The first cut faces the camera as well as one along an axis can. */
export function cut(on) {
  if (!on) {
    show(null);
    return;
  }
  const towards = sub(state.camera.eye, state.camera.target);
  const [side, flips] = Object.values(SIDES)
    .map((side) => [side, dot(side, towards)])
    .reduce((best, next) => (Math.abs(next[1]) > Math.abs(best[1]) ? next : best));
  show(planeAt(flips < 0 ? times(side, -1) : side, 0));
}

function planeAt(normal, height) {
  return { point: add(state.scene.center, times(normal, height)), normal };
}

function show(section) {
  state.section = section;
  showCut();
  drawAnew();
}

/** Returns how far the plane lies from the scene's middle, along its normal. */
const heightOf = ({ point, normal }) => dot(sub(point, state.scene.center), normal);

/** Shows the plane that there is in its controls. */
export function showCut() {
  const { section, scene } = state;
  $("#cut").setAttribute("aria-pressed", String(section !== null));
  $("#cutting").hidden = section === null;
  if (!section) return;
  const axis = Object.keys(SIDES).find((name) => Math.abs(dot(SIDES[name], section.normal)) > 0.9999);
  $("#cutting select").value = axis ?? "view";
  const slider = $("#cutting input");
  [slider.min, slider.max] = [-REACH * scene.radius, REACH * scene.radius];
  slider.value = heightOf(section);
  const name = axis ? `${axis} = ${shown(Number(dot(section.point, SIDES[axis]).toPrecision(4)))}` : `${shown(Number(heightOf(section).toPrecision(4)))} from the middle`;
  $("#cutting output").textContent = name;
  slider.setAttribute("aria-valuetext", name);
}

export function prepareCut() {
  $("#cut").onclick = () => cut(state.section === null);
  $("#cutting select").onchange = ({ target }) => {
    const normal = SIDES[target.value] ?? unit(sub(state.camera.eye, state.camera.target));
    show(planeAt(normal, 0));
  };
  const slider = $("#cutting input");
  slider.oninput = () => show(planeAt(state.section.normal, Number(slider.value)));
  // A slider without steps would not heed arrow keys.
  slider.onkeydown = (event) => {
    const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    slider.value = Number(slider.value) + (way * (slider.max - slider.min)) / 50;
    slider.oninput();
  };
  $("#cutting button").onclick = () => {
    const { point, normal } = state.section;
    show({ point, normal: times(normal, -1) });
  };
}

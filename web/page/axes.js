// The axes of the scene in a corner of the picture. Their ends are buttons that view the scene from that side.

import { $ } from "./page.js";
import { state } from "./state.js";
import { dot } from "./vectors.js";

const SIDES = [
  ["+x", [1, 0, 0]], ["+y", [0, 1, 0]], ["+z", [0, 0, 1]], ["-x", [-1, 0, 0]], ["-y", [0, -1, 0]], ["-z", [0, 0, -1]],
];
/** The length of an axis in the corner, in pixels. */
const ARM = 30;

/** Makes the buttons. They call `lookFrom` with the chosen side. */
export function prepareAxes(lookFrom) {
  const buttons = SIDES.map(([name, side]) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = `axis-${name[1]}${name[0] === "-" ? " opposite" : ""}`;
    button.textContent = name[0] === "-" ? "" : name[1];
    button.title = `Look from ${name}`;
    button.ariaLabel = button.title;
    button.onclick = () => lookFrom(side);
    return button;
  });
  $("#axes div").replaceChildren(...buttons);
}

/** Turns the axes to match the camera. */
export function showAxes() {
  $("#axes").hidden = false;
  const { forward, right, up } = state.camera.frame();
  [...$("#axes div").children].forEach((button, index) => {
    const side = SIDES[index][1];
    const [x, y, depth] = [dot(side, right), dot(side, up), dot(side, forward)];
    button.style.transform = `translate(${ARM * x}px, ${-ARM * y}px)`;
    button.style.zIndex = String(Math.round(2 - 2 * depth));
    button.style.setProperty("--nearness", String((1 - depth) / 2));
  });
  const lines = SIDES.slice(0, 3).map(([name, side]) => `<line class="axis-${name[1]}" x2="${ARM * dot(side, right)}" y2="${-ARM * dot(side, up)}"/>`);
  $("#axes svg").innerHTML = lines.join("");
  $("#parallel").setAttribute("aria-pressed", String(state.camera.isParallel));
}

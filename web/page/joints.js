// The joints of a robot as sliders.

import { heedArrows } from "./slider.js";

const DEGREES = 180 / Math.PI;

export function showJoints(section, joints, move) {
  section.hidden = joints.length === 0;
  const values = {};
  const rows = joints.map(({ name, turns, value, limits }) => {
    const label = document.createElement("label");
    const title = document.createElement("span");
    title.textContent = name;
    const told = document.createElement("output");
    const slider = document.createElement("input");
    slider.type = "range";
    [slider.min, slider.max] = limits ?? (turns ? [-Math.PI, Math.PI] : [-1, 1]);
    slider.step = "any";
    slider.value = value;
    const tell = () => {
      const number = Number(slider.value);
      told.textContent = turns ? `${(number * DEGREES).toFixed(1)}°` : `${number.toFixed(3)} m`;
      slider.setAttribute("aria-valuetext", told.textContent);
    };
    heedArrows(slider);
    slider.oninput = () => {
      values[name] = Number(slider.value);
      tell();
      move({ ...values });
    };
    tell();
    label.append(title, told, slider);
    return label;
  });
  section.querySelector("div").replaceChildren(...rows);
}

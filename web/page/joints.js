// Shows the joints of a robot as sliders.

import { heedArrows } from "./slider.js";

const DEGREES = 180 / Math.PI;

export function showJoints(section, joints, move) {
  section.hidden = joints.length === 0;
  const values = {};
  const rows = joints.map(({ name, turns, value, limits }) => {
    const label = document.createElement("label");
    const title = document.createElement("span");
    title.textContent = name;
    const output = document.createElement("output");
    const slider = document.createElement("input");
    slider.type = "range";
    [slider.min, slider.max] = limits ?? (turns ? [-Math.PI, Math.PI] : [-1, 1]);
    slider.step = "any";
    slider.value = value;
    const showValue = () => {
      const number = Number(slider.value);
      output.textContent = turns ? `${(number * DEGREES).toFixed(1)}°` : `${number.toFixed(3)} m`;
      slider.setAttribute("aria-valuetext", output.textContent);
    };
    heedArrows(slider);
    slider.oninput = () => {
      values[name] = Number(slider.value);
      showValue();
      move({ ...values });
    };
    showValue();
    label.append(title, output, slider);
    return label;
  });
  section.querySelector("div").replaceChildren(...rows);
}

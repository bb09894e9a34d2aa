// The joints of a robot as sliders.

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
    // A slider without steps would not heed arrow keys.
    slider.onkeydown = (event) => {
      const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!way) return;
      event.preventDefault();
      slider.value = Number(slider.value) + (way * (slider.max - slider.min)) / 50;
      slider.oninput();
    };
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

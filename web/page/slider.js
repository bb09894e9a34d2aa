// Arrow keys for sliders without steps, which do not react to them.

/** Makes arrow keys move a slider by a fiftieth of its range. */
export function heedArrows(slider) {
  slider.onkeydown = (event) => {
    const way = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!way) return;
    event.preventDefault();
    slider.value = Number(slider.value) + (way * (slider.max - slider.min)) / 50;
    slider.oninput();
  };
}

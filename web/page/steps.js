// The current steps of the page, one below the other, and the elapsed seconds. A timer of the page counts them, and not a worker.

const TICK_MS = 500;

/** The steps of a run, in order. The keys are their names in the worker's messages. */
export const PROOF = {
  module: "Load the module",
  gpu: "Open the GPU",
  scenes: "Make the scenes, and measure the GPU's arithmetic",
  cast: "Cast and check",
  report: "Write the report",
};

/** The steps of checking a report in a link. */
export const REPORT = {
  module: "Load the module",
  unpack: "Unpack the report, and make its scenes",
  judge: "Check its answers",
};

let timer = 0;

/** Shows the steps of a new run, and counts its seconds until it ends. */
export function beginSteps(section, steps) {
  endSteps();
  const began = performance.now();
  section.querySelector("ol").replaceChildren(...Object.entries(steps).map(([name, title]) => {
    const item = document.createElement("li");
    const detail = Object.assign(document.createElement("span"), { className: "detail" });
    item.dataset.step = name;
    item.append(title, detail);
    return item;
  }));
  const elapsed = section.querySelector("[data-of=elapsed]");
  const tick = () => { elapsed.textContent = `${Math.floor((performance.now() - began) / 1000)} s`; };
  tick();
  timer = setInterval(tick, TICK_MS);
}

/** Marks a step as current, and the steps before it as ended. */
export function showStep(section, name, detail = "") {
  let isBefore = true;
  for (const item of section.querySelectorAll("ol li")) {
    const isNow = item.dataset.step === name;
    if (isNow) isBefore = false;
    item.className = isNow ? "now" : isBefore ? "ended" : "";
    if (isNow) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
    item.querySelector(".detail").textContent = isNow ? detail : "";
  }
}

export function endSteps() {
  clearInterval(timer);
}

// What the page does at present: its steps one below the other, and the seconds, which this timer counts and no worker.

const TICK_MS = 500;

/** The steps of a run, in their order, each with its name among the worker's messages. */
export const PROOF = {
  module: "Load the module",
  gpu: "Open the GPU",
  scenes: "Make the scenes, and measure the GPU's arithmetic",
  cast: "Cast and judge",
  report: "Write the report",
};

/** The steps of judging a report that came as a link. */
export const REPORT = {
  module: "Load the module",
  unpack: "Unpack the report, and make its scenes",
  judge: "Judge its answers",
};

let timer = 0;

/** Shows the steps of what begins now, and counts its seconds until it ends. */
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

/** Shows that this step has begun, and so that those before it have ended. */
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

// The line that shows which device draws the picture.

import { isSoftware } from "./adapter.js";
import { $ } from "./page.js";

const CAUSES = {
  asked: "this page's address requests it",
  "no WebGPU": "this browser has no WebGPU. Current versions of Chrome, Edge, Firefox and Safari have it",
  "no adapter": "this browser has no access to a GPU. Allow hardware acceleration in its settings, or update the driver",
  failed: "the GPU failed",
};

function described({ gpu, name, why }) {
  if (!gpu) return `Drawn by the slower float64 tracer, because ${CAUSES[why]}.`;
  const what = isSoftware(name) ? "WebGPU in software" : "your GPU";
  return `Drawn by ${what}${name ? `, ${name}` : ""}. Answers are in float64.`;
}

export function showDevice(device) {
  $("#device").textContent = described(device);
  $("#device").title = device.reason ?? "";
}

// The line that tells what draws.

import { $ } from "./page.js";

function described({ gpu, name, reason }) {
  if (gpu) return `Drawn by your GPU${name ? `, ${name}` : ""}. Answers are in float64.`;
  const cause = reason === "no WebGPU" ? "this browser gives no GPU" : "the GPU failed";
  return `Drawn by the float64 tracer, which is slower: ${cause}.`;
}

export function showDevice(device) {
  $("#device").textContent = described(device);
  $("#device").title = device.reason ?? "";
}

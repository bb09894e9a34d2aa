// Runs the proof on the visitor's GPU, part by part, so that the page never waits.

import { adapterName } from "./adapter.js";
import init, { Device, Prover, proof_faults } from "./raytwin_web.js";

/** The page is told of new figures about so often, in milliseconds. */
const NEWS_MS = 250;

const ready = init({ module_or_path: new URL("raytwin_web_bg.wasm", import.meta.url) });

async function prove({ fault, browser, date }) {
  if (!self.navigator.gpu) throw new Error("no WebGPU");
  const offered = await self.navigator.gpu.requestAdapter();
  if (!offered) throw new Error("no adapter");
  const device = await Device.open();
  const adapter = adapterName(offered) || device.name() || "a GPU that the browser does not name";
  postMessage({ event: "device", name: adapter });
  const start = performance.now();
  const prover = await Prover.begin(device, fault);
  postMessage({ event: "arithmetic", ...JSON.parse(prover.arithmetic()) });
  let told = 0;
  const tell = () => {
    const [asked, all] = prover.progress();
    postMessage({ event: "progress", asked, all, seconds: (performance.now() - start) / 1000, summary: JSON.parse(prover.summary()) });
    told = performance.now();
  };
  tell();
  while (await prover.step()) {
    if (performance.now() - told > NEWS_MS) tell();
  }
  tell();
  const seconds = (performance.now() - start) / 1000;
  const summary = JSON.parse(prover.summary());
  const [hash, exactHash] = prover.hashes();
  const picture = prover.worst_picture();
  const report = prover.report(adapter, browser, date, seconds);
  return { summary, hash, exactHash, picture, report, seconds };
}

self.onmessage = async ({ data }) => {
  let stage = "module";
  try {
    await ready;
    stage = "run";
    if (data.call === "faults") {
      postMessage({ event: "faults", faults: JSON.parse(proof_faults()) });
    } else {
      postMessage({ event: "done", ...(await prove(data)) });
    }
  } catch (error) {
    postMessage({ event: "failed", stage, reason: String(error.message ?? error) });
  }
};

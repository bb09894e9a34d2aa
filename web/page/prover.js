// Runs the proof on the user's GPU, part by part, or checks a report in a link. It is a worker, so the page stays responsive.

import { adapterName } from "./adapter.js";
import init, { Device, LinkedReport, Prover, proof_faults, report_link } from "./raytwin_web.js";

/** The shortest time between updates of the page's figures, in milliseconds. */
const NEWS_MS = 250;

const ready = init({ module_or_path: new URL("raytwin_web_bg.wasm", import.meta.url) });

const step = (name, detail) => postMessage({ event: "step", name, detail });

/** Returns a function that reports the progress of a run, but not more often than the page can show it. */
function counter(summary) {
  const start = performance.now();
  let reported = -Infinity;
  return (asked, all, isLast = asked === all) => {
    const now = performance.now();
    if (!isLast && now - reported < NEWS_MS) return;
    reported = now;
    postMessage({ event: "progress", asked, all, seconds: (now - start) / 1000, summary: summary() });
  };
}

async function prove({ fault, browser, date, page }) {
  if (!self.navigator.gpu) throw new Error("no WebGPU");
  step("gpu");
  const offered = await self.navigator.gpu.requestAdapter();
  if (!offered) throw new Error("no adapter");
  const device = await Device.open();
  const adapter = adapterName(offered) || device.name() || "a GPU without a name in this browser";
  postMessage({ event: "device", name: adapter, browser, date });
  const start = performance.now();
  step("scenes");
  const prover = await Prover.begin(device, fault);
  postMessage({ event: "arithmetic", ...JSON.parse(prover.arithmetic()) });
  const progress = counter(() => JSON.parse(prover.summary()));
  // A kernel is compiled when it is first used, and each scene may need its own kernels.
  const compiled = new Set();
  for (let next = prover.next(); next; next = prover.next()) {
    const { number, scenes, scene, rays, kind } = JSON.parse(next);
    const of = `scene ${number} of ${scenes}, ${scene}: ${rays === kind ? kind : `${kind}, ${rays}`}`;
    const kernel = `${number} ${kind}`;
    step("cast", `${of} · ${compiled.has(kernel) ? "casting" : "compiling kernels, casting"}`);
    compiled.add(kernel);
    await prover.cast();
    step("cast", `${of} · checking`);
    prover.judge();
    progress(...prover.progress());
  }
  const seconds = (performance.now() - start) / 1000;
  step("report", "hashing the canonical answers, packing all answers");
  const summary = JSON.parse(prover.summary());
  const [hash, exactHash] = prover.hashes();
  const picture = prover.worst_picture();
  const report = prover.report(adapter, browser, date, seconds);
  return { summary, hash, exactHash, picture, report, link: report_link(page, report), seconds };
}

/** Checks a report, using only its answers. Its statements about its GPU are marked as claims. */
function judge({ link }) {
  step("unpack");
  const report = LinkedReport.of_link(link);
  const claims = JSON.parse(report.claims());
  postMessage({ event: "device", name: claims.adapter || "a GPU without a name", browser: claims.browser, date: claims.date });
  postMessage({ event: "arithmetic", ...JSON.parse(report.arithmetic()) });
  step("judge");
  const progress = counter(() => null);
  report.judge((asked, all) => progress(asked, all));
  const summary = JSON.parse(report.summary());
  return { summary, hash: claims.hash, exactHash: report.exact_hash(), picture: report.worst_picture(), claims, seconds: claims.seconds };
}

self.onmessage = async ({ data }) => {
  let stage = "module";
  try {
    await ready;
    stage = data.call;
    if (data.call === "faults") {
      postMessage({ event: "faults", faults: JSON.parse(proof_faults()) });
    } else {
      const result = data.call === "judge" ? judge(data) : await prove(data);
      postMessage({ event: "done", ...result });
    }
  } catch (error) {
    postMessage({ event: "failed", stage, reason: String(error.message ?? error) });
  }
};

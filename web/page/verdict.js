// The verdict on a GPU in plain sentences.

import { isSoftware } from "./adapter.js";

const count = (number) => number.toLocaleString("en");

/** Says what a finished run means: the sentence, what follows from it, and whether the GPU is right. */
export function verdictOf({ summary, hash, exactHash, arithmetic, fault, adapter }) {
  // What computes in software is no GPU.
  const who = isSoftware(adapter) ? "This software renderer" : "Your GPU";
  const answers = summary.rays + summary.points;
  const isCanonical = hash === exactHash;
  if (summary.sound && isCanonical) {
    const kept = arithmetic.holds
      ? "You can cast on it: what it answers is within the promised precision wherever we asked."
      : "But its arithmetic breaks a promise that other scenes may need: see below.";
    const planted = fault ? ` The fault ${fault} that you chose did not show on this GPU.` : "";
    return { isRight: arithmetic.holds && !fault, sentence: `${who} answered all ${count(answers)} questions rightly.`, meaning: kept + planted };
  }
  const meaning = fault
    ? `The fault ${fault} was planted on purpose, and the comparison has noticed it. Choose no fault to prove the GPU as it is.`
    : "Do not rely on this GPU and driver for exact answers. A newer driver or browser may help; the report shows us what went wrong.";
  const reasons = [...summary.failures];
  if (!isCanonical) reasons.push("canonical answers differ from those of all other GPUs");
  const why = fault ? "" : ` (${reasons.join("; ")}.)`;
  const sentence = summary.mismatches > 0
    ? `${who} answered ${count(summary.mismatches)} of ${count(answers)} questions wrongly.`
    : `${who}'s answers do not keep the promised precision.`;
  return { isRight: false, sentence, meaning: meaning + why };
}

/** Says why a run has no verdict, and what to do. `stage` is what failed: the page's own module, or the run. */
export function failureOf(reason, stage, fault) {
  if (stage === "module") {
    return {
      sentence: "The page could not load its module, so nothing was cast.",
      meaning: `Load the page again, and see whether its server can be reached. The browser says: ${reason}`,
    };
  }
  if (reason === "no WebGPU") {
    return {
      sentence: "This browser gives no WebGPU, so there is no GPU to prove.",
      meaning: "Use a current Chrome, Edge, Firefox or Safari, allow hardware acceleration in its settings, and open this page by https or from this machine. The program proves any GPU without a browser: raytwin diff --self-test.",
    };
  }
  if (reason === "no adapter") {
    return {
      sentence: "This browser gives no GPU, so there is none to prove.",
      meaning: "Allow hardware acceleration in its settings, update the GPU's driver, or use another current browser. The program proves any GPU without a browser: raytwin diff --self-test.",
    };
  }
  if (fault) {
    return {
      sentence: "The fault was noticed by the engine itself: there are no answers to judge.",
      meaning: `With the fault ${fault} planted, the GPU's run ended early: ${reason}`,
    };
  }
  return {
    sentence: "The GPU stopped in the middle of the proof, so there is no verdict.",
    meaning: `Nothing that it answered before counts as right. Start again; if it happens each time, the driver is at fault. The browser says: ${reason}`,
  };
}

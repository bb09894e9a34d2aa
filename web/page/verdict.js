// The verdict on a GPU, as sentences.

import { isSoftware } from "./adapter.js";

const count = (number) => number.toLocaleString("en");

/** Returns the subject of a sentence about the device. `claims` are the claims of a report, if one was checked. A software renderer is
 * not called a GPU. */
function whoAnswered(adapter, claims) {
  if (claims) return `The ${isSoftware(adapter) ? "software renderer" : "GPU"} of this report`;
  return isSoftware(adapter) ? "This software renderer" : "Your GPU";
}

/** Returns the verdict on a finished run: a sentence, its meaning, and whether the GPU is right. */
export function verdictOf({ summary, hash, exactHash, arithmetic, fault, adapter, claims }) {
  const who = whoAnswered(adapter, claims);
  const answers = summary.rays + summary.points;
  const isCanonical = hash === exactHash;
  const judged = claims ? " This page checked each answer of the report again. The adapter, the browser and the date are claims of the report that nobody can check." : "";
  if (summary.sound && isCanonical) {
    if (claims && claims.share < 1) {
      const share = (100 * claims.share).toFixed(1);
      return { isRight: false, sentence: `The report has only ${share} % of the proof.`, meaning: `Its answers are correct, but they are not a complete proof.${judged}` };
    }
    const kept = claims
      ? "Its answers are within the promised precision for all questions of the proof."
      : "You can use it: its answers are within the promised precision for all questions of this page.";
    const promise = arithmetic.holds ? kept : "But its arithmetic is outside a bound that other scenes may need: see below.";
    const planted = fault ? ` The planted fault ${fault} had no effect on this GPU.` : "";
    return { isRight: arithmetic.holds && !fault, sentence: `${who} answered all ${count(answers)} questions correctly.`, meaning: promise + planted + judged };
  }
  const meaning = fault
    ? `The fault ${fault} was planted on purpose, and the check found it.${claims ? "" : " Choose no fault to prove the GPU itself."}`
    : "Do not rely on this GPU and driver for exact answers. A newer driver or browser may help. The report shows us what went wrong.";
  const reasons = [...summary.failures];
  // For a checked report, the failures already include a different hash.
  if (!isCanonical && !claims) reasons.push("canonical answers differ from those of all other GPUs");
  const why = fault ? "" : ` (${reasons.join("; ")}.)`;
  const sentence = summary.mismatches > 0
    ? `${who} answered ${count(summary.mismatches)} of ${count(answers)} questions wrongly.`
    : `${who}'s answers are not within the promised precision.`;
  return { isRight: false, sentence, meaning: meaning + why + judged };
}

/** Chats and forums truncate longer links. GitHub limits a comment to 65,536 characters, and Linux limits an argument of a program to
 * 131,072 bytes. */
const SHORT_LINK = 65_000;

/** Returns a sentence about how to share the link to a report, or why there is no link. */
export function aboutLink(link) {
  if (!link) return "This report does not fit in a link, which browsers limit to a million characters. Download it instead.";
  const length = `The link has the whole report in ${count(link.length)} characters.`;
  return link.length <= SHORT_LINK
    ? length
    : `${length} It works in an address bar, but chats truncate it. Paste it into a text file for raytwin diff --against link.txt, or send the downloaded report.`;
}

/** Returns why a run has no verdict, and what to do. `stage` is the part that failed: the page's module, a run, or the check of a report. */
export function failureOf(reason, stage, fault) {
  if (stage === "module") {
    return {
      sentence: "The page could not load its module, so no rays were cast.",
      meaning: `Load the page again, and check that its server is available. The browser reports: ${reason}`,
    };
  }
  if (stage === "judge") {
    return {
      sentence: "This link has no report that can be checked.",
      meaning: `No answer was checked. ${reason.replace(/\.?$/, ".")}`,
    };
  }
  if (reason === "no WebGPU") {
    return {
      sentence: "This browser has no WebGPU, so there is no GPU to prove.",
      meaning: "Use a current Chrome, Edge, Firefox or Safari, allow hardware acceleration in its settings, and open this page with https or from this computer. To prove a GPU without a browser, run raytwin diff --self-test.",
    };
  }
  if (reason === "no adapter") {
    return {
      sentence: "This browser has no access to a GPU, so there is no GPU to prove.",
      meaning: "Allow hardware acceleration in its settings, update the GPU's driver, or use another current browser. To prove a GPU without a browser, run raytwin diff --self-test.",
    };
  }
  if (fault) {
    return {
      sentence: "The engine itself found the fault, so there are no answers to check.",
      meaning: `With the planted fault ${fault}, the run on the GPU ended early: ${reason}`,
    };
  }
  return {
    sentence: "The GPU stopped during the proof, so there is no verdict.",
    meaning: `No earlier answer counts as correct. Start again. If this happens each time, the driver has an error. The browser reports: ${reason}`,
  };
}

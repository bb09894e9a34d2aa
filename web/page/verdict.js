// The verdict on a GPU in plain sentences.

import { isSoftware } from "./adapter.js";

const count = (number) => number.toLocaleString("en");

/** Who answered, in words that begin a sentence. `claims` is what a report says, if one was judged. What computes in software is no GPU. */
function whoAnswered(adapter, claims) {
  if (claims) return `The ${isSoftware(adapter) ? "software renderer" : "GPU"} of this report`;
  return isSoftware(adapter) ? "This software renderer" : "Your GPU";
}

/** Says what a finished run means: the sentence, what follows from it, and whether the GPU is right. */
export function verdictOf({ summary, hash, exactHash, arithmetic, fault, adapter, claims }) {
  const who = whoAnswered(adapter, claims);
  const answers = summary.rays + summary.points;
  const isCanonical = hash === exactHash;
  const judged = claims ? " This page judged each answer of the report anew. Adapter, browser and date are what it says, and nobody can check them." : "";
  if (summary.sound && isCanonical) {
    if (claims && claims.share < 1) {
      const share = (100 * claims.share).toFixed(1);
      return { isRight: false, sentence: `The report holds only ${share} % of the proof.`, meaning: `Its answers are right, and prove too little.${judged}` };
    }
    const kept = claims
      ? "What it answered is within the promised precision wherever the proof asks."
      : "You can cast on it: what it answers is within the promised precision wherever we asked.";
    const promise = arithmetic.holds ? kept : "But its arithmetic breaks a promise that other scenes may need: see below.";
    const planted = fault ? ` The fault ${fault} that was planted did not show on this GPU.` : "";
    return { isRight: arithmetic.holds && !fault, sentence: `${who} answered all ${count(answers)} questions rightly.`, meaning: promise + planted + judged };
  }
  const meaning = fault
    ? `The fault ${fault} was planted on purpose, and the comparison has noticed it.${claims ? "" : " Choose no fault to prove the GPU as it is."}`
    : "Do not rely on this GPU and driver for exact answers. A newer driver or browser may help; the report shows us what went wrong.";
  const reasons = [...summary.failures];
  // The judgement of a report names another hash among its failures.
  if (!isCanonical && !claims) reasons.push("canonical answers differ from those of all other GPUs");
  const why = fault ? "" : ` (${reasons.join("; ")}.)`;
  const sentence = summary.mismatches > 0
    ? `${who} answered ${count(summary.mismatches)} of ${count(answers)} questions wrongly.`
    : `${who}'s answers do not keep the promised precision.`;
  return { isRight: false, sentence, meaning: meaning + why + judged };
}

/** Chats and forums cut longer links: GitHub ends a comment at 65,536 characters. Linux ends an argument of a program at 131,072 bytes. */
const SHORT_LINK = 65_000;

/** Says where the link to a report can go, or that there is none. */
export function aboutLink(link) {
  if (!link) return "This report does not fit in a link, which browsers end at a million characters: download it.";
  const length = `The link holds the whole report in ${count(link.length)} characters.`;
  return link.length <= SHORT_LINK
    ? length
    : `${length} An address line takes it, chats cut it: paste it into a text file, for raytwin diff --against link.txt, or send the download.`;
}

/** Says why a run has no verdict, and what to do. `stage` is what failed: the page's own module, a run, or judging a report. */
export function failureOf(reason, stage, fault) {
  if (stage === "module") {
    return {
      sentence: "The page could not load its module, so nothing was cast.",
      meaning: `Load the page again, and see whether its server can be reached. The browser says: ${reason}`,
    };
  }
  if (stage === "judge") {
    return {
      sentence: "This link holds no report that can be judged.",
      meaning: `Nothing was judged. ${reason.replace(/\.?$/, ".")}`,
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

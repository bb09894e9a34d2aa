// The page that proves the visitor's GPU: it starts the worker, and shows what it tells.

import { saveFile } from "./saving.js";
import { fillTable } from "./tables.js";
import { failureOf, verdictOf } from "./verdict.js";
import { showWorst } from "./worst.js";

const $ = (selector) => document.querySelector(selector);
const say = (text) => { $("#live").textContent = text; };
const FIGURES = ["#verdict", "#running", "#device", "#classes", "#worst", "#report"];
const LIVE_SECONDS = 10;

const state = { phase: "idle", worker: null, arithmetic: null, adapter: "", fault: "", result: null, spoken: 0 };
let choices = [];
// Tests read what the page shows.
globalThis.raytwin = { state, start, end };

/** Starts a worker, which runs one proof or lists the faults, and is thrown away. */
function worker(request, receive) {
  const started = new Worker(new URL("prover.js", import.meta.url), { type: "module" });
  started.onmessage = ({ data }) => receive(data);
  started.onerror = (event) => receive({ event: "failed", stage: "module", reason: event.message ?? "see its console" });
  started.postMessage(request);
  return started;
}

function phase(name) {
  state.phase = name;
  document.documentElement.dataset.proof = name;
  const isRunning = name === "running";
  $("#cancel").hidden = !isRunning;
  $("#start").hidden = isRunning;
  $("#start").textContent = name === "idle" ? "Prove my GPU" : "Prove it again";
  $("#fault").disabled = isRunning;
}

/** The browser's own words on itself: its brands where it has such, and else its user agent. */
function browserName() {
  const brands = navigator.userAgentData?.brands.filter(({ brand }) => !/not.*brand/i.test(brand)) ?? [];
  const named = brands.map(({ brand, version }) => `${brand} ${version}`).join(", ");
  return named ? `${named}; ${navigator.userAgent}` : navigator.userAgent;
}

function start() {
  end();
  FIGURES.forEach((selector) => { $(selector).hidden = true; });
  Object.assign(state, { fault: $("#fault").value, result: null, arithmetic: null, spoken: 0 });
  phase("running");
  if (!navigator.gpu) {
    show({ event: "failed", reason: "no WebGPU" });
    return;
  }
  $("#running").hidden = false;
  progress({ asked: 0, all: 0, seconds: 0 });
  $("#device [data-of=canonical]").textContent = "not known yet";
  say("The proof has begun.");
  $("#cancel").focus({ preventScroll: true });
  state.worker = worker({ call: "prove", fault: state.fault, browser: browserName(), date: new Date().toISOString() }, show);
}

/** Ends the worker, and with it the run. */
function end() {
  state.worker?.terminate();
  state.worker = null;
}

function progress({ asked, all, seconds }) {
  const share = all > 0 ? asked / all : 0;
  $("#progress").setAttribute("aria-valuenow", String(Math.round(100 * share)));
  $("#progress i").style.width = `${100 * share}%`;
  $("#running [data-of=asked]").textContent = asked.toLocaleString("en");
  $("#running [data-of=all]").textContent = all.toLocaleString("en");
  const rate = asked > 0 ? `· ${Math.round(asked / seconds).toLocaleString("en")} a second · ${seconds.toFixed(1)} s` : "· the kernels are being compiled";
  $("#running [data-of=rate]").textContent = rate;
  if (asked > 0 && seconds > state.spoken + LIVE_SECONDS) {
    state.spoken = seconds;
    say(`${Math.round(100 * share)} percent of the rays are cast.`);
  }
}

function tables(summary) {
  $("#classes").hidden = summary.parts.length === 0;
  fillTable($("#questions table"), "question", summary.parts.map(({ title, classes }) => [title, classes]), summary.classes);
  fillTable($("#forms table"), "shape", summary.types.map(({ type, classes }) => [type, classes]), summary.classes);
}

function verdict({ isRight, sentence, meaning }, isWrong) {
  $("#verdict").className = isRight ? "right" : isWrong ? "wrong" : "";
  $("#verdict h2").textContent = sentence;
  $("#verdict p").textContent = meaning;
  $("#verdict").hidden = false;
  say(`${sentence} ${meaning}`);
  $("#verdict").focus({ preventScroll: true });
}

function finish(result) {
  end();
  Object.assign(state, { result });
  const isEqual = result.hash === result.exactHash;
  const hash = document.createElement("code");
  hash.textContent = result.hash;
  $("#device [data-of=canonical]").replaceChildren(`The same on every GPU: ${isEqual ? "yes" : "no"}`, hash);
  tables(result.summary);
  showWorst($("#worst"), result);
  $("#report").hidden = false;
  verdict(verdictOf({ ...result, arithmetic: state.arithmetic, fault: state.fault, adapter: state.adapter }), true);
  phase("done");
}

function show(data) {
  switch (data.event) {
    case "device":
      $("#device").hidden = false;
      state.adapter = data.name;
      $("#device [data-of=adapter]").textContent = data.name;
      $("#device [data-of=browser]").textContent = browserName();
      $("#device [data-of=arithmetic]").textContent = "";
      break;
    case "arithmetic":
      state.arithmetic = data;
      $("#device [data-of=arithmetic]").replaceChildren(...data.lines.flatMap((line) => [line, document.createElement("br")]));
      break;
    case "progress":
      progress(data);
      tables(data.summary);
      break;
    case "done":
      finish(data);
      break;
    case "failed":
      end();
      // Figures of a part of the answers might be read as a verdict.
      ["#running", "#classes"].forEach((selector) => { $(selector).hidden = true; });
      verdict(failureOf(data.reason, data.stage, state.fault), !data.reason.startsWith("no ") && data.stage !== "module");
      phase("failed");
      break;
  }
}

function cancel() {
  end();
  FIGURES.forEach((selector) => { $(selector).hidden = true; });
  phase("idle");
  say("The proof was cancelled. Nothing was proved.");
  $("#start").focus();
}

/** Fills the list of faults, which the module knows. */
function listFaults({ event, faults }) {
  if (event !== "faults") return;
  choices = faults;
  $("#fault").append(...faults.map(({ name }) => new Option(name.replaceAll("-", " "), name)));
}

function aboutFault() {
  const about = choices.find(({ name }) => name === $("#fault").value)?.about;
  $("#about-fault").textContent = about ?? "";
  $("#about-fault").hidden = !about;
}

/** Shows one table of two; arrow keys go from one tab to the other. */
function tabs() {
  const all = [$("#by-question"), $("#by-form")];
  const select = (chosen) => all.forEach((tab) => {
    const isChosen = tab === chosen;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    $(`#${tab.getAttribute("aria-controls")}`).hidden = !isChosen;
  });
  for (const tab of all) {
    tab.onclick = () => select(tab);
    tab.onkeydown = ({ key }) => {
      if (key !== "ArrowLeft" && key !== "ArrowRight") return;
      const other = all.find((another) => another !== tab);
      select(other);
      other.focus();
    };
  }
}

$("#start").onclick = start;
$("#cancel").onclick = cancel;
$("#download").onclick = () => saveFile("raytwin-proof.json", new Blob([state.result.report], { type: "application/json" }));
$("#fault").onchange = aboutFault;
tabs();
phase("idle");
if (location.hash === "#start") start();
// The run, which the visitor waits for, loads the module first.
const lister = worker({ call: "faults" }, (data) => { lister.terminate(); listFaults(data); });

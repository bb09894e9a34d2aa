// The page that proves the user's GPU, or checks the report in its address. It starts the worker, and shows its results.

import { saveFile } from "./saving.js";
import { PROOF, REPORT, beginSteps, endSteps, showStep } from "./steps.js";
import { fillTable } from "./tables.js";
import { aboutLink, failureOf, verdictOf } from "./verdict.js";
import { showWorst } from "./worst.js";

const $ = (selector) => document.querySelector(selector);
const say = (text) => { $("#live").textContent = text; };
const FIGURES = ["#plan", "#verdict", "#running", "#device", "#classes", "#worst", "#report"];
const LIVE_SECONDS = 10;
/** The text before a report in an address. */
const MARK = "#report=";
const TITLES = {
  proof: ["Does your GPU answer correctly?", "This page casts rays at shapes on your GPU, and checks each answer against a float64 tracer on your CPU."],
  report: ["Did this GPU answer correctly?", "The link that you opened has all answers of a GPU. This page checks each of them again with its own float64 tracer."],
};

const state = { phase: "idle", worker: null, arithmetic: null, adapter: "", date: "", fault: "", result: null, spoken: 0 };
let choices = [];
// Tests read these values.
globalThis.raytwin = { state, start, end };

/** Starts a worker for one request. */
function worker(request, receive) {
  const started = new Worker(new URL("prover.js", import.meta.url), { type: "module" });
  started.onmessage = ({ data }) => receive(data);
  started.onerror = (event) => receive({ event: "failed", stage: "module", reason: event.message ?? "see the browser's console" });
  started.postMessage(request);
  return started;
}

function phase(name) {
  state.phase = name;
  document.documentElement.dataset.proof = name;
  const isRunning = name === "running";
  $("#cancel").hidden = !isRunning;
  $("#start").hidden = isRunning;
  $("#how-long").hidden = name !== "idle";
  const [title, lead] = isLinked() ? TITLES.report : TITLES.proof;
  $("#title").textContent = title;
  $("#lead").textContent = lead;
  $("#start").textContent = name === "idle" || isLinked() ? "Prove my GPU" : "Prove it again";
}

const isLinked = () => location.hash.startsWith(MARK);

/** Returns the browser's name: its brands if it has any, and its user agent. */
function browserName() {
  const brands = navigator.userAgentData?.brands.filter(({ brand }) => !/not.*brand/i.test(brand)) ?? [];
  const named = brands.map(({ brand, version }) => `${brand} ${version}`).join(", ");
  return named ? `${named}; ${navigator.userAgent}` : navigator.userAgent;
}

/** Clears the previous run, and shows the steps of the new one. */
function begin(steps, title) {
  end();
  FIGURES.forEach((selector) => { $(selector).hidden = true; });
  Object.assign(state, { result: null, arithmetic: null, spoken: 0 });
  phase("running");
  $("#running-title").textContent = title;
  $("#running").hidden = false;
  beginSteps($("#running"), steps);
  showStep($("#running"), "module");
  progress({ asked: 0, all: 0, seconds: 0 });
  $("#device [data-of=canonical]").textContent = "not computed yet";
  $("#cancel").focus({ preventScroll: true });
}

function start() {
  if (isLinked()) history.replaceState(null, "", location.pathname + location.search);
  state.fault = $("#fault").value;
  begin(PROOF, "Proving");
  if (!navigator.gpu) {
    show({ event: "failed", reason: "no WebGPU" });
    return;
  }
  say("The proof has started.");
  const page = location.origin + location.pathname;
  const date = new Date().toISOString();
  state.worker = worker({ call: "prove", fault: state.fault, browser: browserName(), date, page }, show);
}

/** Checks the report in the page's address. */
function judgeLinked() {
  state.fault = "";
  begin(REPORT, "Checking the report in this link");
  say("The check of the report has started.");
  state.worker = worker({ call: "judge", link: location.href }, show);
}

/** Ends the worker and its run. */
function end() {
  state.worker?.terminate();
  state.worker = null;
  endSteps();
}

function progress({ asked, all, seconds }) {
  const share = all > 0 ? asked / all : 0;
  $("#progress").setAttribute("aria-valuenow", String(Math.round(100 * share)));
  $("#progress i").style.width = `${100 * share}%`;
  $("#running [data-of=asked]").textContent = asked.toLocaleString("en");
  $("#running [data-of=all]").textContent = all.toLocaleString("en");
  const rate = asked > 0 ? `· ${Math.round(asked / seconds).toLocaleString("en")} a second` : "";
  $("#running [data-of=rate]").textContent = rate;
  if (asked > 0 && seconds > state.spoken + LIVE_SECONDS) {
    state.spoken = seconds;
    say(`${Math.round(100 * share)} percent of the answers are checked.`);
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
  $("#device [data-of=date]").textContent = `${state.date}, in ${result.seconds.toFixed(1)} s`;
  tables(result.summary);
  showWorst($("#worst"), result);
  $("#running").hidden = true;
  $("#report").hidden = !result.report;
  $("#link").disabled = !result.link;
  $("#about-link").textContent = aboutLink(result.link);
  verdict(verdictOf({ ...result, arithmetic: state.arithmetic, fault: result.claims?.fault ?? state.fault, adapter: state.adapter }), true);
  phase("done");
}

function show(data) {
  switch (data.event) {
    case "step":
      showStep($("#running"), data.name, data.detail);
      break;
    case "device":
      $("#device").hidden = false;
      state.adapter = data.name;
      $("#device [data-of=adapter]").textContent = data.name;
      $("#device [data-of=browser]").textContent = data.browser ?? "none: a program cast the rays";
      state.date = data.date ?? "unknown";
      $("#device [data-of=date]").textContent = state.date;
      $("#device [data-of=arithmetic]").textContent = "";
      break;
    case "arithmetic":
      state.arithmetic = data;
      $("#device [data-of=arithmetic]").replaceChildren(...data.lines.flatMap((line) => [line, document.createElement("br")]));
      break;
    case "progress":
      progress(data);
      if (data.summary) tables(data.summary);
      break;
    case "done":
      finish(data);
      break;
    case "failed":
      end();
      // Users might mistake figures for some of the answers for a verdict.
      ["#running", "#classes", "#device"].forEach((selector) => { $(selector).hidden = true; });
      verdict(failureOf(data.reason, data.stage, state.fault), data.stage === "prove" && !data.reason.startsWith("no "));
      phase("failed");
      break;
  }
}

function cancel() {
  end();
  idle();
  say("The proof was cancelled. There is no result.");
  $("#start").focus();
}

/** Shows the plan of a proof. */
function idle() {
  FIGURES.forEach((selector) => { $(selector).hidden = selector !== "#plan"; });
  phase("idle");
}

async function copyLink() {
  await navigator.clipboard.writeText(state.result.link);
  say("The link is copied.");
  $("#link").textContent = "Copied";
  setTimeout(() => { $("#link").textContent = "Copy a link to the report"; }, 2000);
}

/** Returns the stored view. A browser may forbid storage. */
function keptView() {
  try {
    return sessionStorage.getItem("view") ?? "";
  } catch {
    return "";
  }
}

/** Makes the links lead back to the last view in this tab, or otherwise to the scene that `raytwin view` serves. */
function leadBack() {
  const view = keptView();
  const rest = /^[?#]/.test(view) ? view : location.search;
  for (const link of document.querySelectorAll("a[href='index.html']")) link.href = `index.html${rest}`;
}

/** Fills the list of faults, which comes from the module. */
function listFaults({ event, faults }) {
  if (event !== "faults") return;
  choices = faults;
  $("#fault").append(...faults.map(({ name }) => new Option(name.replaceAll("-", " "), name)));
}

function aboutFault() {
  const about = choices.find(({ name }) => name === $("#fault").value)?.about;
  $("#about-fault").textContent = about ?? "A check that cannot fail proves nothing. Plant a fault to see this check fail.";
}

/** Shows one of two tables. Arrow keys move between the tabs. */
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
$("#link").onclick = copyLink;
addEventListener("hashchange", () => { if (isLinked()) judgeLinked(); });
tabs();
leadBack();
if (isLinked()) judgeLinked();
else idle();
// The list of faults comes last, so that a run, which the user waits for, loads the module first.
const lister = worker({ call: "faults" }, (data) => { lister.terminate(); listFaults(data); });

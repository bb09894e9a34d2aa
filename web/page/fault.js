// The message that describes an error.

import { $ } from "./page.js";
import { isServed } from "./served.js";
import { Restarted } from "./tracer.js";
import { isMissing } from "./words.js";

export function fault(message, title = "This file cannot be shown") {
  $("#starting").hidden = true;
  $("#fault").hidden = false;
  $("#fault h2").textContent = title;
  $("#fault pre").textContent = message;
  // A program that serves a scene reads all files of the scene itself.
  $("#fault p").hidden = isServed || !isMissing(message);
}

/** Shows the error of a call, unless the restart of the worker already reported it. */
export function showError(error) {
  if (!(error instanceof Restarted)) fault(error.message);
}

export function hideFault() {
  $("#fault").hidden = true;
}

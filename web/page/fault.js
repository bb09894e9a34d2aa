// The message that says what failed.

import { $ } from "./page.js";
import { isServed } from "./served.js";
import { Restarted } from "./tracer.js";
import { isMissing } from "./words.js";

export function fault(message, title = "This file cannot be shown") {
  $("#starting").hidden = true;
  $("#fault").hidden = false;
  $("#fault h2").textContent = title;
  $("#fault pre").textContent = message;
  // A program that serves a scene reads what it names.
  $("#fault p").hidden = isServed || !isMissing(message);
}

/** Shows the error of a call, unless a new worker reported it already. */
export function showError(error) {
  if (!(error instanceof Restarted)) fault(error.message);
}

export function hideFault() {
  $("#fault").hidden = true;
}

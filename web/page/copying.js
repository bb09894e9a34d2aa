// Copies a text, and confirms it on the button.

import { say } from "./page.js";

export async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  answered(button, "Copied");
}

/** Shows a text on a button for a moment, in place of the button's own text. */
export function answered(button, text) {
  say(text);
  button.dataset.title ??= button.innerHTML;
  button.textContent = text;
  clearTimeout(button.answering);
  button.answering = setTimeout(() => { button.innerHTML = button.dataset.title; }, 600 + 40 * text.length);
}

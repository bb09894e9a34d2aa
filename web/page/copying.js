// Copies a text, and says so on the button that did it.

import { say } from "./page.js";

export async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  say("Copied");
  const before = button.innerHTML;
  button.textContent = "Copied";
  setTimeout(() => { button.innerHTML = before; }, 1200);
}

// The facts of a scene: its name, its shapes, its parts and its warnings.

import { $, say } from "./page.js";
import { names, state } from "./state.js";
import { isMissing, many } from "./words.js";

/** The largest number of kinds of shapes in the first line. */
const MOST_KINDS = 4;

export function showFacts() {
  const { scene, path } = state;
  const name = path.split("/").pop();
  const kinds = scene.census.slice(0, MOST_KINDS).map(([kind, count]) => many(count, kind)).join(", ");
  $("#facts").textContent = `${name}: ${kinds}${scene.census.length > MOST_KINDS ? ", …" : ""}`;
  $("#examples").value = state.example ?? "";
  $("#picture").setAttribute("aria-label", `Scene ${name} with ${many(scene.geometry_count, "shape")}`);
  document.title = `${name} · raytwin`;
  names.show(scene);
  showWarnings(scene.warnings);
  // A browser gives the page only the files that were chosen, and no other files of their folder.
  $("#missing").hidden = state.example !== null || !scene.warnings.some(isMissing);
  say(`${name} is loaded: ${kinds}`);
}

function showWarnings(texts) {
  const warnings = $("#warnings");
  warnings.hidden = texts.length === 0;
  warnings.querySelector("summary").textContent = many(texts.length, "warning");
  warnings.querySelector("ul").replaceChildren(...texts.map((textContent) => Object.assign(document.createElement("li"), { textContent })));
}

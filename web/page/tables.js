// The tables of answers by class. Wrong answers are in the first column, because a narrow screen does not show all columns.

const CLASSES = ["mismatch", "exact", "within", "tie", "silhouette", "range"];

function cell(name, text, className) {
  const element = document.createElement(name);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

function row(name, classes) {
  const element = document.createElement("tr");
  const head = cell("th", name);
  head.scope = "row";
  element.append(head);
  for (const of of CLASSES) {
    const number = classes[of];
    const className = number === 0 ? "none" : of === "mismatch" ? "bad" : "";
    element.append(cell("td", number === 0 ? "·" : number.toLocaleString("en"), className));
  }
  return element;
}

/** Fills a table with a row for each entry, and a row with their sum. */
export function fillTable(table, title, rows, total) {
  const head = document.createElement("tr");
  for (const name of [title, ...CLASSES]) {
    const element = cell("th", name);
    element.scope = "col";
    head.append(element);
  }
  const parts = ["thead", "tbody", "tfoot"].map((name) => document.createElement(name));
  parts[0].append(head);
  parts[1].append(...rows.map(([name, classes]) => row(name, classes)));
  parts[2].append(row("all", total));
  table.replaceChildren(...parts);
}

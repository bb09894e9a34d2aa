// The list of the scene's parts: named nodes with their geometries, or classes. Only the visible rows are elements, so a list may
// have hundreds of thousands of rows.

/** The height of a row, in pixels, as in the style sheet. */
const ROW = 30;
/** The number of rows above and below the visible rows that are elements too. */
const BEYOND = 8;

const ACTIONS = [
  { does: "hide", sign: "◌", title: "Hide", shows: "hidden" },
  { does: "isolate", sign: "◎", title: "Show alone", shows: "only" },
  { does: "lookThrough", sign: "◐", title: "Look through", shows: "glass" },
];

export class Names {
  constructor(section, light) {
    this.list = section.querySelector("ul");
    this.search = section.querySelector("[type=search]");
    this.kinds = section.querySelector(".kinds");
    this.empty = section.querySelector(".hint");
    this.light = light;
    this.nodes = [];
    this.found = [];
    this.marked = null;
    this.parts = { hidden: [], only: [], glass: [] };
    this.search.oninput = () => this.fill();
    this.list.onscroll = () => this.fillSight();
    new ResizeObserver(() => this.fillSight()).observe(this.list);
    for (const input of this.kinds.querySelectorAll("input")) input.onchange = () => this.fill();
  }

  /** Sets the actions of rows: `does.focus`, `does.hide`, `does.isolate` and `does.lookThrough`, each for a part. */
  prepare(does) {
    this.does = does;
  }

  /** Lists the parts of a scene. */
  show(scene) {
    this.nodes = partsOf(scene.geometries);
    this.classes = classesOf(scene);
    this.kinds.hidden = this.classes.length === 0;
    this.kinds.querySelector("input").checked = true;
    this.search.value = "";
    this.fill();
  }

  /** Marks the parts that are hidden, shown alone or transparent. */
  showParts(parts) {
    this.parts = parts;
    this.fillSight();
  }

  fill() {
    const wanted = this.search.value.trim().toLowerCase();
    const listed = this.kinds.querySelector("[value=classes]").checked ? this.classes : this.nodes;
    this.isFlat = wanted !== "";
    this.found = this.isFlat ? listed.filter(({ name }) => name.toLowerCase().includes(wanted)) : listed;
    this.empty.hidden = this.found.length > 0;
    this.list.scrollTop = 0;
    this.fillSight();
  }

  /** Makes the visible rows. */
  fillSight() {
    const { scrollTop, clientHeight } = this.list;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - BEYOND);
    const end = Math.min(this.found.length, Math.ceil((scrollTop + (clientHeight || 600)) / ROW) + BEYOND);
    this.list.style.setProperty("--above", `${first * ROW}px`);
    this.list.style.setProperty("--below", `${(this.found.length - end) * ROW}px`);
    const focused = this.list.contains(document.activeElement) ? document.activeElement.closest("li")?.dataset.row : undefined;
    this.list.replaceChildren(...this.found.slice(first, end).map((node, index) => this.row(node, first + index)));
    if (focused !== undefined) this.list.querySelector(`[data-row="${focused}"] button`)?.focus({ preventScroll: true });
  }

  row(node, index) {
    const item = document.createElement("li");
    item.dataset.row = index;
    item.ariaPosInSet = String(index + 1);
    item.ariaSetSize = String(this.found.length);
    const button = document.createElement("button");
    button.type = "button";
    button.title = `Show ${node.name}`;
    const name = document.createElement("span");
    name.textContent = this.isFlat ? node.name : node.last;
    const kind = document.createElement("small");
    kind.textContent = node.ids.length > 1 ? node.ids.length.toLocaleString("en") : node.kind;
    button.append(name, kind);
    button.style.paddingLeft = `${8 + (this.isFlat ? 0 : 14 * (node.depth - 1))}px`;
    button.onclick = () => this.does.focus(node);
    button.onkeydown = (event) => this.go(event, index);
    const isMarked = this.marked !== null && node.ids.length === 1 && node.ids[0] === this.marked;
    if (isMarked) button.setAttribute("aria-current", "true");
    item.onpointerenter = item.onfocusin = () => this.light(node.ids);
    item.onpointerleave = item.onfocusout = () => this.light([]);
    item.append(button, ...ACTIONS.map((action) => this.action(action, node)));
    return item;
  }

  action({ does, sign, title, shows }, node) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "action";
    button.textContent = sign;
    button.title = title;
    button.ariaLabel = `${title}: ${node.name}`;
    const texts = this.parts[shows];
    const isOn = texts.includes(node.name) || node.ids.every((id) => texts.includes(String(id)));
    button.setAttribute("aria-pressed", String(isOn));
    button.onclick = () => this.does[does](node);
    return button;
  }

  /** Moves the focus to the next or the previous row with the arrow keys. */
  go(event, index) {
    const next = index + ({ ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0);
    if (next === index || next < 0 || next >= this.found.length) return;
    event.preventDefault();
    this.reveal(next);
    this.list.querySelector(`[data-row="${next}"] button`)?.focus({ preventScroll: true });
  }

  reveal(index) {
    const { scrollTop, clientHeight } = this.list;
    if (index * ROW < scrollTop) this.list.scrollTop = index * ROW;
    else if ((index + 1) * ROW > scrollTop + clientHeight) this.list.scrollTop = (index + 1) * ROW - clientHeight;
    else return;
    this.fillSight();
  }

  /** Marks the part under the pointer in the picture. */
  mark(id) {
    if (id === this.marked) return;
    this.marked = id;
    this.fillSight();
  }
}

/** Returns the nodes of the tree of names, each after its parent. */
function partsOf(geometries) {
  const nodes = new Map();
  geometries.forEach(({ path, kind }, id) => {
    const parts = path === "" ? [`${kind} ${id}`] : path.split("/");
    let name = "";
    parts.forEach((last, index) => {
      name = index === 0 ? last : `${name}/${last}`;
      let node = nodes.get(name);
      if (!node) nodes.set(name, node = { name, last, depth: index + 1, ids: [], kind: "", isPath: path !== "" });
      node.ids.push(id);
      if (index === parts.length - 1) node.kind = kind;
    });
  });
  return [...nodes.values()];
}

/** Returns the classes of a scene's labels. */
function classesOf({ geometries, classes }) {
  const found = new Map();
  geometries.forEach(({ label }, id) => {
    if (label === 0) return;
    const name = classes[label] ?? `label ${label}`;
    if (!found.has(label)) found.set(label, { name, last: name, depth: 1, ids: [], kind: "", isPath: false });
    found.get(label).ids.push(id);
  });
  return [...found.entries()].sort(([a], [b]) => a - b).map(([, node]) => node);
}

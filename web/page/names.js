// The list of the scene's parts: named nodes, each with the geometries in it.

const SHOWN = 400;

export class Names {
  constructor(section, light) {
    this.list = section.querySelector("ul");
    this.search = section.querySelector("input");
    this.light = light;
    this.search.oninput = () => this.fill();
  }

  show({ geometries }) {
    const nodes = new Map();
    geometries.forEach(({ path, kind }, id) => {
      const parts = path === "" ? [`${kind} ${id}`] : path.split("/");
      for (let depth = 1; depth <= parts.length; depth += 1) {
        const name = parts.slice(0, depth).join("/");
        if (!nodes.has(name)) nodes.set(name, { name, last: parts[depth - 1], depth, ids: [], kind: "" });
        const node = nodes.get(name);
        node.ids.push(id);
        if (depth === parts.length) node.kind = kind;
      }
    });
    this.nodes = [...nodes.values()];
    this.search.value = "";
    this.fill();
  }

  fill() {
    const wanted = this.search.value.trim().toLowerCase();
    const found = this.nodes.filter(({ name }) => name.toLowerCase().includes(wanted));
    this.rows = found.slice(0, SHOWN).map((node) => this.row(node, wanted !== ""));
    const more = document.createElement("li");
    more.className = "hint";
    more.textContent = found.length > SHOWN ? `and ${found.length - SHOWN} more` : found.length === 0 ? "No part has such a name." : "";
    this.list.replaceChildren(...this.rows.map(({ item }) => item), more);
  }

  row(node, isFlat) {
    const item = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    const name = document.createElement("span");
    name.textContent = isFlat ? node.name : node.last;
    const kind = document.createElement("small");
    kind.textContent = node.ids.length > 1 ? `${node.ids.length}` : node.kind;
    button.append(name, kind);
    button.style.paddingLeft = `${8 + (isFlat ? 0 : 14 * (node.depth - 1))}px`;
    button.title = node.name;
    button.onpointerenter = button.onfocus = () => this.light(node.ids);
    button.onpointerleave = button.onblur = () => this.light([]);
    item.append(button);
    return { item, button, node };
  }

  /** Marks the part that is pointed at in the picture. */
  mark(id) {
    for (const { button, node } of this.rows ?? []) {
      const isIt = id !== null && node.ids.length === 1 && node.ids[0] === id;
      if (isIt) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }
}

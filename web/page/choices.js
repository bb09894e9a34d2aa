// The choices of a file: its cameras, the style of a molecule, and the visual or collision geometry of a robot.

const titled = (name) => name.replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());

/** Lists the cameras of the file. The last camera is the page's own, and is not listed. */
export function showCameras(select, cameras, go) {
  const own = cameras.slice(0, -1);
  select.hidden = own.length === 0;
  select.replaceChildren(
    Object.assign(new Option("Cameras", ""), { disabled: true, hidden: true }),
    ...own.map(({ name }, index) => new Option(name || `Camera ${index + 1}`, index)),
  );
  select.onchange = () => go(own[Number(select.value)]);
}

/** Shows the choices of a format. They call `choose` with a new value. */
export function showChoices(section, { styles, has_collision: hasCollision }, choose) {
  const choice = (title, name, values, chosen) => {
    const label = document.createElement("label");
    const select = Object.assign(document.createElement("select"), { name });
    select.append(...values.map((value) => new Option(titled(value), value)));
    select.onchange = () => choose({ [name]: chosen(select.value) });
    label.append(Object.assign(document.createElement("span"), { textContent: title }), select);
    return label;
  };
  const rows = [];
  if (styles.length > 0) rows.push(choice("Style", "style", styles, (style) => style));
  if (hasCollision) rows.push(choice("Geometry", "collision", ["visual", "collision"], (value) => value === "collision"));
  section.querySelector("div").replaceChildren(...rows);
}

/** The meanings of a picture's colours. The last one is only for scenes with classes. */
const COLORS = { own: "Own", id: "By id", group: "By link or node", label: "By class" };

/** Shows the choices of colours. They call `choose` with `by`, for colours of the page, or with `colors`, for colours of a molecule. */
export function showColors(select, { colors, classes }, { by, wishes }, choose) {
  const painted = Object.entries(COLORS)
    .filter(([value]) => (colors.length > 0 ? value === "id" : value !== "label" || Object.keys(classes).length > 0))
    .map(([value, title]) => new Option(title, value));
  select.replaceChildren(...colors.map((value) => new Option(`By ${value.replace("-", " ")}`, value)), ...painted);
  select.value = by === "own" ? wishes.colors ?? colors[0] ?? "own" : by;
  select.onchange = () => choose(colors.includes(select.value) ? { by: "own", colors: select.value } : { by: select.value });
}

/** Shows the choices with which the scene was read. */
export function showChosen(section, { style, collision }) {
  for (const select of section.querySelectorAll("div select")) {
    if (select.name === "collision") select.value = collision ? "collision" : "visual";
    else select.value = style ?? select.options[0].value;
  }
}

// What a file lets visitors choose: its cameras, the style of a molecule, and which geometry of a robot is shown.

const titled = (name) => name.replaceAll("-", " ").replace(/^./, (first) => first.toUpperCase());

/** Lists the file's own cameras, without the last one, which is the page's. */
export function showCameras(select, cameras, go) {
  const own = cameras.slice(0, -1);
  select.hidden = own.length === 0;
  select.replaceChildren(
    Object.assign(new Option("Cameras", ""), { disabled: true, hidden: true }),
    ...own.map(({ name }, index) => new Option(name || `Camera ${index + 1}`, index)),
  );
  select.onchange = () => go(own[Number(select.value)]);
}

/** Shows the choices that a format has. `choose` hears of the new value of one. */
export function showChoices(section, { styles, has_collision: hasCollision }, choose) {
  section.hidden = styles.length === 0 && !hasCollision;
  const choice = (title, options, chosen) => {
    const label = document.createElement("label");
    const name = Object.assign(document.createElement("span"), { textContent: title });
    const select = document.createElement("select");
    select.append(...options.map(([text, value]) => new Option(text, value)));
    select.onchange = () => choose(chosen(select.value));
    label.append(name, select);
    return label;
  };
  section.querySelector("div").replaceChildren(
    ...(styles.length > 0 ? [choice("Style", styles.map((style) => [titled(style), style]), (style) => ({ style }))] : []),
    ...(hasCollision ? [choice("Geometry", [["Visual", ""], ["Collision", "yes"]], (value) => ({ collision: value !== "" }))] : []),
  );
}

/** Shows what the scene was read by. */
export function showChosen(section, { style, collision }) {
  for (const select of section.querySelectorAll("select")) {
    const values = [...select.options].map(({ value }) => value);
    select.value = values.includes("yes") ? (collision ? "yes" : "") : (style ?? values[0]);
  }
}

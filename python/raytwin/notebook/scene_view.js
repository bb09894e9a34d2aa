// The view of a scene: the page in a frame, and a picture until the page shows the scene.

/** Shows a widget in an element of the notebook. */
async function render({ model, el }) {
  const { box, picture, note } = boxOf(model, el);
  box.style.setProperty("--height", `${model.get("_height")}px`);
  note.textContent = "This is a picture until the notebook's kernel answers. Run the cell for an interactive view.";
  let address;
  try {
    address = await pageAddress(model);
  } catch (error) {
    note.textContent = `This is a picture, because the interactive view failed: ${error.message}`;
    return;
  }
  const frame = document.createElement("iframe");
  frame.title = model.get("_told");
  // The page reads this property of its frame. A notebook that forbids frames keeps the picture.
  frame.raytwin = {
    async scene(joints) {
      try {
        const { head, buffers: [bytes] } = await ask(model, { ask: "scene", joints });
        return { head, bytes };
      } finally {
        // If there is an error, the page shows it.
        picture.remove();
        note.remove();
      }
    },
  };
  frame.src = address + model.get("_link");
  box.append(frame);
}

export default { render };

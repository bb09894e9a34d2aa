// The view of a scene: the page in a frame, and a picture until the page shows the scene.

/** Shows a widget in an element of the notebook. */
async function render({ model, el }) {
  const { box, picture, note } = boxOf(model, el);
  box.style.setProperty("--height", `${model.get("_height")}px`);
  note.textContent = "A picture until the notebook's kernel answers: run its cell for a view that turns.";
  let address;
  try {
    address = await pageAddress(model);
  } catch (error) {
    note.textContent = `A picture, because the view cannot be shown: ${error.message}`;
    return;
  }
  const frame = document.createElement("iframe");
  frame.title = model.get("_told");
  // The page finds this by the element that frames it. A notebook that forbids frames keeps the picture.
  frame.raytwin = {
    async scene(joints) {
      try {
        const { head, buffers: [bytes] } = await ask(model, { ask: "scene", joints });
        return { head, bytes };
      } finally {
        // The page tells an error, too.
        picture.remove();
        note.remove();
      }
    },
  };
  frame.src = address + model.get("_link");
  box.append(frame);
}

export default { render };

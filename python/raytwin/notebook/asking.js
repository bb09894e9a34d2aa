// Sends the requests of a view to its kernel, with messages that a notebook does not save.

const bytesOf = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

/** Sends a request to the kernel, and returns its answer with its buffers. Without a kernel it waits forever. */
function ask(model, question) {
  // All views of a widget, in all windows, receive each answer.
  const id = Math.random();
  return new Promise((resolve, reject) => {
    const hear = (answer, buffers) => {
      if (answer.id !== id) return;
      model.off("msg:custom", hear);
      if (answer.error) reject(new Error(answer.error));
      else resolve({ ...answer, buffers: buffers.map(bytesOf) });
    };
    model.on("msg:custom", hear);
    model.send({ ...question, id });
  });
}

/** Puts a widget's picture into a view, and returns the elements of the view. */
function boxOf(model, el) {
  const picture = document.createElement("img");
  picture.alt = model.get("_told");
  picture.src = URL.createObjectURL(new Blob([bytesOf(model.get("_picture"))], { type: "image/png" }));
  picture.onload = () => URL.revokeObjectURL(picture.src);
  const note = document.createElement("small");
  const box = document.createElement("div");
  box.className = "raytwin-view";
  box.append(picture, note);
  el.append(box);
  return { box, picture, note };
}

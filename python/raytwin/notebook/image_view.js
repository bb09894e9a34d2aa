// The view of an image: its picture, and a line with the values of the pixel under the pointer.

const MISS = 0xffffffff;

/** Shows a widget in an element of the notebook. */
async function render({ model, el }) {
  const { picture, note } = boxOf(model, el);
  const { size: [width, height], geometries, buffers } = await ask(model, { ask: "pixels" });
  // A buffer may begin at any byte of a message, so it is copied to an aligned address.
  const [distances, ids] = [new Float32Array(buffers[0].slice().buffer), new Uint32Array(buffers[1].slice().buffer)];
  const of = new Map(geometries.map((geometry) => [geometry.id, geometry]));
  const hint = "Move the pointer over the picture to see distances and ids.";
  note.textContent = hint;
  picture.onpointerleave = () => { note.textContent = hint; };
  picture.onpointermove = ({ offsetX, offsetY }) => {
    const scale = picture.naturalWidth / picture.clientWidth;
    const [x, y] = [Math.floor(offsetX * scale), Math.floor(offsetY * scale)];
    const index = y * width + x;
    // A picture may have a legend next to the image.
    const isInside = x >= 0 && x < width && y >= 0 && y < height;
    note.textContent = isInside ? `(${x}, ${y}): ${told(distances[index], ids[index], of.get(ids[index]))}` : hint;
  };
}

function told(distance, id, geometry) {
  if (id === MISS) return "no hit";
  // A hit may be no return, for example outside the sensor's range.
  const seen = Number.isFinite(distance) ? `distance ${Number(distance.toPrecision(7))}` : "no return";
  return `${geometry.path || geometry.type}, ${seen}, id ${id}`;
}

export default { render };

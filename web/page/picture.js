// The picture on the page, which is drawn tile by tile, with the ids and the distances of its pixels.

const MISS = 0xffffffff;
/** The largest number of pixels of a picture, so that software draws it in seconds. */
const MOST = 1_200_000;

export class Picture {
  constructor(canvas, overlay) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.context = canvas.getContext("2d");
    this.coarse = document.createElement("canvas");
    this.layered = document.createElement("canvas");
    this.lit = new Set();
  }

  /** Adopts the size that the page gives it. Returns false if the size is unchanged. */
  fit() {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return false;
    const wished = Math.min(devicePixelRatio, 2) * clientWidth * Math.min(devicePixelRatio, 2) * clientHeight;
    const scale = Math.min(devicePixelRatio, 2) * Math.min(1, Math.sqrt(MOST / wished));
    const [width, height] = [Math.max(1, Math.round(clientWidth * scale)), Math.max(1, Math.round(clientHeight * scale))];
    if (width === this.canvas.width && height === this.canvas.height) return false;
    for (const canvas of [this.canvas, this.overlay]) Object.assign(canvas, { width, height });
    this.ids = new Uint32Array(width * height).fill(MISS);
    this.distances = new Float32Array(width * height).fill(Infinity);
    return true;
  }

  size() {
    return { width: this.canvas.width, height: this.canvas.height };
  }

  /** Begins a picture. The old picture stays until the first tiles arrive. */
  begin() {
    this.fullRows = 0;
    this.overlay.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  put({ block, layer, size: [width, height], row, rows, rgba, ids, distances }) {
    const image = new ImageData(new Uint8ClampedArray(rgba.buffer), width, rows);
    if (block === 1) {
      if (width !== this.canvas.width || height !== this.canvas.height) return;
      if (layer) {
        this.putLayer(image, layer, row);
        return;
      }
      this.context.putImageData(image, 0, row);
      this.ids.set(ids, row * width);
      this.distances.set(distances, row * width);
      this.fullRows = row + rows;
      if (this.lit.size > 0) this.paintLit(row, row + rows);
      return;
    }
    // A coarse picture is drawn only after its last row arrives, so that two pictures are never mixed.
    if (row === 0) Object.assign(this.coarse, { width, height });
    this.coarse.getContext("2d").putImageData(image, 0, row);
    if (row + rows === height) {
      this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      this.context.imageSmoothingQuality = "high";
      this.context.drawImage(this.coarse, 0, 0, this.canvas.width, this.canvas.height);
    }
  }

  /** Shows the picture with better light after each complete layer. A single first layer is not shown, because it is coarser than the
   * current picture. */
  putLayer(image, [layer, layers], row) {
    const { width, height } = this.canvas;
    if (row === 0) Object.assign(this.layered, { width, height });
    this.layered.getContext("2d").putImageData(image, 0, row);
    if (row + image.height === height && (layer > 0 || layers === 1)) this.context.drawImage(this.layered, 0, 0);
  }

  /** Returns the pixel at a place of the page. */
  pixel([x, y]) {
    const { width, height } = this.size();
    const at = (place, shown, count) => Math.max(0, Math.min(count - 1, Math.floor((place * count) / shown)));
    return { x: at(x, this.canvas.clientWidth, width), y: at(y, this.canvas.clientHeight, height) };
  }

  middle() {
    const { width, height } = this.size();
    return { x: width >> 1, y: height >> 1 };
  }

  /** Highlights the pixels of these geometries. */
  light(ids) {
    this.lit = new Set(ids);
    this.overlay.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.lit.size > 0) this.paintLit(0, this.fullRows);
  }

  paintLit(from, to) {
    if (to <= from) return;
    const { width } = this.canvas;
    const [r, g, b] = getComputedStyle(this.canvas).getPropertyValue("--lit").trim().split(/\s+/).map(Number);
    const image = new ImageData(width, to - from);
    for (let index = 0; index < image.data.length / 4; index += 1) {
      if (this.lit.has(this.ids[from * width + index])) image.data.set([r, g, b, 150], 4 * index);
    }
    this.overlay.getContext("2d").putImageData(image, 0, from);
  }
}

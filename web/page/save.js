// Saves the picture: as it is shown, or as arrays of its answers, with the command that checks them.

import { diffCommand } from "./command.js";
import { saveFile } from "./saving.js";
import { isTogether } from "./words.js";

/** Paints the picture over the page's sky, as it is shown on the page. */
function asSeen(canvas) {
  const { width, height } = canvas;
  const sheet = Object.assign(document.createElement("canvas"), { width, height });
  const context = sheet.getContext("2d");
  const style = getComputedStyle(canvas);
  const sky = context.createLinearGradient(0, 0, 0, height);
  sky.addColorStop(0, style.getPropertyValue("--sky-above"));
  sky.addColorStop(0.72, style.getPropertyValue("--sky-below"));
  context.fillStyle = sky;
  context.fillRect(0, 0, width, height);
  context.drawImage(canvas, 0, 0);
  return new Promise((resolve) => { sheet.toBlob(resolve, "image/png"); });
}

/** Prepares the dialog. `now` returns the current state of the page, and `cast` returns the bytes of a `render.npz`. */
export function prepareSaving(dialog, { now, cast, copy, failed }) {
  const [sizes, asPng, asArrays] = ["select", "[data-save=png]", "[data-save=npz]"].map((what) => dialog.querySelector(what));
  const judge = dialog.querySelector("[data-of=judge]");
  const parse = (text) => { const [width, height] = text.split("x").map(Number); return { width, height }; };

  asPng.onclick = async () => saveFile("picture.png", await asSeen(now().canvas));
  asArrays.onclick = async () => {
    const { look, ...shown } = now();
    const size = parse(sizes.value);
    asArrays.disabled = true;
    try {
      const bytes = await cast(look, size);
      saveFile("render.npz", new Blob([bytes]));
      judge.querySelector("code").textContent = diffCommand({ ...shown, look, size });
      judge.hidden = isTogether(shown.path);
    } catch (error) {
      dialog.close();
      failed(error);
    } finally {
      asArrays.disabled = false;
    }
  };
  judge.querySelector("button").onclick = ({ currentTarget }) => copy(currentTarget, judge.querySelector("code").textContent);
  dialog.querySelector("[data-save=close]").onclick = () => dialog.close();

  return () => {
    const { width, height } = now().canvas;
    sizes.replaceChildren(
      new Option(`As shown, ${width} × ${height}`, `${width}x${height}`), new Option("640 × 480", "640x480"), new Option("1920 × 1080", "1920x1080"),
    );
    judge.hidden = true;
    dialog.showModal();
  };
}

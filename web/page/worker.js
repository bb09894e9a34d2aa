// Holds the scene and casts its rays, on the GPU or in float64, so that the page never waits.

import init, { Device, Files, Session } from "./raytwin_web.js";

/** A tile takes about so long, in milliseconds: then the worker looks for messages. */
const TILE_MS = 40;
/** The sides of the blocks that stand for a pixel, one picture after another; the last picture averages four rays a pixel. */
const BLOCKS = [8, 4, 2, 1, 0.5];

let device = null;
let session = null;
let drawing = 0;
let raysPerMs = 20;
/** True until the device has drawn this scene: the first coarse pictures need not wait for its kernels. */
let isCold = true;
let idle = Promise.resolve();

let memory = null;

const ready = init({ module_or_path: new URL("raytwin_web_bg.wasm", import.meta.url) }).then(async (module) => {
  memory = module.memory;
  if (!self.navigator.gpu || new URLSearchParams(self.location.search).has("cpu")) return "no WebGPU";
  try {
    device = await Device.open();
    return null;
  } catch (error) {
    return String(error.message ?? error);
  }
});

/** Gives other messages their turn. A timer would wait longer. */
const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const pause = () => new Promise((resolve) => { waiting.push(resolve); channel.port2.postMessage(0); });

async function load({ files, path, joints, served, width, height }) {
  const whyNoDevice = await ready;
  drawing += 1;
  await idle;
  const held = new Files();
  try {
    for (const file of files) held.add(file.path, file.bytes);
    const main = path ?? held.main();
    if (!main) {
      const names = files.map((file) => file.path).slice(0, 5).join(", ") || "nothing";
      throw new Error(`none of these files is a scene that raytwin reads: ${names}`);
    }
    const next = served
      ? Session.of_scene(served.bytes, served.told)
      : Session.load(held, main, JSON.stringify(joints ?? {}));
    let fallback = whyNoDevice;
    if (device) {
      try {
        await next.upload(device);
      } catch (error) {
        fallback = String(error.message ?? error);
      }
    }
    session?.free();
    session = next;
    raysPerMs = 20;
    isCold = true;
    return {
      scene: JSON.parse(session.describe(width, height)),
      path: main,
      device: fallback === null ? { gpu: true, name: device.name() } : { gpu: false, reason: fallback },
    };
  } finally {
    held.free();
  }
}

async function draw({ camera, width, height, kind, id }) {
  const mine = ++drawing;
  await idle;
  if (mine !== drawing || !session) return { cancelled: true };
  let finish;
  idle = new Promise((resolve) => { finish = resolve; });
  try {
    let range = [0, 1];
    const seen = [];
    for (const block of BLOCKS) {
      if (block < 1 && kind !== "shaded") continue;
      const size = [Math.max(1, Math.round(width / block)), Math.max(1, Math.round(height / block))];
      // A coarse picture is left out if a finer one is there as soon.
      // The first picture of distances tells their range.
      const measures = kind === "distance" && block === BLOCKS[0];
      if (block > 1 && !measures && (size[0] * size[1] * 4) / raysPerMs < TILE_MS / 2) continue;
      for (let row = 0; row < size[1];) {
        const even = block < 1 ? 2 : 1;
        const wished = Math.ceil((raysPerMs * TILE_MS) / size[0] / even) * even;
        const rows = Math.max(even, Math.min(size[1] - row, wished));
        const start = performance.now();
        const tile = await session.draw(new Float64Array(camera), size[0], size[1], row, rows, kind, ...range, block > 2 && isCold);
        isCold &&= block > 2;
        const took = Math.max(0.5, performance.now() - start);
        raysPerMs += 0.5 * ((size[0] * rows) / took - raysPerMs);
        if (mine !== drawing) { tile.free(); return { cancelled: true }; }
        const message = { event: "tile", draw: id, block, size, row, rows, rgba: tile.take_rgba() };
        if (block >= 1) Object.assign(message, { distances: tile.take_distances(), ids: tile.take_ids() });
        tile.free();
        if (measures) {
          seen.push(...message.distances);
          range = rangeOf(Float32Array.from(seen));
        }
        message.range = range;
        postMessage(message, [message.rgba.buffer]);
        row += rows;
        await pause();
        if (mine !== drawing) return { cancelled: true };
      }
    }
    return { done: true };
  } finally {
    finish();
  }
}

/** Returns a range that holds 95 of 100 distances: a horizon must not swallow what is near. */
function rangeOf(distances) {
  const hits = distances.filter((distance) => distance < Infinity).sort();
  return hits.length > 0 ? [hits[0], hits[Math.floor(0.95 * (hits.length - 1))]] : [0, 1];
}

function pick({ camera, width, height, x, y }) {
  if (!session) return null;
  return JSON.parse(session.pick(new Float64Array(camera), width, height, x, y));
}

const calls = { load, draw, pick, leaveDevice: () => { device = null; session?.leave_device(); }, memory: () => memory.buffer.byteLength };

self.onmessage = async ({ data }) => {
  const { id, call, ...parameters } = data;
  try {
    await ready;
    postMessage({ id, result: await calls[call]({ ...parameters, id }) });
  } catch (error) {
    // A trap of the module leaves it in no state to go on: the page starts another worker.
    const isBroken = error instanceof WebAssembly.RuntimeError;
    postMessage({ id, error: String(error.message ?? error), isBroken });
  }
};

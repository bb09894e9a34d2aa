// Holds the scene and casts its rays, on the GPU or in float64, so that the page never waits.

import { adapterName } from "./adapter.js";
import init, { Device, Files, Session, range_of } from "./raytwin_web.js";

/** A tile takes about so long, in milliseconds: then the worker looks for messages. */
const TILE_MS = 40;
/** The sides of the blocks that stand for a pixel, one picture after another; the last picture averages four rays a pixel. */
const BLOCKS = [8, 4, 2, 1, 0.5];
/** The side of the blocks by which the range of distances is measured beforehand. */
const MEASURED_BLOCK = 16;

let memory = null;
let device = null;
/** Why there is no device: `asked`, `no WebGPU`, `no adapter` or `failed`, and what the browser says. */
let whyNoDevice = null;
let deviceName = "";
let session = null;
let path = "";
let drawing = 0;
let raysPerMs = 20;
/** True until the device has drawn this scene: the first coarse pictures need not wait for its kernels. */
let isCold = true;
/** The upload of the scene, which goes on while the first coarse pictures are drawn. */
let uploaded = Promise.resolve();

const ready = init({ module_or_path: new URL("raytwin_web_bg.wasm", import.meta.url) }).then((module) => { memory = module.memory; });
const opened = ready.then(open);

async function open() {
  device = null;
  try {
    const why = new URLSearchParams(self.location.search).has("cpu") ? "asked" : await lacking();
    if (why) whyNoDevice = { why };
    else device = await Device.open();
  } catch (error) {
    whyNoDevice = failed(error);
  }
}

/** Returns what of WebGPU the browser lacks, if anything. */
async function lacking() {
  if (!self.navigator.gpu) return "no WebGPU";
  const adapter = await self.navigator.gpu.requestAdapter();
  if (!adapter) return "no adapter";
  deviceName = adapterName(adapter);
  return null;
}

const failed = (error) => ({ why: "failed", reason: String(error.message ?? error) });

/** Gives other messages their turn. A timer would wait longer. */
const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const pause = () => new Promise((resolve) => { waiting.push(resolve); channel.port2.postMessage(0); });

/** Does one work after another, because a scene must not be replaced while it is drawn. */
let last = Promise.resolve();
function inTurn(work) {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

/** Makes a session of a scene that a program has read, if there is one, or of files. */
const sessionOf = (served, read) => (served ? Session.of_scene(served.bytes, served.told) : read());

async function load({ files, path: wished, served, wishes, width, height }) {
  const held = new Files();
  try {
    for (const file of files) held.add(file.path, file.bytes);
    const main = wished ?? held.main();
    if (!main) {
      const names = files.map((file) => file.path).slice(0, 5).join(", ") || "nothing";
      throw new Error(`none of these files is a scene that raytwin reads: ${names}`);
    }
    await replace(sessionOf(served, () => Session.load(held, main, JSON.stringify(wishes))));
    isCold = true;
    raysPerMs = 20;
    path = main;
    return { scene: JSON.parse(session.describe(width, height)), path };
  } finally {
    held.free();
  }
}

/** Reads the same files by other wishes. What moved is drawn by the kernels that are compiled. */
async function readAgain({ served, wishes, width, height }) {
  await replace(sessionOf(served, () => session.read_again(JSON.stringify(wishes))));
  return { scene: JSON.parse(session.describe(width, height)), path };
}

function replace(next) {
  drawing += 1;
  return inTurn(async () => {
    await uploaded;
    session?.free();
    session = next;
    uploaded = upload();
  });
}

/** Takes the scene to the device, and tells the page what will draw it. */
async function upload() {
  await opened;
  let missing = whyNoDevice;
  try {
    if (device) await session.upload(device);
  } catch {
    // The device may have been lost since the last scene was taken to it.
    await open();
    missing = whyNoDevice;
    await (device && session.upload(device))?.catch((error) => { missing = failed(error); });
  }
  postMessage({ event: "device", device: missing === null ? { gpu: true, name: deviceName } : { gpu: false, ...missing } });
}

function draw({ camera, width, height, kind, id }) {
  const mine = ++drawing;
  const isOver = () => mine !== drawing || !session;
  const numbers = new Float64Array(camera);
  const at = (block) => [width, height].map((side) => Math.max(1, Math.round(side / block)));
  return inTurn(async () => {
    if (isOver()) return { cancelled: true };
    if (!isCold) await uploaded;
    let range = [0, 1];
    if (kind === "distance") {
      const size = at(MEASURED_BLOCK);
      const tile = await session.draw(numbers, ...size, 0, size[1], kind, ...range, isCold);
      range = Array.from(range_of(tile.take_distances()));
      tile.free();
    }
    for (const block of BLOCKS) {
      if (block < 1 && kind !== "shaded") continue;
      const size = at(block);
      // A coarse picture is left out if a finer one is there as soon.
      if (block > 1 && (size[0] * size[1] * 4) / raysPerMs < TILE_MS / 2) continue;
      if (block <= 2) await uploaded;
      for (let row = 0; row < size[1];) {
        const even = block < 1 ? 2 : 1;
        const wished = Math.ceil((raysPerMs * TILE_MS) / size[0] / even) * even;
        const rows = Math.max(even, Math.min(size[1] - row, wished));
        const start = performance.now();
        const tile = await session.draw(numbers, ...size, row, rows, kind, ...range, block > 2 && isCold);
        isCold &&= block > 2;
        const took = Math.max(0.5, performance.now() - start);
        raysPerMs += 0.5 * ((size[0] * rows) / took - raysPerMs);
        if (isOver()) { tile.free(); return { cancelled: true }; }
        const message = { event: "tile", draw: id, block, size, row, rows, range, rgba: tile.take_rgba() };
        if (block >= 1) Object.assign(message, { distances: tile.take_distances(), ids: tile.take_ids() });
        tile.free();
        postMessage(message, [message.rgba.buffer]);
        row += rows;
        await pause();
        if (isOver()) return { cancelled: true };
      }
    }
    return { done: true };
  });
}

function pick({ camera, width, height, x, y }) {
  if (!session) return null;
  return JSON.parse(session.pick(new Float64Array(camera), width, height, x, y));
}

/** Casts all pixels at full size, and returns them as a file. */
function save({ camera, width, height }) {
  drawing += 1;
  return inTurn(async () => {
    await uploaded;
    return session.save(new Float64Array(camera), width, height);
  });
}

function leaveDevice({ reason }) {
  device = null;
  whyNoDevice = { why: "failed", reason };
  session?.leave_device();
}

const calls = { load, readAgain, draw, pick, save, leaveDevice, memory: () => memory.buffer.byteLength };

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

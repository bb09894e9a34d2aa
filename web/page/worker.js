// Has the scene and casts its rays, on the GPU or in float64. It is a worker, so the page stays responsive.

import { adapterName, isSoftware } from "./adapter.js";
import init, { Device, Files, Session, range_of } from "./raytwin_web.js";

/** The intended time of a tile, in milliseconds. After each tile the worker reads messages. */
const TILE_MS = 40;
/** The sides of the blocks that share one ray, in pixels, for one picture after another. */
const BLOCKS = [8, 4, 2, 1];
/** The number of layers of a shaded picture, on a GPU and in software. Each layer casts its own rays to the sun and the sky. */
const LAYERS = { hardware: 16, software: 4 };
/** The side of the blocks, in pixels, for measuring the range of distances before drawing. */
const MEASURED_BLOCK = 16;

/** The time for which a view must not move before layers are drawn, in milliseconds. */
const REST_MS = 300;

let memory = null;
let device = null;
/** The reason why there is no device: `asked`, `no WebGPU`, `no adapter` or `failed`, with the browser's message. */
let whyNoDevice = null;
let deviceName = "";
let session = null;
let path = "";
let drawing = 0;
let raysPerMs = 20;
/** True until the device has drawn this scene. The first coarse pictures do not wait for its kernels. */
let isCold = true;
/** The upload of the scene, which runs while the first coarse pictures are drawn. */
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

/** Returns the part of WebGPU that the browser lacks, or null. */
async function lacking() {
  if (!self.navigator.gpu) return "no WebGPU";
  const adapter = await self.navigator.gpu.requestAdapter();
  if (!adapter) return "no adapter";
  deviceName = adapterName(adapter);
  return null;
}

const failed = (error) => ({ why: "failed", reason: String(error.message ?? error) });

/** Lets the worker read other messages. A timer would wait longer. */
const channel = new MessageChannel();
const waiting = [];
channel.port1.onmessage = () => waiting.shift()();
const pause = () => new Promise((resolve) => { waiting.push(resolve); channel.port2.postMessage(0); });

/** Does one task after another, because a scene must not be replaced while it is drawn. */
let last = Promise.resolve();
function inTurn(work) {
  const done = last.then(work);
  last = done.catch(() => {});
  return done;
}

/** Makes a session from a scene that a program has read, or otherwise from files. */
const sessionOf = (served, parts, read) => (served ? Session.of_scene(served.bytes, served.facts, parts) : read());

/** Describes the scene and lists its geometries, whose names may depend on the wishes. */
const described = (width, height) => ({
  scene: { ...JSON.parse(session.describe(width, height)), geometries: JSON.parse(session.geometries()) }, path,
});

async function load({ files, path: wished, served, wishes, parts, width, height }) {
  const held = new Files();
  try {
    for (const file of files) held.add(file.path, file.bytes);
    const main = wished ?? held.main();
    if (!main) {
      const names = files.map((file) => file.path).slice(0, 5).join(", ") || "nothing";
      throw new Error(`none of these files is a scene that raytwin reads: ${names}`);
    }
    const shown = JSON.stringify(parts);
    await replace(sessionOf(served, shown, () => Session.load(held, main, JSON.stringify(wishes), shown)));
    isCold = true;
    raysPerMs = 20;
    path = main;
    return described(width, height);
  } finally {
    held.free();
  }
}

/** Reads the same files with other wishes. The compiled kernels are used again for shapes that moved. */
async function readAgain({ served, wishes, parts, width, height }) {
  const shown = JSON.stringify(parts);
  await replace(sessionOf(served, shown, () => session.read_again(JSON.stringify(wishes), shown)));
  return described(width, height);
}

/** Shows other parts of the scene. */
const showParts = ({ parts }) => replace(session.with_parts(JSON.stringify(parts)));

function replace(next) {
  drawing += 1;
  return inTurn(async () => {
    await uploaded;
    session?.free();
    session = next;
    uploaded = upload();
  });
}

/** Sends the scene to the device, and reports to the page which device will draw it. */
async function upload() {
  await opened;
  let missing = whyNoDevice;
  try {
    if (device) await session.upload(device);
  } catch {
    // The device may have been lost since the last scene was sent to it.
    await open();
    missing = whyNoDevice;
    await (device && session.upload(device))?.catch((error) => { missing = failed(error); });
  }
  postMessage({ event: "device", device: missing === null ? { gpu: true, name: deviceName } : { gpu: false, ...missing } });
}

/** The error of a view that cannot be shown. It is not an error of the device. */
class NoView extends Error {}

function checkView(seen, width, height) {
  try {
    session?.check(seen, width, height);
  } catch (error) {
    throw new NoView(error.message);
  }
}

function draw({ look, width, height, paint, id }) {
  const mine = ++drawing;
  const isOver = () => mine !== drawing || !session;
  const seen = JSON.stringify(look);
  const { kind } = paint;
  checkView(seen, width, height);
  const at = (block) => [width, height].map((side) => Math.max(1, Math.round(side / block)));
  return inTurn(async () => {
    if (isOver()) return { cancelled: true };
    if (!isCold) await uploaded;
    let range = [0, 1];
    if (kind === "distance") {
      const size = at(MEASURED_BLOCK);
      const tile = await session.draw(seen, ...size, 0, size[1], JSON.stringify(paint), isCold);
      range = Array.from(range_of(tile.take_distances()));
      tile.free();
    }
    const painted = JSON.stringify({ ...paint, range });
    for (const block of BLOCKS) {
      const size = at(block);
      // A coarse picture is skipped if a finer one is ready just as soon.
      if (block > 1 && (size[0] * size[1] * 4) / raysPerMs < TILE_MS / 2) continue;
      if (block <= 2) await uploaded;
      for (let row = 0; row < size[1];) {
        const rows = rowsOf(size, row);
        const start = performance.now();
        const tile = await session.draw(seen, ...size, row, rows, painted, block > 2 && isCold);
        isCold &&= block > 2;
        learn(size[0] * rows, start);
        if (isOver()) { tile.free(); return { cancelled: true }; }
        const message = { event: "tile", draw: id, block, size, row, rows, range, rgba: tile.take_rgba() };
        Object.assign(message, { distances: tile.take_distances(), ids: tile.take_ids() });
        tile.free();
        postMessage(message, [message.rgba.buffer]);
        row += rows;
        await pause();
        if (isOver()) return { cancelled: true };
      }
    }
    if (kind === "shaded" && !(await refine(seen, painted, [width, height], id, isOver))) return { cancelled: true };
    return { done: true };
  });
}

/** Returns the number of rows of a tile that takes the intended time. */
const rowsOf = ([width, height], row) => Math.max(1, Math.min(height - row, Math.ceil((raysPerMs * TILE_MS) / width)));

/** Learns from a tile how many rays are cast in a millisecond. */
function learn(rays, start) {
  const took = Math.max(0.5, performance.now() - start);
  raysPerMs += 0.5 * (rays / took - raysPerMs);
}

/** Waits until the view has not moved for a while, so that turning the view is not slowed down. */
async function rested(isOver) {
  for (let waited = 0; waited < REST_MS && !isOver(); waited += REST_MS / 10) await new Promise((resolve) => { setTimeout(resolve, REST_MS / 10); });
}

/** Adds the layers of a shaded picture. Returns false if another picture is requested. */
async function refine(seen, painted, size, id, isOver) {
  await rested(isOver);
  if (isOver()) return false;
  const layers = device && !isSoftware(deviceName) ? LAYERS.hardware : LAYERS.software;
  const breadth = await session.breadth(seen, ...size);
  for (let layer = 0; layer < layers; layer += 1) {
    for (let row = 0; row < size[1];) {
      if (isOver()) return false;
      const rows = rowsOf(size, row);
      const start = performance.now();
      const rgba = await session.refine(seen, ...size, row, rows, painted, layer, layers, breadth);
      learn(size[0] * rows, start);
      if (isOver()) return false;
      postMessage({ event: "tile", draw: id, block: 1, layer: [layer, layers], size, row, rows, rgba }, [rgba.buffer]);
      row += rows;
      await pause();
    }
  }
  return true;
}

function pick({ look, width, height, x, y }) {
  if (!session) return null;
  return JSON.parse(session.pick(JSON.stringify(look), width, height, x, y));
}

const feature = ({ geometry, primitive, point, normal }) => JSON.parse(session.feature(geometry, primitive, point, normal));

const extentOf = ({ parts }) => JSON.parse(session.extent_of(parts));

/** Casts all pixels at full size, and returns them as a file. */
function save({ look, width, height }) {
  drawing += 1;
  return inTurn(async () => {
    await uploaded;
    return session.save(JSON.stringify(look), width, height);
  });
}

function leaveDevice({ reason }) {
  device = null;
  whyNoDevice = { why: "failed", reason };
  session?.leave_device();
}

const calls = {
  load, readAgain, showParts, draw, pick, feature, extentOf, save, leaveDevice,
  memory: () => memory.buffer.byteLength,
};

self.onmessage = async ({ data }) => {
  const { id, call, ...parameters } = data;
  try {
    await ready;
    postMessage({ id, result: await calls[call]({ ...parameters, id }) });
  } catch (error) {
    // After a trap, the module cannot continue, so the page starts another worker.
    const isBroken = error instanceof WebAssembly.RuntimeError;
    postMessage({ id, error: String(error.message ?? error), isBroken, isNoView: error instanceof NoView });
  }
};

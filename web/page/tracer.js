// The worker that has the scene, with calls that can be awaited.

const DEFECT = "which is a defect of raytwin: please report it";

/** The error of calls that ended because another worker was started. */
export class Restarted extends Error {}

/** The error of a view that cannot be shown. */
export class NoView extends Error {}

export class Tracer {
  /** Starts the worker. It calls `does.tile` for each drawn tile, `does.device` with the device that draws, and `does.restarted` with
   * the reason for a new worker. */
  constructor(address, does) {
    this.address = address;
    this.does = does;
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.next = 1;
    this.hasAnswered = false;
    this.worker = new Worker(this.address, { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => {
      event.preventDefault();
      if (this.hasAnswered) this.restart(`the tracer stopped, ${DEFECT}`);
      else this.fail(() => new Error(`the module cannot start: ${event.message ?? "see the browser's console"}`));
    };
  }

  /** Calls a function of the worker. */
  ask(call, parameters = {}) {
    const id = this.next++;
    if (call === "draw") this.drawing = id;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { call, resolve, reject });
      this.worker.postMessage({ id, call, ...parameters });
    });
  }

  receive(data) {
    this.hasAnswered = true;
    if (data.event === "tile") {
      if (data.draw === this.drawing) this.does.tile(data);
      return;
    }
    if (data.event === "device") {
      this.does.device(data.device);
      return;
    }
    const { call, resolve, reject } = this.waiting.get(data.id) ?? {};
    this.waiting.delete(data.id);
    if (data.isBroken) {
      const isOfFile = call === "load" || call === "readAgain";
      reject?.(new Restarted(data.error));
      this.restart(`${isOfFile ? "this file stopped its reader" : "the tracer stopped"}, ${DEFECT}`);
    } else if (data.error !== undefined) {
      reject?.(new (data.isNoView ? NoView : Error)(data.error));
    } else {
      resolve?.(data.result);
    }
  }

  /** Ends the worker and all calls, each with its own error. */
  fail(error) {
    this.worker.terminate();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject } of waiting) reject(error());
  }

  /** Starts another worker, which has no scene yet. */
  restart(reason) {
    this.fail(() => new Restarted(reason));
    this.start();
    this.does.restarted(reason);
  }
}

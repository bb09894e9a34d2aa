// The worker that holds the scene, as functions that can be awaited.

export class Tracer {
  constructor(address, onTile) {
    this.address = address;
    this.onTile = onTile;
    this.start();
  }

  start() {
    this.waiting = new Map();
    this.next = 1;
    this.worker = new Worker(this.address, { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.fail(`the module does not start: ${event.message ?? "see the browser's console"}`);
  }

  /** Calls a function of the worker. */
  ask(call, parameters = {}) {
    const id = this.next++;
    if (call === "draw") this.drawing = id;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, call, ...parameters });
    });
  }

  receive(data) {
    if (data.event === "tile") {
      if (data.draw === this.drawing) this.onTile(data);
      return;
    }
    const { resolve, reject } = this.waiting.get(data.id) ?? {};
    this.waiting.delete(data.id);
    if (data.isBroken) {
      reject?.(new Error("this file makes its reader stop, which is a defect of raytwin: please report it"));
      this.fail("the tracer was started again");
    } else if (data.error !== undefined) {
      reject?.(new Error(data.error));
    } else {
      resolve?.(data.result);
    }
  }

  /** Ends all calls, and starts another worker. */
  fail(reason) {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.start();
  }
}

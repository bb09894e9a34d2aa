// The scene of the program that shows this page: `raytwin view`, which serves the page and reads the scene again when its files
// change, or a notebook, which has the page in a frame.

/** The name of the scene in links. */
export const SERVED = "served";

/** The object through which a notebook's view talks to the page in its frame. */
const notebook = window.frameElement?.raytwin ?? null;

/** True if a scene comes with the page. */
export const isServed = notebook !== null || new URLSearchParams(location.search).has("served");

/** The version of the scene that was requested last. */
let seen = 0;

/** Requests the scene, with these values of its joints. Throws the scene's error if it has one. */
export async function servedScene(joints = {}) {
  const { head, bytes } = await (notebook ? notebook.scene(joints) : programScene(joints));
  const { version, name, typed, error, ...facts } = head;
  seen = version;
  if (error) throw new Error(error);
  return { name, typed, facts: JSON.stringify(facts), bytes };
}

async function programScene(joints) {
  const query = new URLSearchParams(Object.entries(joints).map(([name, value]) => [name, String(value)]));
  const message = new Uint8Array(await (await ask(`scene?${query}`)).arrayBuffer());
  const end = message.indexOf("\n".charCodeAt(0));
  return { head: JSON.parse(new TextDecoder().decode(message.subarray(0, end))), bytes: message.subarray(end + 1) };
}

/** Calls `changed` for each new version of the scene, and `ended` with whether the program has ended. Hidden tabs do not wait for
 *  versions, because a browser allows only a few connections to a server. */
export async function watchServed(changed, ended) {
  // A notebook shows the scene as it was at the time of the call.
  while (!notebook) {
    await shown();
    try {
      const version = await (await ask(`changes?since=${seen}`)).json();
      ended(false);
      if (version === seen) continue;
      seen = version;
      await changed();
    } catch {
      ended(true);
      // The computer may wake up, or a tunnel to another one may return, so the page tries again.
      await new Promise((resolve) => { setTimeout(resolve, 3000); });
    }
  }
}

async function ask(path) {
  const response = await fetch(new URL(path, import.meta.url)).catch(() => null);
  if (!response?.ok) throw new Error("raytwin view does not respond. Start it again, and open the address that it prints.");
  return response;
}

/** Waits until the tab is shown. */
async function shown() {
  while (document.hidden) {
    await new Promise((resolve) => { document.addEventListener("visibilitychange", resolve, { once: true }); });
  }
}

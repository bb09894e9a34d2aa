// The scene of who shows this page: of `raytwin view`, which serves it and reads the scene again whenever its files change, or of
// a notebook, which frames it.

/** The name by which links call the scene. */
export const SERVED = "served";

/** What a notebook's view gives the page that it frames. */
const notebook = window.frameElement?.raytwin ?? null;

/** True if a scene comes with the page. */
export const isServed = notebook !== null || new URLSearchParams(location.search).has("served");

/** The version of the scene that was asked for last. */
let seen = 0;

/** Asks for the scene, with these values of its joints. Its error is thrown. */
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

/** Calls a function for each new version of the scene, and another with whether the program has ended. Hidden tabs do not wait
 *  for versions, because a browser keeps only a few connections to a server. */
export async function watchServed(changed, ended) {
  // A notebook shows the scene as it was when it was asked to.
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
      // A machine that slept, or a tunnel to another one, may be back.
      await new Promise((resolve) => { setTimeout(resolve, 3000); });
    }
  }
}

async function ask(path) {
  const response = await fetch(new URL(path, import.meta.url)).catch(() => null);
  if (!response?.ok) throw new Error("raytwin view does not answer. Start it again, and open the address that it prints.");
  return response;
}

/** Waits until the tab is shown. */
async function shown() {
  while (document.hidden) {
    await new Promise((resolve) => { document.addEventListener("visibilitychange", resolve, { once: true }); });
  }
}

// The scene of `raytwin view`, which serves this page: the program reads it, and again whenever its files change.

/** The name by which links call the scene. */
export const SERVED = "served";

/** True if a program serves the page, and a scene with it. */
export const isServed = new URLSearchParams(location.search).has("served");

/** The version of the scene that was asked for last. */
let seen = 0;

/** Asks the program for the scene, with these values of its joints. Its error is thrown. */
export async function servedScene(joints = {}) {
  const query = new URLSearchParams(Object.entries(joints).map(([name, value]) => [name, String(value)]));
  const message = new Uint8Array(await (await ask(`scene?${query}`)).arrayBuffer());
  const end = message.indexOf("\n".charCodeAt(0));
  const { version, name, typed, error, ...told } = JSON.parse(new TextDecoder().decode(message.subarray(0, end)));
  seen = version;
  if (error) throw new Error(error);
  return { name, typed, told: JSON.stringify(told), bytes: message.subarray(end + 1) };
}

/** Calls a function for each new version of the scene, and another with whether the program has ended. Hidden tabs do not wait
 *  for versions, because a browser keeps only a few connections to a server. */
export async function watchServed(changed, ended) {
  for (;;) {
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

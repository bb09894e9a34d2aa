// Makes addresses for the page's files, which come from the kernel, so that no server is needed.

const TYPES = { css: "text/css", html: "text/html", js: "text/javascript", svg: "image/svg+xml", wasm: "application/wasm" };
const IMPORT = /\b(from|import) "\.\/([\w.-]+)"/g;
const FILE = /new URL\(([`"])([\w.-]+)(?:\$\{location\.search\})?\1, import\.meta\.url\)/g;

/** Returns the address of the page. All views of a notebook share it. */
async function pageAddress(model) {
  const pages = (globalThis.raytwinPages ??= {});
  const version = model.get("_page");
  return (pages[version] ??= addressOf(await filesOf(await ask(model, { ask: "page" }))));
}

async function filesOf({ names, buffers }) {
  const unpacked = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  return new Map(await Promise.all(names.map(async (name, index) => [name, await unpacked(buffers[index])])));
}

/**
 * Makes an address for each file, and returns the address of the page. Relative addresses do not work between these files, so each
 * file gets the full addresses of the files that it uses.
 */
function addressOf(files) {
  const text = (name) => new TextDecoder().decode(files.get(name));
  const made = (name, content) => URL.createObjectURL(new Blob([content], { type: TYPES[name.split(".").pop()] }));
  const module = (name, imported) => made(name, text(name)
    .replaceAll(IMPORT, (_, word, other) => `${word} "${imported(other)}"`)
    .replaceAll(FILE, (whole, _, other) => (files.has(other) ? `new URL("${address(other)}")` : whole)));

  const addresses = new Map();
  /** Returns the address of a file. Modules with an address belong to workers, and import other modules by address. */
  function address(name) {
    if (!addresses.has(name)) addresses.set(name, name.endsWith(".js") ? module(name, address) : made(name, files.get(name)));
    return addresses.get(name);
  }

  const page = new DOMParser().parseFromString(text("index.html"), "text/html");
  // The modules of a document may import one another in circles, so they import by name.
  const named = (name) => `raytwin/${name}`;
  const modules = [...files.keys()].filter((name) => name.endsWith(".js"));
  const imports = Object.fromEntries(modules.map((name) => [named(name), module(name, named)]));
  page.head.prepend(Object.assign(page.createElement("script"), { type: "importmap", textContent: JSON.stringify({ imports }) }));
  for (const script of page.querySelectorAll("script[src]")) {
    script.textContent = `import "${named(script.getAttribute("src"))}";`;
    script.removeAttribute("src");
  }
  for (const preload of page.querySelectorAll("link[rel=modulepreload]")) preload.remove();
  page.head.insertAdjacentHTML("beforeend", '<link rel="stylesheet" href="notebook.css">');
  for (const link of page.querySelectorAll("link[href]")) link.setAttribute("href", address(link.getAttribute("href")));
  for (const image of page.querySelectorAll("img[src]")) image.setAttribute("src", address(image.getAttribute("src")));
  return made("index.html", `<!doctype html>${page.documentElement.outerHTML}`);
}

// What a browser says of a GPU, for workers and pages.

/** Renderers that call themselves GPUs, and compute in software. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

export const isSoftware = (name) => SOFTWARE.test(name);

/** Returns the name of an adapter in words, as far as the browser gives it. */
export function adapterName({ info: { description, vendor, architecture } = {} }) {
  return description || [vendor, architecture].filter(Boolean).join(" ");
}

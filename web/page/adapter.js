// The information that a browser gives about a GPU, for workers and pages.

/** Software renderers that report themselves as GPUs. */
const SOFTWARE = /swiftshader|llvmpipe|lavapipe|basic render/i;

export const isSoftware = (name) => SOFTWARE.test(name);

/** Returns the name of an adapter, as far as the browser gives it. */
export function adapterName({ info: { description, vendor, architecture } = {} }) {
  return description || [vendor, architecture].filter(Boolean).join(" ");
}

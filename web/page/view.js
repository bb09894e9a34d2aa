// The view of the scene: the camera, the cut, the visible parts, and the colours.

import { state } from "./state.js";
import { length, sub } from "./vectors.js";

/** No part is hidden, shown alone, or transparent. */
export const ALL_PARTS = { hidden: [], only: [], glass: [] };

const isDark = matchMedia("(prefers-color-scheme: dark)");

/** Returns the camera and the cut for the module. */
export function look({ camera, scene, section } = state) {
  // A parallel camera is in front of the whole scene.
  const reach = scene ? 1.5 * (scene.radius + length(sub(scene.center, camera.target))) : 0;
  const { point, normal } = section ?? {};
  return { ...camera.look(reach), ...(section && { section: { point, normal } }) };
}

/** Returns the kind and the colours of the picture for the module. */
export const paint = () => ({ kind: state.kind, by: state.by, night: isDark.matches });

/** Calls a function when the page switches between dark and light. */
export const onNight = (does) => isDark.addEventListener("change", does);

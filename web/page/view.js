// How the visitor looks at the scene: the camera, the cut, the parts that are seen, and the colours.

import { state } from "./state.js";
import { length, sub } from "./vectors.js";

/** No part is hidden, alone, or looked through. */
export const ALL_PARTS = { hidden: [], only: [], glass: [] };

const isDark = matchMedia("(prefers-color-scheme: dark)");

/** Returns the camera and the cut as the module takes them. */
export function look({ camera, scene, section } = state) {
  // A parallel camera stands before all of the scene.
  const reach = scene ? 1.5 * (scene.radius + length(sub(scene.center, camera.target))) : 0;
  const { point, normal } = section ?? {};
  return { ...camera.look(reach), ...(section && { section: { point, normal } }) };
}

/** Returns what the picture shows, as the module takes it. */
export const paint = () => ({ kind: state.kind, by: state.by, night: isDark.matches });

/** Calls a function when the page becomes dark or light. */
export const onNight = (does) => isDark.addEventListener("change", does);

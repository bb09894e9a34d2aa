// Vectors with three numbers.

export const add = (a, b) => a.map((x, i) => x + b[i]);
export const sub = (a, b) => a.map((x, i) => x - b[i]);
export const times = (a, s) => a.map((x) => x * s);
export const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(...a);
export const unit = (a) => times(a, 1 / length(a));

/** Turns a vector about a unit axis (Rodrigues' formula). */
export function turned(vector, axis, angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return add(add(times(vector, c), times(cross(axis, vector), s)), times(axis, dot(axis, vector) * (1 - c)));
}

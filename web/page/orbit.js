// A camera that turns about a point. Its numbers are those of the flags --eye, --target, --up and --fov-y.

const add = (a, b) => a.map((x, i) => x + b[i]);
const sub = (a, b) => a.map((x, i) => x - b[i]);
const times = (a, s) => a.map((x) => x * s);
const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const length = (a) => Math.hypot(...a);
const unit = (a) => times(a, 1 / length(a));

/** Turns a vector about a unit axis (Rodrigues' formula). */
function turned(vector, axis, angle) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return add(add(times(vector, c), times(cross(axis, vector), s)), times(axis, dot(axis, vector) * (1 - c)));
}

export class Orbit {
  constructor({ eye, target, up, fov_y_degrees }, sceneUp) {
    this.eye = eye;
    this.target = target;
    const forward = unit(sub(target, eye));
    // A camera that looks along the scene's axis has another direction upwards.
    const fallback = Math.abs(sceneUp[1]) > 0.5 ? [0, 0, -1] : [0, 1, 0];
    this.up = up ?? (Math.abs(dot(forward, unit(sceneUp))) > 0.9999 ? fallback : sceneUp);
    this.fov = fov_y_degrees;
  }

  static of(numbers) {
    const [ex, ey, ez, tx, ty, tz, ux, uy, uz, fov] = numbers;
    return new Orbit({ eye: [ex, ey, ez], target: [tx, ty, tz], up: [ux, uy, uz], fov_y_degrees: fov }, [0, 0, 1]);
  }

  numbers() {
    return [...this.eye, ...this.target, ...this.up, this.fov];
  }

  frame() {
    const forward = unit(sub(this.target, this.eye));
    const right = unit(cross(forward, this.up));
    return { forward, right, up: cross(right, forward) };
  }

  /** Turns about the target, by angles in radians. It stops before it looks along its direction upwards. */
  turn(across, down) {
    const axis = unit(this.up);
    let offset = turned(sub(this.eye, this.target), axis, -across);
    const slope = Math.acos(Math.max(-1, Math.min(1, dot(unit(offset), axis))));
    const next = Math.max(0.03, Math.min(Math.PI - 0.03, slope - down));
    const right = unit(cross(axis, offset));
    offset = turned(offset, right, next - slope);
    this.eye = add(this.target, offset);
  }

  /** Moves the camera sideways, by shares of the picture's height. */
  pan(right, up) {
    const frame = this.frame();
    const size = 2 * length(sub(this.target, this.eye)) * Math.tan((this.fov * Math.PI) / 360);
    const move = add(times(frame.right, -right * size), times(frame.up, up * size));
    this.eye = add(this.eye, move);
    this.target = add(this.target, move);
  }

  zoom(factor) {
    this.eye = add(this.target, times(sub(this.eye, this.target), factor));
  }

  /** Returns where a point lies in a picture of that size, or nothing if it is behind the eye. */
  project(point, [width, height]) {
    const { forward, right, up } = this.frame();
    const offset = sub(point, this.eye);
    const depth = dot(offset, forward);
    if (depth <= 0) return null;
    const scale = height / (2 * depth * Math.tan((this.fov * Math.PI) / 360));
    return [width / 2 + dot(offset, right) * scale, height / 2 - dot(offset, up) * scale];
  }
}

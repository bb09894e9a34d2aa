// A camera that turns about a point. Its numbers are the values of the flags --eye, --target, --up and --fov-y.

import { add, cross, dot, length, sub, times, turned, unit } from "./vectors.js";

/** The smallest angle between the view and the upward axis while turning, in radians. */
const LEAST_SLOPE = 0.03;

export class Orbit {
  constructor({ eye, target, up, fov_y_degrees }, sceneUp) {
    this.eye = eye;
    this.target = target;
    const forward = unit(sub(target, eye));
    // A camera that looks along the scene's upward axis has another upward direction.
    const fallback = Math.abs(sceneUp[1]) > 0.5 ? [0, 0, -1] : [0, 1, 0];
    this.up = up ?? (Math.abs(dot(forward, unit(sceneUp))) > 0.9999 ? fallback : sceneUp);
    this.fov = fov_y_degrees;
    /** True for a camera without perspective. */
    this.isParallel = false;
    /** If the camera looks along the scene's upward axis: that axis, and the angle by which the camera leaves it. */
    this.pole = null;
  }

  static of(numbers) {
    const [ex, ey, ez, tx, ty, tz, ux, uy, uz, fov] = numbers;
    return new Orbit({ eye: [ex, ey, ez], target: [tx, ty, tz], up: [ux, uy, uz], fov_y_degrees: fov }, [0, 0, 1]);
  }

  numbers() {
    return [...this.eye, ...this.target, ...this.up, this.fov];
  }

  /** Returns the camera for the module. A parallel camera sees nothing behind its eye, so the eye moves back to see the whole scene. */
  look(reach) {
    const { eye, target, up } = this;
    if (!this.isParallel) return { eye, target, up, fov_y_degrees: this.fov };
    const back = Math.max(this.distance(), reach);
    return { eye: add(target, times(this.frame().forward, -back)), target, up, height: this.height() };
  }

  distance() {
    return length(sub(this.target, this.eye));
  }

  /** The visible height at the target. */
  height() {
    return 2 * this.distance() * Math.tan((this.fov * Math.PI) / 360);
  }

  frame() {
    const forward = unit(sub(this.target, this.eye));
    const right = unit(cross(forward, this.up));
    return { forward, right, up: cross(right, forward) };
  }

  /** Turns about the target, by angles in radians. It stops before the view is along the upward direction. */
  turn(across, down) {
    if (this.pole) this.leavePole();
    const axis = unit(this.up);
    let offset = turned(sub(this.eye, this.target), axis, -across);
    const slope = Math.acos(Math.max(-1, Math.min(1, dot(unit(offset), axis))));
    const next = Math.max(LEAST_SLOPE, Math.min(Math.PI - LEAST_SLOPE, slope - down));
    const right = unit(cross(axis, offset));
    offset = turned(offset, right, next - slope);
    this.eye = add(this.target, offset);
  }

  /** Moves the camera sideways, by shares of the picture's height. */
  pan(right, up) {
    const frame = this.frame();
    const size = this.height();
    this.moveTo(add(this.target, add(times(frame.right, -right * size), times(frame.up, up * size))));
  }

  zoom(factor) {
    this.eye = add(this.target, times(sub(this.eye, this.target), factor));
  }

  /** Looks at a point from the same side, and then turns about it. */
  moveTo(target) {
    this.eye = add(this.eye, sub(target, this.target));
    this.target = target;
  }

  /** Looks at a ball from the same side, so that the ball fills the picture. */
  frameBall({ center, radius }) {
    this.moveTo(center);
    const wanted = (1.15 * Math.max(radius, 1e-9)) / Math.sin((this.fov * Math.PI) / 360);
    this.zoom(wanted / this.distance());
  }

  /** Looks from the side that a vector points to. */
  lookFrom(side, sceneUp) {
    this.eye = add(this.target, times(unit(side), this.distance()));
    const height = dot(unit(side), unit(sceneUp));
    this.pole = null;
    this.up = sceneUp;
    if (Math.abs(height) < 0.9999) return;
    // From above and below, the scene's front (-y, or z if y is upwards) is at the lower edge of the picture.
    const back = Math.abs(sceneUp[1]) > 0.5 ? [0, 0, -1] : [0, 1, 0];
    this.up = times(back, Math.sign(height));
    this.pole = { up: sceneUp, tilt: Math.sign(height) * LEAST_SLOPE };
  }

  /** Leaves the scene's upward axis. A camera that looks along this axis cannot turn about it. */
  leavePole() {
    const { up, tilt } = this.pole;
    this.eye = add(this.target, turned(sub(this.eye, this.target), this.frame().right, tilt));
    this.up = up;
    this.pole = null;
  }

  /** Returns the place of a point in a picture of this size, or null if it is behind the eye. */
  project(point, [width, height]) {
    const { forward, right, up } = this.frame();
    const offset = sub(point, this.eye);
    const depth = dot(offset, forward);
    if (!this.isParallel && depth <= 0) return null;
    const seen = this.isParallel ? this.height() : 2 * depth * Math.tan((this.fov * Math.PI) / 360);
    const scale = height / seen;
    return [width / 2 + dot(offset, right) * scale, height / 2 - dot(offset, up) * scale];
  }
}

// Turns, moves and zooms with mouse, touch and keys.

/** A press that moves no farther than this, in pixels, is a click. */
const CLICK = 4;
const TURN = 0.006;
/** The longest time between the clicks of a double click, in milliseconds. */
const DOUBLE_MS = 350;

export function controls(canvas, does) {
  const pointers = new Map();
  let hasMoved = false;
  let last = { time: -Infinity, place: [0, 0] };
  const place = ({ offsetX, offsetY }) => [offsetX, offsetY];
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { distance: Math.hypot(a[0] - b[0], a[1] - b[1]), middle: [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2] };
  };

  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    if (pointers.size === 0) hasMoved = false;
    pointers.set(event.pointerId, place(event));
  };
  canvas.onpointermove = (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") does.point(place(event));
      return;
    }
    const now = place(event);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (!hasMoved && Math.hypot(dx, dy) < CLICK) return;
    hasMoved = true;
    canvas.classList.add("dragged");
    does.leave();
    if (pointers.size === 2) {
      const was = spread();
      pointers.set(event.pointerId, now);
      const is = spread();
      does.zoom(was.distance / Math.max(1, is.distance));
      does.pan((is.middle[0] - was.middle[0]) / canvas.clientHeight, (is.middle[1] - was.middle[1]) / canvas.clientHeight);
      return;
    }
    pointers.set(event.pointerId, now);
    if (event.shiftKey || event.buttons & 6) does.pan(dx / canvas.clientHeight, dy / canvas.clientHeight);
    else does.turn(TURN * dx, TURN * dy);
  };
  canvas.onpointerup = canvas.onpointercancel = (event) => {
    const isClick = !hasMoved && pointers.size === 1 && event.type === "pointerup" && event.button === 0;
    pointers.delete(event.pointerId);
    if (pointers.size === 0) canvas.classList.remove("dragged");
    if (isClick) does.press(place(event));
    // There is no event for a double tap.
    if (isClick) {
      const now = { time: event.timeStamp, place: place(event) };
      const isNear = Math.hypot(now.place[0] - last.place[0], now.place[1] - last.place[1]) < 3 * CLICK;
      if (isNear && now.time - last.time < DOUBLE_MS) does.center(now.place);
      last = now;
    }
  };
  // Lifting a finger also sends this event, but the answer at the tapped place must stay.
  canvas.onpointerleave = ({ pointerType }) => { if (pointerType !== "touch") does.leave(); };
  canvas.oncontextmenu = (event) => event.preventDefault();
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 16 : 1);
    does.zoom(Math.exp(0.0015 * pixels));
  }, { passive: false });

  const keys = {
    ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1],
  };
  canvas.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = keys[event.key];
    if (arrow && event.shiftKey) does.pan(-0.05 * arrow[0], -0.05 * arrow[1]);
    else if (arrow) does.turn(0.09 * arrow[0], 0.09 * arrow[1]);
    else if (event.key === "+" || event.key === "=") does.zoom(0.87);
    else if (event.key === "-") does.zoom(1.15);
    else if (event.key === "Home") does.home();
    else if (event.key === "Enter") does.middle();
    else if (event.key === "o" || event.key === "O") does.parallel();
    else if (event.key === "m" || event.key === "M") does.measure();
    else return;
    event.preventDefault();
  };
}

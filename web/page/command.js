// The commands of the program `raytwin` that print or check the answers on the page.

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function sceneArguments({ path, served, wishes, parts }) {
  // The program that serves a scene knows its own command line.
  return [served ? served.typed : fileArguments(path, wishes), ...partArguments(parts)].join(" ");
}

function fileArguments(path, wishes) {
  const joints = Object.entries(wishes.joints ?? {}).map(([name, value]) => `--joint ${quoted(`${name}=${value}`)}`);
  const style = wishes.style ? [`--style ${quoted(wishes.style)}`] : [];
  const colors = wishes.colors ? [`--colors ${quoted(wishes.colors)}`] : [];
  return [quoted(path), ...joints, ...style, ...colors, ...(wishes.collision ? ["--collision"] : [])].join(" ");
}

function partArguments({ hidden, only }) {
  return [...only.map((part) => `--only ${quoted(part)}`), ...hidden.map((part) => `--ignore ${quoted(part)}`)];
}

function cameraArguments({ eye, target, up, fov_y_degrees: angle, height }, size) {
  const projection = height === undefined ? `--fov-y ${angle}` : `--orthographic ${height}`;
  return `--size ${size.width}x${size.height} --eye ${eye} --target ${target} --up ${up} ${projection}`;
}

export function pickCommand({ picked: { look, size, pixel, ray, solid }, ...shown }) {
  // There are no flags for a cut, so the command gives the ray, whose range the cut limits.
  const asked = ray ? `--ray ${ray}${solid ? " --solid" : ""}` : `${cameraArguments(look, size)} --pixel ${pixel.x},${pixel.y}`;
  return `raytwin pick ${sceneArguments(shown)} --device cpu ${asked}`;
}

export function diffCommand({ look, size, ...shown }) {
  return `raytwin diff ${sceneArguments(shown)} --against render.npz ${cameraArguments(look, size)}`;
}

// The commands of the program that give, or judge, the answers that the page shows.

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function sceneArguments({ path, served, wishes }) {
  // The program that serves a scene tells how it was given.
  if (served) return served.typed;
  const joints = Object.entries(wishes.joints ?? {}).map(([name, value]) => `--joint ${quoted(`${name}=${value}`)}`);
  const style = wishes.style ? [`--style ${quoted(wishes.style)}`] : [];
  return [quoted(path), ...joints, ...style, ...(wishes.collision ? ["--collision"] : [])].join(" ");
}

function cameraArguments(camera, { width, height }) {
  const [ex, ey, ez, tx, ty, tz, ux, uy, uz, fov] = camera;
  return `--size ${width}x${height} --eye ${ex},${ey},${ez} --target ${tx},${ty},${tz} --up ${ux},${uy},${uz} --fov-y ${fov}`;
}

export function pickCommand({ path, served, wishes, picked: { camera, size, pixel } }) {
  return `raytwin pick ${sceneArguments({ path, served, wishes })} --device cpu ${cameraArguments(camera, size)} --pixel ${pixel.x},${pixel.y}`;
}

export function diffCommand({ path, served, wishes, camera, size }) {
  return `raytwin diff ${sceneArguments({ path, served, wishes })} --against render.npz ${cameraArguments(camera, size)}`;
}

// The command of the program that gives the answer that the page shows.

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export function pickCommand({ path, joints, served, picked: { camera, size, pixel } }) {
  const [ex, ey, ez, tx, ty, tz, ux, uy, uz, fov] = camera;
  const values = Object.entries(joints).map(([name, value]) => ` --joint ${quoted(`${name}=${value}`)}`);
  // The program that serves a scene tells how it was given.
  const scene = served?.typed ?? quoted(path) + values.join("");
  return `raytwin pick ${scene} --device cpu --size ${size.width}x${size.height} --eye ${ex},${ey},${ez} ` +
    `--target ${tx},${ty},${tz} --up ${ux},${uy},${uz} --fov-y ${fov} --pixel ${pixel.x},${pixel.y}`;
}

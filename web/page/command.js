// The command of the program that gives the answer that the page shows.

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

export function pickCommand({ path, joints, picked: { camera, size, pixel } }) {
  const [ex, ey, ez, tx, ty, tz, ux, uy, uz, fov] = camera;
  const values = Object.entries(joints).map(([name, value]) => `--joint ${quoted(`${name}=${value}`)} `);
  return `raytwin pick ${quoted(path)} ${values.join("")}--device cpu --size ${size.width}x${size.height} --eye ${ex},${ey},${ez} ` +
    `--target ${tx},${ty},${tz} --up ${ux},${uy},${uz} --fov-y ${fov} --pixel ${pixel.x},${pixel.y}`;
}

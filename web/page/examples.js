// The example scenes of the page, with the files that they need.

export const EXAMPLES = [
  { name: "robot-room", title: "A robot in a room", files: ["examples/scenes/robot_room.json", "examples/robots/arm.urdf"] },
  { name: "gallery", title: "Every shape", files: ["examples/scenes/gallery.json"] },
  { name: "pipe-rack", title: "A pipe rack", files: ["examples/scenes/pipe_rack.json"] },
  { name: "robot-cell", title: "A robot cell", files: ["examples/scenes/robot_cell.json"] },
  { name: "arm", title: "A robot arm (URDF)", files: ["examples/robots/arm.urdf"] },
  { name: "wrist", title: "A robot with meshes (URDF)", files: ["examples/meshes/wrist.urdf", "examples/meshes/gripper.dae"] },
  { name: "garden", title: "A garden (X3D)", files: ["examples/worlds/garden.x3d"] },
  { name: "train", title: "A toy train (glTF)", files: ["examples/gltf/toy_train.gltf"] },
  { name: "caffeine", title: "Caffeine (PDB)", files: ["examples/molecules/caffeine.pdb"] },
];

/** Downloads the files of an example. Its first file is the scene. */
export async function download(example) {
  return Promise.all(example.files.map(async (path) => {
    const response = await fetch(new URL(path, import.meta.url));
    if (!response.ok) throw new Error(`${path}: cannot be read: the server returned ${response.status} ${response.statusText}`);
    return { path, bytes: new Uint8Array(await response.arrayBuffer()) };
  }));
}

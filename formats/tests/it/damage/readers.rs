//! The readers of files, and the valid files of each.

use super::{Seed, cloud_seeds, mesh_seeds, seeds, world_seeds};
use raytwin_files::FileError;
use raytwin_files::points::PointReader;
use raytwin_files::rays::RayReader;
use raytwin_files::trajectories::read_trajectory;
use raytwin_formats::Options;
use std::path::Path;

/// A reader of one format.
pub struct Reader {
    pub name: &'static str,
    /// The name of the damaged file.
    pub file: &'static str,
    pub seeds: fn() -> Vec<Seed>,
    /// Reads the whole file, which lies in this folder.
    pub read: fn(&Path) -> Result<(), FileError>,
}

impl Reader {
    const fn new(
        name: &'static str,
        file: &'static str,
        seeds: fn() -> Vec<Seed>,
        read: fn(&Path) -> Result<(), FileError>,
    ) -> Self {
        Self { name, file, seeds, read }
    }

    /// Writes the files to which seeds refer into a folder.
    pub fn prepare(folder: &Path) {
        for grid in ["npy", "png"] {
            let shape = format!(
                r#"{{ "type": "heightfield", "file": "grid.{grid}", "center": [0, 0, 0], "spacing": [1, 1] }}"#
            );
            let scene = format!(r#"{{ "raytwin": 1, "shapes": [ {shape} ] }}"#);
            std::fs::write(folder.join(format!("{grid}.json")), scene).unwrap();
        }
        for (file, asset, geom) in [
            ("msh.xml", r#"<mesh name="a" file="a.msh"/>"#, r#"type="mesh" mesh="a""#),
            (
                "bin.xml",
                r#"<hfield name="a" file="a.bin" size="1 1 1 1"/>"#,
                r#"type="hfield" hfield="a""#,
            ),
        ] {
            let model = format!(
                "<mujoco><asset>{asset}</asset><worldbody><geom {geom}/></worldbody></mujoco>"
            );
            std::fs::write(folder.join(file), model).unwrap();
        }
        for (file, text) in PARTS {
            std::fs::write(folder.join(file), text).unwrap();
        }
        std::fs::write(folder.join("numbers.bin"), mesh_seeds::numbers()).unwrap();
        let [stl, ..] = &seeds::stl_text()[..] else { panic!("no seed") };
        std::fs::write(folder.join("part.stl"), stl.file()).unwrap();
    }
}

/// The files that a scene of a graph holds.
const PARTS: [(&str, &str); 4] = [
    (
        "part.sdf",
        "<sdf version='1.8'><model name='p'><link name='l'><pose>0 0 1 0 0 0</pose><visual name='v'>\
         <geometry><sphere><radius>1</radius></sphere></geometry></visual></link></model></sdf>",
    ),
    (
        "part.urdf",
        "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='1'/></geometry></collision></link>\
         <joint name='turn' type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
    ),
    (
        "part.xml",
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody>\
         <keyframe><key name='k' qpos='1'/></keyframe></mujoco>",
    ),
    (
        "part.json",
        r#"{ "raytwin": 1, "origin": [9, 0, 0],
             "shapes": [ { "type": "sphere", "center": [0, 0, 0], "radius": 1 } ] }"#,
    ),
];

pub const READERS: [Reader; 38] = [
    Reader::new("json", "a.json", seeds::json, |folder| scene(folder, "a.json")),
    Reader::new("bulk", "a.npz", seeds::bulk, |folder| scene(folder, "a.npz")),
    Reader::new("table-csv", "a.csv", seeds::table_csv, |folder| scene(folder, "a.csv")),
    Reader::new("table-parquet", "a.parquet", seeds::table_parquet, |f| scene(f, "a.parquet")),
    Reader::new("urdf", "a.urdf", seeds::urdf, |folder| scene(folder, "a.urdf")),
    Reader::new("mjcf", "a.xml", seeds::mjcf, |folder| scene(folder, "a.xml")),
    Reader::new("sdf", "a.sdf", world_seeds::sdf, |folder| scene(folder, "a.sdf")),
    Reader::new("x3d", "a.x3d", world_seeds::xml, |folder| scene(folder, "a.x3d")),
    Reader::new("vrml", "a.wrl", world_seeds::classic, |folder| scene(folder, "a.wrl")),
    Reader::new("mjcf-mesh", "a.msh", seeds::msh, |folder| scene(folder, "msh.xml")),
    Reader::new("mjcf-heights", "a.bin", seeds::hfield, |folder| scene(folder, "bin.xml")),
    Reader::new("pdb", "a.pdb", seeds::pdb, |folder| scene(folder, "a.pdb")),
    Reader::new("cif", "a.cif", seeds::cif, |folder| scene(folder, "a.cif")),
    Reader::new("xyz", "a.xyz", seeds::xyz, |folder| scene(folder, "a.xyz")),
    Reader::new("obj", "a.obj", seeds::obj, |folder| scene(folder, "a.obj")),
    Reader::new("stl-text", "a.stl", seeds::stl_text, |folder| scene(folder, "a.stl")),
    Reader::new("stl-binary", "a.stl", seeds::stl_binary, |folder| scene(folder, "a.stl")),
    Reader::new("ply-text", "a.ply", seeds::ply_text, |folder| scene(folder, "a.ply")),
    Reader::new("ply-binary", "a.ply", seeds::ply_binary, |folder| scene(folder, "a.ply")),
    Reader::new("dae", "a.dae", mesh_seeds::dae, |folder| scene(folder, "a.dae")),
    Reader::new("gltf", "a.gltf", mesh_seeds::gltf, |folder| scene(folder, "a.gltf")),
    Reader::new("glb", "a.glb", mesh_seeds::glb, |folder| scene(folder, "a.glb")),
    Reader::new("gltf-collision", "b.gltf", mesh_seeds::colliders, |f| colliders(f, "b.gltf")),
    Reader::new("heights-npy", "grid.npy", seeds::grid_npy, |folder| scene(folder, "npy.json")),
    Reader::new("heights-png", "grid.png", seeds::grid_png, |folder| scene(folder, "png.json")),
    Reader::new("rays-npy", "r.npy", seeds::rays_npy, |folder| rays(folder, "r.npy")),
    Reader::new("rays-npz", "r.npz", seeds::rays_npz, |folder| rays(folder, "r.npz")),
    Reader::new("rays-parquet", "r.parquet", seeds::rays_parquet, |f| rays(f, "r.parquet")),
    Reader::new("points-npy", "p.npy", seeds::points_npy, |folder| points(folder, "p.npy")),
    Reader::new("points-npz", "p.npz", seeds::points_npz, |folder| points(folder, "p.npz")),
    Reader::new("points-csv", "p.csv", cloud_seeds::csv, |folder| points(folder, "p.csv")),
    Reader::new("points-las", "p.las", cloud_seeds::las, |folder| points(folder, "p.las")),
    Reader::new("points-laz", "p.laz", cloud_seeds::laz, |folder| points(folder, "p.laz")),
    Reader::new("points-pcd", "p.pcd", cloud_seeds::pcd, |folder| points(folder, "p.pcd")),
    Reader::new("points-ply", "p.ply", cloud_seeds::ply, |folder| points(folder, "p.ply")),
    Reader::new("poses-csv", "t.csv", seeds::poses_csv, |folder| poses(folder, "t.csv")),
    Reader::new("poses-npy", "t.npy", seeds::poses_npy, |folder| poses(folder, "t.npy")),
    Reader::new("poses-tum", "t.tum", seeds::poses_tum, |folder| poses(folder, "t.tum")),
];

fn scene(folder: &Path, file: &str) -> Result<(), FileError> {
    raytwin_formats::load(folder.join(file), &Options::default()).map(drop)
}

fn colliders(folder: &Path, file: &str) -> Result<(), FileError> {
    let options = Options { collision: true, ..Options::default() };
    raytwin_formats::load(folder.join(file), &options).map(drop)
}

/// Reads rays in batches of 3, which end within the seeds' row groups and pages, and leave a smaller last batch.
fn rays(folder: &Path, file: &str) -> Result<(), FileError> {
    RayReader::open(folder.join(file))?.batches(3, |_| Ok(()))
}

fn points(folder: &Path, file: &str) -> Result<(), FileError> {
    let path = folder.join(file);
    if !file.ends_with(".npy") && !file.ends_with(".npz") {
        PointReader::open_with_columns(&path)?;
    }
    PointReader::open(path)?.batches(3, |_| Ok(()))
}

fn poses(folder: &Path, file: &str) -> Result<(), FileError> {
    read_trajectory(&folder.join(file)).map(drop)
}

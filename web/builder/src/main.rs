//! `cargo run -p raytwin-web-builder -- [FOLDER] [PROFILE]` builds the browser page into a folder,
//! `target/web` by default, from where any web server hosts it. It makes the module's JavaScript by
//! a library of the same version as the module's own, so that no tool needs to be installed.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let page = arguments.next().map_or_else(|| target.join("web"), PathBuf::from);
    let profile = arguments.next().unwrap_or_else(|| "wasm".to_owned());

    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let compiled = Command::new(cargo)
        .args(["build", "-p", "raytwin-web", "--target", TARGET, "--profile", &profile])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&root)
        .status()?;
    if !compiled.success() {
        return Err("the module was not compiled: see the errors above".into());
    }
    // Cargo's profile `dev` has a folder of another name.
    let folder = if profile == "dev" { "debug" } else { &profile };
    fs::create_dir_all(&page)?;
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(target.join(TARGET).join(folder).join("raytwin_web.wasm"))
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&page)?;
    copy_folder(&root.join("web/page"), &page)?;
    for example in EXAMPLES {
        let to = page.join(example);
        fs::create_dir_all(to.parent().unwrap_or(&page))?;
        fs::copy(root.join(example), to)?;
    }
    println!("built {}", page.display());
    Ok(())
}

/// The scenes that the page offers, with the files that they name, as `web/page/examples.js` lists
/// them.
const EXAMPLES: [&str; 10] = [
    "examples/gltf/toy_train.gltf",
    "examples/meshes/gripper.dae",
    "examples/meshes/wrist.urdf",
    "examples/molecules/caffeine.pdb",
    "examples/robots/arm.urdf",
    "examples/scenes/gallery.json",
    "examples/scenes/pipe_rack.json",
    "examples/scenes/robot_cell.json",
    "examples/scenes/robot_room.json",
    "examples/worlds/garden.x3d",
];

fn copy_folder(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

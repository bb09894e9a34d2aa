//! `cargo run -p raytwin-web-builder -- [FOLDER] [PROFILE]` builds the browser page into a folder, by
//! default `target/web`. Any web server can host this folder. The command also packs the page for later
//! builds of the program and the wheel. It generates the module's JavaScript with a library of the same
//! version as the module's own, so you do not need to install a tool.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

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
    // The folder of Cargo's profile `dev` has another name.
    let folder = if profile == "dev" { "debug" } else { &profile };
    // The page is assembled in an empty folder, because the whole folder is packed.
    let draft = target.join("web-draft");
    if draft.exists() {
        fs::remove_dir_all(&draft)?;
    }
    fs::create_dir_all(&draft)?;
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(target.join(TARGET).join(folder).join("raytwin_web.wasm"))
        .web(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(&draft)?;
    copy_folder(&root.join("web/page"), &draft)?;
    for example in EXAMPLES {
        let to = draft.join(example);
        fs::create_dir_all(to.parent().unwrap_or(&draft))?;
        fs::copy(root.join(example), to)?;
    }
    copy_folder(&draft, &page)?;
    let archive = root.join("cli/page/page.zip");
    pack(&draft, &archive)?;
    fs::copy(&archive, root.join("python/raytwin/page.zip"))?;
    println!(
        "built {}, and packed it for later builds of the program and the wheel",
        page.display()
    );
    Ok(())
}

/// Packs the page. The same page gives the same bytes, so that nothing needs to be recompiled.
fn pack(page: &Path, archive: &Path) -> Result<(), Box<dyn Error>> {
    let mut files = BTreeMap::new();
    list_files(page, "", &mut files)?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default());
    let draft = archive.with_extension("new");
    let mut written = ZipWriter::new(File::create(&draft)?);
    for (name, path) in files {
        written.start_file(name, options)?;
        written.write_all(&fs::read(path)?)?;
    }
    written.finish()?.sync_all()?;
    if fs::read(archive).is_ok_and(|before| fs::read(&draft).is_ok_and(|now| now == before)) {
        fs::remove_file(draft)?;
    } else {
        fs::rename(draft, archive)?;
    }
    Ok(())
}

fn list_files(
    folder: &Path,
    above: &str,
    files: &mut BTreeMap<String, PathBuf>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{above}{}", entry.file_name().display());
        if entry.file_type()?.is_dir() {
            list_files(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.insert(name, entry.path());
        }
    }
    Ok(())
}

/// The example scenes of the page, with the files that they refer to, as listed in
/// `web/page/examples.js`.
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

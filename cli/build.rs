//! Tells the compiler whether the browser page was built, which the program then holds.

use std::path::Path;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(has_page)");
    // The folder is in each checkout. A file that is not there would have this run at every build.
    println!("cargo::rerun-if-changed=page");
    if Path::new("page/page.zip").is_file() {
        println!("cargo::rustc-cfg=has_page");
    } else if Path::new("Cargo.toml.orig").is_file() {
        // Cargo compiles a package before it publishes it, and writes this file into each.
        println!(
            "cargo::error=this package was packed without the page, which `raytwin view` needs"
        );
    }
}

//! Writes the valid files of every reader into `fuzz/corpus`, from which its fuzz target starts.

use raytwin_fuzz::damage::READERS;
use std::path::Path;

fn main() -> std::io::Result<()> {
    for reader in &READERS {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(reader.name);
        std::fs::create_dir_all(&corpus)?;
        for (number, seed) in (reader.seeds)().iter().enumerate() {
            std::fs::write(corpus.join(format!("seed-{number}")), seed.file())?;
        }
    }
    Ok(())
}

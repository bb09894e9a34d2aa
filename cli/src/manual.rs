//! `raytwin completions` and `raytwin man`: what a shell and `man` need to know of the program,
//! made from its flags.

use super::Failure;
use super::console::Console;
use clap::{Args, Command};
use clap_complete::Shell;
use raytwin_files::FileError;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub(super) struct CompletionArguments {
    /// The shell that completes the program's flags.
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManualArguments {
    /// The folder for the pages, such as ~/.local/share/man/man1.
    folder: PathBuf,
}

/// Prints a shell's script of completions.
pub(super) fn completions(
    arguments: &CompletionArguments,
    mut program: Command,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "raytwin", &mut script);
    console.print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a page of the manual for the program and for each of its commands.
pub(super) fn pages(
    arguments: &ManualArguments,
    program: Command,
    console: &Console,
) -> Result<ExitCode, Failure> {
    let folder = &arguments.folder;
    let failure = |source| Failure::from(FileError::Write { path: folder.clone(), source });
    std::fs::create_dir_all(folder).map_err(failure)?;
    clap_mangen::generate_to(program, folder).map_err(failure)?;
    console.say(&format!("manual pages -> {}", folder.display()));
    Ok(ExitCode::SUCCESS)
}

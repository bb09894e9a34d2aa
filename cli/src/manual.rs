//! `raytwin completions` and `raytwin man`: the scripts for shells and the pages for `man`, made
//! from the flags of the program.

use super::Failure;
use super::console::Console;
use super::folders::folder_parser;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use raytwin_files::Outputs;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Args)]
#[command(before_help = "raytwin completions bash\nraytwin completions zsh")]
pub(super) struct CompletionArguments {
    /// The shell to print a script for.
    #[arg(help_heading = "Output")]
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(before_help = "raytwin man pages\nraytwin man share/man/man1")]
pub(super) struct ManualArguments {
    /// The folder for the pages, such as ~/.local/share/man/man1.
    #[arg(value_parser = folder_parser("the pages"), help_heading = "Output")]
    folder: PathBuf,
}

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
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().filter(|command| !command.is_hide_set());
    let mut outputs = Outputs::default();
    for command in commands.chain([&program]) {
        let page = Man::new(command.clone());
        outputs.add(&folder.join(page.get_filename()), |file| page.render(file))?;
    }
    console.publish(outputs)?;
    console.say(&format!("manual pages -> {}", folder.display()));
    Ok(ExitCode::SUCCESS)
}

//! The help of the program and of its commands: the order of its headings, and the place of
//! examples.

use clap::builder::Styles;
use clap::{Arg, ArgAction, Command};
use std::fmt::Write;

/// The headings of a command's options, in the order of the help. Each of the last ones is for one
/// kind of scene.
const HEADINGS: [&str; 19] = [
    "Input",
    "Camera",
    "Sensor",
    "Trajectory",
    "Rays",
    "Answers",
    "Overlaps",
    "Limits",
    "Faults",
    "Cases",
    "Measurement",
    "Browser",
    "Output",
    "Device",
    "Messages",
    "Robots",
    "MuJoCo models",
    "Molecules",
    "Lines and points of X3D, VRML and glTF",
];

/// The number of headings for one kind of scene. Only `--help` prints their options.
const KINDS: usize = 4;

/// The commands, as the program's own help lists them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Cast rays", &["render", "scan", "query", "points", "pick", "sample"]),
    ("Check answers", &["diff", "witness"]),
    ("Look at a scene", &["view", "info", "overlaps"]),
    ("Files", &["convert", "schema"]),
    ("Devices", &["devices", "bench"]),
    ("Program", &["completions", "man"]),
];

/// The help of a command. The text before its options is its examples.
const TEMPLATE: &str =
    "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// Returns the program's description with the help of all commands.
pub(super) fn described(program: Command) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .help("Print this summary; --help prints all options and details")
        .long_help("Print all options and details; -h prints a summary")
        .help_heading("Messages")
        .action(ArgAction::Help)
        .global(true);
    let program = program.disable_help_flag(true).arg(help).mut_subcommands(arranged);
    let template = template(&program);
    program.help_template(template)
}

/// Leaves the flags of these fields out of `-h`, for a command that seldom needs them.
pub(super) fn hidden(ids: &'static [&'static str]) -> impl Fn(Arg) -> Arg {
    move |argument| {
        let is_rare = ids.contains(&argument.get_id().as_str());
        let is_hidden = argument.is_hide_short_help_set() || is_rare;
        argument.hide_short_help(is_hidden)
    }
}

/// Returns the help of the program. It lists the commands in groups, which clap cannot print.
fn template(program: &Command) -> String {
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        let _ = write!(text, "\n{}", heading(title));
        for command in names.iter().filter_map(|name| program.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {:<12} {about}", command.get_name());
        }
    }
    let _ = write!(text, "\n{}{{options}}{{after-help}}", heading("Options"));
    text
}

/// Returns a command with its options sorted by heading, and its examples before them.
fn arranged(command: Command) -> Command {
    let number = |argument: &Arg| {
        let heading = argument.get_help_heading();
        HEADINGS.iter().position(|known| Some(*known) == heading)
    };
    let mut sorted: Vec<Arg> = command.get_arguments().cloned().collect();
    sorted.sort_by_key(|argument| {
        (number(argument), !argument.is_positional(), argument.get_index())
    });
    let examples = command.get_before_help().map(ToString::to_string).unwrap_or_default();
    let examples: String = examples.lines().map(|line| format!("\n  {line}")).collect();
    // Options of all commands have lower numbers, so they come first below their headings.
    let mut sorted = sorted.into_iter().zip(100..);
    command
        .before_help(format!("{}{}", heading("Examples").trim_end(), examples))
        .help_template(TEMPLATE)
        // The closure gets each option once, and returns the option of the same place in the order.
        .mut_args(|argument| match sorted.next() {
            Some((sorted, place)) => {
                let is_of_kind = number(&sorted) >= Some(HEADINGS.len() - KINDS);
                let is_hidden = sorted.is_hide_short_help_set() || is_of_kind;
                let sorted = sorted.display_order(place).hide_short_help(is_hidden);
                // Manual pages leave out the short help of hidden options.
                match (sorted.get_long_help(), sorted.get_help().cloned()) {
                    (None, Some(help)) if is_hidden => sorted.long_help(help),
                    _ => sorted,
                }
            }
            None => argument,
        })
}

/// Returns a line with a heading, as clap prints it.
fn heading(title: &str) -> String {
    let style = *Styles::styled().get_header();
    format!("{style}{title}:{style:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_in_one_group() {
        let program = crate::program();
        let mut known: Vec<&str> = program.get_subcommands().map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(known, listed);
    }

    #[test]
    fn each_option_has_a_heading_whose_place_is_known() {
        let mut program = crate::program();
        program.build();
        for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
            for argument in command.get_arguments() {
                let heading = argument.get_help_heading().unwrap_or_default();
                assert!(HEADINGS.contains(&heading), "{}: {argument}", command.get_name());
            }
        }
    }
}

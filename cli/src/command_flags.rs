//! The flags that a command takes, so that no message advises one that it lacks.

use clap::Command;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The flags of one command, such as `--out` and `-o`.
#[derive(Clone, Debug, Default)]
pub(super) struct CommandFlags(Arc<BTreeSet<String>>);

impl CommandFlags {
    /// Returns the flags of the command of this name, with those that all commands take.
    pub fn of(mut program: Command, name: &str) -> Self {
        program.build();
        let command = program.find_subcommand(name);
        let arguments = command.into_iter().flat_map(Command::get_arguments);
        let flags = arguments.flat_map(|argument| {
            let long = argument.get_long_and_visible_aliases().unwrap_or_default();
            let long = long.into_iter().map(|name| format!("--{name}"));
            long.chain(argument.get_short().map(|letter| format!("-{letter}")))
        });
        Self(Arc::new(flags.collect()))
    }

    /// Returns those of these flags, some with a value, that the command takes, to be put behind a
    /// message; an empty text if it takes none.
    pub fn advice(&self, flags: &[&str]) -> String {
        let is_taken = |flag: &&&str| self.0.contains(flag.split(' ').next().unwrap_or_default());
        let taken: Vec<&str> = flags.iter().filter(is_taken).copied().collect();
        if taken.is_empty() { String::new() } else { format!(" ({})", taken.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn a_message_advises_flags_of_its_command_alone() {
        let advice = |command, flags: &[&str]| {
            CommandFlags::of(crate::Cli::command(), command).advice(flags)
        };
        for (command, expected) in [
            ("query", " (-o, --cloud)"),
            ("points", " (-o)"),
            ("diff", " (-o)"),
            ("man", ""),
            ("view", ""),
            ("no command", ""),
        ] {
            assert_eq!(advice(command, &["-o", "--cloud"]), expected, "{command}");
        }
        assert_eq!(advice("info", &["--max-memory SIZE"]), " (--max-memory SIZE)");
        assert_eq!(advice("bench", &["--max-memory SIZE", "--origin auto"]), "");
        assert_eq!(advice("bench", &["--device cpu"]), " (--device cpu)");
    }
}

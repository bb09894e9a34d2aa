//! The flags that a command accepts, so that no message suggests a flag that it does not have.

use clap::Command;

/// The flags of one command, such as `--out` and `-o`. The description of all flags is built only
/// for a message, because most runs need none.
#[derive(Clone, Debug)]
pub(super) struct CommandFlags {
    program: fn() -> Command,
    name: String,
}

impl Default for CommandFlags {
    /// Returns the flags of no command.
    fn default() -> Self {
        Self::of(Command::default, "")
    }
}

impl CommandFlags {
    /// Returns the flags of the command with this name, and those that all commands accept.
    pub fn of(program: fn() -> Command, name: &str) -> Self {
        Self { program, name: name.to_owned() }
    }

    /// Returns the flags of a list, some with a value, that the command accepts, for the end of a
    /// message; an empty text if it accepts none.
    pub fn advice(&self, flags: &[&str]) -> String {
        if flags.is_empty() {
            return String::new();
        }
        let mut program = (self.program)();
        program.build();
        let is_taken = |flag: &&&str| {
            let name = flag.split(' ').next().unwrap_or_default();
            let command = program.find_subcommand(&self.name);
            command.into_iter().flat_map(Command::get_arguments).any(|argument| {
                let long = argument.get_long_and_visible_aliases().unwrap_or_default();
                long.iter().any(|long| name.strip_prefix("--") == Some(long))
                    || argument.get_short().is_some_and(|letter| name == format!("-{letter}"))
            })
        };
        let taken: Vec<&str> = flags.iter().filter(is_taken).copied().collect();
        if taken.is_empty() { String::new() } else { format!(" ({})", taken.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_advises_flags_of_its_command_alone() {
        let advice =
            |command, flags: &[&str]| CommandFlags::of(crate::program, command).advice(flags);
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

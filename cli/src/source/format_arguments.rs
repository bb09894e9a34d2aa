//! The flags for reading scenes of the different formats. They are derived from the options of the
//! formats.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, value_parser};
use raytwin_formats::{FormatOption, JointValue, OptionDescription, OptionField, Options};
use std::path::PathBuf;

/// The flags that only some formats use.
#[derive(Clone, Debug, Default)]
pub(super) struct FormatArguments {
    pub options: Options,
}

impl Args for FormatArguments {
    fn augment_args(command: Command) -> Command {
        command.args(FormatOption::ALL.iter().map(|&option| argument(option)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for FormatArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut arguments = Self::default();
        arguments.update_from_arg_matches(matches).map(|()| arguments)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for &option in FormatOption::ALL {
            set(self.options.field(option), matches, option.key());
        }
        Ok(())
    }
}

impl FormatArguments {
    /// Returns the flags that are given, as they are typed in a shell, before quoting.
    pub fn typed(&self) -> Vec<String> {
        let mut options = self.options.clone();
        let given = self.options.given();
        given.flat_map(|option| typed(flag_of(option), options.field(option))).collect()
    }
}

/// Returns the flag that gives an option.
pub(super) fn flag_of(option: FormatOption) -> String {
    format!("--{}", option.description().flag)
}

fn argument(option: FormatOption) -> Arg {
    let OptionDescription { key, heading, flag, value, help, more, .. } = option.description();
    let argument = Arg::new(key).long(flag).help(help).help_heading(heading);
    let argument = match more {
        "" => argument,
        more => argument.long_help(format!("{help}.\n\n{more}")),
    };
    let mut options = Options::default();
    let argument = match options.field(option) {
        OptionField::Switch(_) | OptionField::Without(_) => {
            return argument.action(ArgAction::SetTrue);
        }
        OptionField::Joints(_) => argument.value_parser(joint).action(ArgAction::Append),
        OptionField::Folders(_) => argument.value_parser(folder).action(ArgAction::Append),
        OptionField::NumberOrName(_) => argument,
        OptionField::File(_) => argument.value_parser(value_parser!(PathBuf)),
        OptionField::Groups(_) => argument
            .value_parser(value_parser!(u8).range(..=5))
            .value_delimiter(',')
            .action(ArgAction::Append),
        OptionField::Choice(choice) => {
            let names = choice.names();
            let named = move |text: &str| match names.contains(&text) {
                true => Ok(text.to_owned()),
                false => Err(format!("'{text}' must be one of {}", names.join(", "))),
            };
            argument.value_parser(named).default_values(choice.chosen())
        }
        OptionField::Number(_) => argument.value_parser(value_parser!(u32)),
        OptionField::Letter(_) => argument.value_parser(value_parser!(char)),
        OptionField::Radius(_) => argument.value_parser(radius),
    };
    argument.value_name(value)
}

/// Sets the field of an option to the value of its flag.
fn set(field: OptionField<'_>, matches: &ArgMatches, id: &str) {
    match field {
        OptionField::Switch(is_set) | OptionField::Without(is_set) => {
            *is_set = matches.get_flag(id)
        }
        OptionField::Joints(joints) => *joints = all(matches, id).unwrap_or_default(),
        OptionField::Folders(folders) => *folders = all(matches, id).unwrap_or_default(),
        OptionField::NumberOrName(given) => *given = matches.get_one(id).cloned(),
        OptionField::File(file) => *file = matches.get_one(id).cloned(),
        OptionField::Groups(groups) => *groups = all(matches, id),
        OptionField::Choice(choice) => {
            // Its parser accepts only names.
            if let Some(name) = matches.get_one::<String>(id) {
                choice.choose(name);
            }
        }
        OptionField::Number(number) => *number = matches.get_one(id).copied(),
        OptionField::Letter(letter) => *letter = matches.get_one(id).copied(),
        OptionField::Radius(radius) => *radius = matches.get_one(id).copied(),
    }
}

/// Returns all values of a flag, if it has any.
fn all<T: Clone + Send + Sync + 'static>(matches: &ArgMatches, id: &str) -> Option<Vec<T>> {
    matches.get_many(id).map(|values| values.cloned().collect())
}

/// Returns a flag with each of its values.
fn typed(flag: String, field: OptionField<'_>) -> Vec<String> {
    let values: Vec<String> = match field {
        OptionField::Switch(_) | OptionField::Without(_) => return vec![flag],
        OptionField::Joints(joints) => {
            joints.iter().map(|(name, value)| format!("{name}={value}")).collect()
        }
        OptionField::Folders(folders) => {
            let folders = folders.iter();
            folders.map(|(name, folder)| format!("{name}={}", folder.display())).collect()
        }
        OptionField::NumberOrName(given) => given.iter().cloned().collect(),
        OptionField::File(file) => file.iter().map(|it| it.display().to_string()).collect(),
        OptionField::Groups(groups) => {
            let groups: Vec<String> = groups.iter().flatten().map(u8::to_string).collect();
            vec![groups.join(",")]
        }
        OptionField::Choice(choice) => choice.chosen().map(str::to_owned).into_iter().collect(),
        OptionField::Number(number) => number.iter().map(u32::to_string).collect(),
        OptionField::Letter(letter) => letter.iter().map(char::to_string).collect(),
        OptionField::Radius(radius) => radius.iter().map(f64::to_string).collect(),
    };
    values.into_iter().flat_map(|value| [flag.clone(), value]).collect()
}

fn joint(text: &str) -> Result<(String, JointValue), String> {
    let parts = text.split_once('=');
    let value = parts.and_then(|(name, value)| Some((name.to_owned(), value.parse().ok()?)));
    value.ok_or_else(|| format!("'{text}' must be NAME=VALUE, such as elbow=1.57 or elbow=90deg"))
}

fn radius(text: &str) -> Result<f64, String> {
    let radius = text.parse().ok().filter(|radius| (1e-9..=1e9).contains(radius));
    radius.ok_or_else(|| format!("'{text}' must be a number from 1e-9 to 1e9"))
}

fn folder(text: &str) -> Result<(String, PathBuf), String> {
    let parts =
        text.split_once('=').filter(|(name, folder)| !name.is_empty() && !folder.is_empty());
    let package = parts.map(|(name, folder)| (name.to_owned(), PathBuf::from(folder)));
    package.ok_or_else(|| format!("'{text}' must be NAME=DIR, such as my_robot=src/my_robot"))
}

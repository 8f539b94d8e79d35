//! The filters of `list`, as options.

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::ops::issues::{LIST_OPTIONS, List, ListOption};

/// Everything that is given must hold.
#[derive(Debug)]
pub(in crate::cli) struct FilterArgs(pub(in crate::cli) List);

impl clap::Args for FilterArgs {
    fn augment_args(command: Command) -> Command {
        command.args(filters().map(|option| {
            let arg = Arg::new(option.long).long(option.long).help(option.help);
            let arg = if let Some(short) = option.short { arg.short(short) } else { arg };
            if !option.takes_value() {
                return arg.action(ArgAction::SetTrue);
            }
            arg.value_name(option.placeholder)
                .action(if option.repeats { ArgAction::Append } else { ArgAction::Set })
                .value_parser(move |text: &str| check(option, text))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn filters() -> impl Iterator<Item = &'static ListOption> {
    LIST_OPTIONS.iter().filter(|option| option.filters())
}

fn check(option: &ListOption, text: &str) -> Result<String, String> {
    match List::default().add(option, text) {
        Ok(()) => Ok(text.to_owned()),
        Err(wrong) => Err(wrong.expected),
    }
}

impl clap::FromArgMatches for FilterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Vec::new();
        for option in filters() {
            if option.takes_value() {
                let values = matches.get_many::<String>(option.long).into_iter().flatten();
                given.extend(values.map(|value| (option, value.as_str())));
            } else if matches.get_flag(option.long) {
                given.push((option, ""));
            }
        }
        let list = List::filtered(given);
        list.map(Self).map_err(|wrong| clap::Error::raw(ErrorKind::ValueValidation, wrong.what))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

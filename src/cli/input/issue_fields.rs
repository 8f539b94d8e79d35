//! The flags that set fields of an issue, shared by `new` and `edit`.

use std::convert::Infallible;

use clap::{Arg, ArgMatches, Command};

use crate::cli::{Failure, named, read_text};
use crate::model::{FieldValues, ISSUE_FIELDS};
use crate::ops::issues::{IssueInput, MemberChange, NewFields};
use crate::rules::limits;

/// Flags for fields.
#[derive(Debug, clap::Args)]
pub(crate) struct IssueFieldArgs {
    #[command(flatten)]
    values: FieldValueArgs,
    /// A tag; repeat, or separate several with commas. With `edit`, `-NAME` removes one
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    tags: Vec<MemberChange>,
    /// An issue that must be completed first; repeat, or separate several with commas. With `edit`, `-ID` removes one
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    depends_on: Vec<MemberChange>,
    /// An affected component; repeat, or separate several with commas. With `edit`, `-NAME` removes one
    #[arg(long = "component", value_name = "NAME", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    components: Vec<MemberChange>,
    /// A relation `TYPE:ID`: parent-child, discovered-from, relates-to, duplicates or supersedes. With `edit`, `-TYPE:ID` removes one
    #[arg(long = "relation", value_name = "TYPE:ID", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    relations: Vec<MemberChange>,
    /// URL of the discussion (http or https)
    #[arg(long, value_name = "URL", value_parser = parse_url)]
    source_url: Option<String>,
    /// Read fields from a JSON file (`-` for stdin); flags override it
    #[arg(long, value_name = "FILE")]
    from_json: Option<String>,
    /// The fields as JSON text
    #[arg(long, value_name = "JSON", hide = true, conflicts_with = "from_json")]
    data: Option<String>,
}

/// A flag for each field with one value.
#[derive(Debug)]
struct FieldValueArgs(FieldValues);

impl clap::Args for FieldValueArgs {
    fn augment_args(command: Command) -> Command {
        command.args(ISSUE_FIELDS.iter().map(|field| {
            let flag = Arg::new(field.name).long(field.word).value_name(field.placeholder).help(field.help);
            let flag = flag.value_parser(move |text: &str| field.check(text).map(|()| text.to_owned()));
            if let Some(short) = field.short { flag.short(short) } else { flag }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for FieldValueArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut values = FieldValues::default();
        for field in &ISSUE_FIELDS {
            if let Some(text) = matches.get_one::<String>(field.name) {
                let wrong = |expected| clap::Error::raw(clap::error::ErrorKind::ValueValidation, expected);
                values.set(field, text.clone()).map_err(wrong)?;
            }
        }
        Ok(Self(values))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn parse_url(text: &str) -> Result<String, String> {
    limits::web_address(text).map(str::to_owned).map_err(|_| "a URL begins with http:// or https://".into())
}

/// `-name` removes a member, `name` adds one.
#[allow(clippy::unnecessary_wraps)] // clap requires a `Result`.
fn parse_member(text: &str) -> Result<MemberChange, Infallible> {
    let text = text.trim();
    Ok(match text.strip_prefix('-') {
        Some(name) => MemberChange::Remove(name.to_owned()),
        None => MemberChange::Add(text.to_owned()),
    })
}

impl IssueFieldArgs {
    /// The fields from the flags and from the JSON file that they name.
    pub(crate) fn read(self) -> Result<NewFields, Failure> {
        let json = match (&self.from_json, &self.data) {
            (Some(path), _) => Some(IssueInput::parse(&read_text(path)?, &named(path))?),
            (None, Some(text)) => Some(IssueInput::parse(text, "`--data`")?),
            (None, None) => None,
        };
        Ok(NewFields {
            json,
            values: self.values.0,
            tags: self.tags,
            depends_on: self.depends_on,
            components: self.components,
            relations: self.relations,
            source_url: self.source_url,
        })
    }
}

//! The flags that set fields of an issue, shared by `new` and `edit`.

use std::convert::Infallible;

use super::list_filter::parse_priority;
use crate::cli::{Failure, named, read_text};
use crate::model::Priority;
use crate::ops::issues::{IssueInput, MemberChange, NewFields};
use crate::rules::limits;

/// Flags for fields.
#[derive(Debug, clap::Args)]
pub(crate) struct IssueFieldArgs {
    /// 1 to 5, or critical, high, medium, low, trivial
    #[arg(short, long, value_name = "PRIORITY", value_parser = parse_priority)]
    priority: Option<Priority>,
    /// A tag; repeat, or separate several with commas. `-NAME` removes one
    #[arg(short, long = "tag", value_name = "TAG", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    tags: Vec<MemberChange>,
    /// An issue that must be completed first; repeat, or separate several with commas. `-ID` removes one
    #[arg(long, value_name = "ID", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    depends_on: Vec<MemberChange>,
    /// An affected component; repeat, or separate several with commas. `-NAME` removes one
    #[arg(long = "component", value_name = "NAME", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    components: Vec<MemberChange>,
    /// A relation `TYPE:ID`: parent-child, discovered-from, relates-to, duplicates or supersedes. `-TYPE:ID` removes one
    #[arg(long = "relation", value_name = "TYPE:ID", value_delimiter = ',', value_parser = parse_member, allow_hyphen_values = true)]
    relations: Vec<MemberChange>,
    /// Assignee; an empty string clears it
    #[arg(long, value_name = "PERSON")]
    assignee: Option<String>,
    /// Type: bug, feature, task, or any other word your team uses
    #[arg(long = "type", value_name = "TYPE")]
    issue_type: Option<String>,
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
            priority: self.priority,
            tags: self.tags,
            depends_on: self.depends_on,
            components: self.components,
            relations: self.relations,
            assignee: self.assignee,
            issue_type: self.issue_type,
            source_url: self.source_url,
        })
    }
}

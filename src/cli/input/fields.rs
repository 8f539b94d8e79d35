//! The options `--fields` and `--format`.

/// Which fields of an answer to print, and how.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct FieldArgs {
    /// Print only these fields, such as `id,title` (the names of --json): JSON with --json, otherwise one line per
    /// record
    #[arg(long, value_name = "FIELD", value_delimiter = ',', value_parser = super::text::trimmed)]
    pub(crate) fields: Vec<String>,
    /// Print one line in this form for each record, with `%(FIELD)` for a field that --json has, as in `git for-each-ref`;
    /// `%%` is a percent sign, `%09` a tab
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["fields", "json"])]
    pub(crate) format: Option<String>,
}

impl FieldArgs {
    /// Whether only some fields are asked for.
    pub(crate) fn is_given(&self) -> bool {
        self.format.is_some() || !self.fields.is_empty()
    }
}

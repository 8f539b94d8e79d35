//! The option `--fields`.

/// Which fields of an answer to print.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct FieldArgs {
    /// Print only these fields, such as `id,title` (the names of --json): JSON with --json, otherwise one line per
    /// record
    #[arg(long, value_name = "FIELD", value_delimiter = ',', value_parser = super::text::trimmed)]
    pub(crate) fields: Vec<String>,
}

//! The option `--fields`.

/// Which fields of an answer to print.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct FieldArgs {
    /// Print only these fields, such as `id,title`, under the names and in the form that --json has; without it, one line
    /// for each record
    #[arg(long, value_name = "FIELD", value_delimiter = ',', value_parser = super::text::trimmed)]
    pub(crate) fields: Vec<String>,
}

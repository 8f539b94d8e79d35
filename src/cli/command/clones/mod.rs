//! Commands that exchange the store with other clones.

pub(in crate::cli) mod conflicts;
pub(in crate::cli) mod pull;
pub(in crate::cli) mod push;
pub(in crate::cli) mod sync;

/// The remote of a command.
#[derive(Debug, clap::Args)]
struct RemoteArg {
    /// The remote (default: `wf.remote`, or the remote of the fetch refspec, or the only remote)
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
}

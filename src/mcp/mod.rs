//! The front end for agents: a server of the Model Context Protocol on stdin and stdout.
//!
//! Every request is answered by operations, each on a thread of its own with its own session. The tools are in
//! [`tools`], one file each.
//!
//! `git wf mcp` hands its environment to `mcp/mod.rs`. `wire.rs` reads and writes messages, `server.rs` dispatches them,
//! and `call.rs` runs each on a thread of its own, with a session for its directory (`folders.rs`). A tool is a file in
//! `src/mcp/tools/` and a row of the table there, with the operations that it performs: a role has a tool if it may
//! perform one of them. Its schemas come from the types of its input and answer. `watch.rs` looks at the files of the ref
//! (`trail/watched.rs`), and reads what is watched again when one of them changed.

mod bounds;
mod call;
mod completion;
mod folders;
mod progress;
mod prompts;
mod refused;
mod resources;
mod schema;
mod server;
mod tool_for;
mod tools;
mod watch;
mod wire;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use rmcp::ServiceExt;

use crate::git::Environment;
use crate::model::RemedyCall;
use crate::store::Acting;
use refused::Voice;
use server::McpServer;
use tools::Allowed;
use wire::Wire;

/// How a server serves.
pub(crate) struct McpSettings {
    /// The directory in which it was started.
    pub(crate) folder: PathBuf,
    /// The environment of the process.
    pub(crate) environment: Environment,
    /// Who acts.
    pub(crate) acting: Acting,
    /// The role in which they act; `None` for an owner.
    pub(crate) role: Option<String>,
    /// Whether an agent of a run acts.
    pub(crate) is_in_run: bool,
    /// Whether only tools that change nothing are offered.
    pub(crate) is_read_only: bool,
    /// Spells out a call as a command, for what no tool does.
    pub(crate) spell: fn(&RemedyCall) -> String,
}

impl McpSettings {
    /// What the client may call.
    fn allowed(&self) -> Allowed<'_> {
        Allowed { role: self.role.as_deref(), is_in_run: self.is_in_run, is_read_only: self.is_read_only }
    }

    /// How calls are written for the client.
    fn voice(&self) -> Voice<'_> {
        Voice { spell: self.spell, allowed: self.allowed() }
    }
}

/// Calls beyond this number wait for others to end: of those that only read, and of the rest.
const MOST_CALLS: usize = 16;
/// How long calls may take to end after the client is gone: a test command gets two seconds before it is killed.
const ENDING: Duration = Duration::from_secs(5);

/// Serves until the client closes stdin.
///
/// # Errors
/// The runtime cannot be started, or the client does not speak the protocol.
pub(crate) fn serve(settings: McpSettings) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(2 * MOST_CALLS)
        .build()?;
    let (wire, writer) = Wire::on_stdio();
    let served = runtime.block_on(async {
        match McpServer::new(settings).serve(wire).await {
            Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
            // A client that only tests whether the server starts closes stdin at once.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    // Dropping the calls that still run tells them to stop.
    runtime.shutdown_timeout(ENDING);
    writer.finish();
    served
}

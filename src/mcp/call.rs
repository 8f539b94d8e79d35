//! Runs a call on a thread of its own, with its own session.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::progress::{ProgressSteps, forward};
use super::tools::Call;
use super::{McpSettings, folders};
use crate::model::{Caller, Code, Detail, SessionProtocol};
use crate::ops::{Notice, Refusal, Session};
use crate::store::Store;

/// What a call needs to begin.
pub(super) struct CallJob {
    pub(super) settings: Arc<McpSettings>,
    /// The directories that the client works in; empty if it does not say.
    pub(super) roots: Vec<PathBuf>,
    /// The directory that the call names.
    pub(super) directory: Option<String>,
    /// The client and its version.
    pub(super) client: Option<String>,
}

/// A call was cancelled while it waited for its turn.
pub(super) fn not_begun() -> Refusal {
    Refusal::new(Code::Interrupted, "the call was cancelled before it began").hint("call it again")
}

/// Tells a call to stop when dropped.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl CallJob {
    /// Runs the call. If the client cancels it, its test command is ended, and it no longer waits for a remote. Progress is
    /// sent before the answer.
    ///
    /// # Errors
    /// A directory without a repository, or outside of the client's roots; the errors of `work`.
    pub(super) async fn run<T: Send + 'static>(
        self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Call<'_>) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let stop = Arc::new(AtomicBool::new(false));
        let given_up = StopOnDrop(Arc::clone(&stop));
        let (steps, sent) = match context.meta.get_progress_token() {
            Some(token) => {
                let (steps, sent) = ProgressSteps::sent();
                (steps, Some((sent, token)))
            }
            None => (ProgressSteps::silent(), None),
        };
        let thread = tokio::task::spawn_blocking(move || self.on_this_thread(&steps, stop, work));
        let telling = async {
            if let Some((sent, token)) = sent {
                forward(sent, context.peer.clone(), token).await;
            }
        };
        let cancelled = async {
            context.ct.cancelled().await;
            given_up.0.store(true, Ordering::Relaxed);
            std::future::pending::<()>().await;
        };
        let whole = async { tokio::join!(thread, telling).0 };
        let ended = tokio::select! {
            ended = whole => ended,
            () = cancelled => unreachable!("it only waits"),
        };
        ended.unwrap_or_else(|_| {
            Err(Refusal::new(
                Code::Bug,
                "the call failed because of a bug in git-wf; stderr of the server says where",
            )
            .hint("report it, with that output"))
        })
    }

    fn on_this_thread<T>(
        &self,
        steps: &ProgressSteps,
        stop: Arc<AtomicBool>,
        work: impl FnOnce(&Call<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        // It may have waited for a thread for long.
        if stop.load(Ordering::Relaxed) {
            return Err(not_begun());
        }
        let Self { settings, roots, directory, client } = self;
        let folder = folders::choose(settings, roots, directory.as_deref())?;
        let environment = settings.environment.stopped_by(stop);
        let store = Store::open(&folder, &environment)?.acting(settings.acting.clone());
        let caller = client.clone().map(|agent| Caller {
            agent,
            model: None,
            protocol: SessionProtocol::Mcp,
            session_id: None,
        });
        let session = Session::new(store, Box::new(steps.clone())).called_by(caller);
        let call = Call { session: &session, folder: &folder, roots, steps, voice: settings.voice() };
        let outcome = work(&call);
        outcome.map_err(|refusal| {
            // Notices from before the refusal.
            let noticed = session.notices().into_iter();
            let noticed = noticed.map(|Notice { message, remedies, .. }| Detail { message, remedies });
            Refusal { details: refusal.details.iter().cloned().chain(noticed).collect(), ..refusal }
        })
    }
}

//! What takes long while a command talks to a remote.

use crate::git::TransferStep;

/// Long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RemoteWork {
    /// Objects are fetched or pushed.
    Transfer(TransferStep),
    /// The host limits the rate of requests: the seconds waited so far, and the total.
    RateLimit,
    /// Another process of this clone talks to the remote: the seconds waited so far, and after how many the command
    /// gives up.
    Line,
}

/// Gets the work, how much of it is done, and the total.
pub(crate) type RemoteWatch<'a> = &'a dyn Fn(RemoteWork, u64, u64);

/// Reports the progress of a transfer.
pub(super) fn of_transfer(watch: RemoteWatch<'_>) -> impl Fn(TransferStep, u64, u64) {
    move |step, done, total| watch(RemoteWork::Transfer(step), done, total)
}

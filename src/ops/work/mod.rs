//! The work: claiming items, executing their plans, ending executions.

mod accept;
mod agent_names;
mod agent_setup;
mod agent_test;
pub(crate) mod agents;
mod apart;
mod aside;
pub(crate) mod asking;
mod attempt;
mod begin;
mod built;
mod claim_view;
mod complete;
mod complete_notices;
mod counted_run;
mod detail;
mod dropped;
mod ended;
mod ended_apart;
mod execution_view;
mod fail;
pub(crate) mod failure;
mod finish;
pub(crate) mod handed_in;
mod land;
mod lease;
mod needed;
mod new_worktree;
mod own;
mod ownership;
mod pick;
mod place_watch;
mod planned;
pub(crate) mod preparing;
mod prime;
pub(crate) mod proof;
mod publish;
mod reminder;
mod report;
mod retry;
mod run_claims;
pub(crate) mod runs;
mod session;
mod shared_files;
mod signing;
mod signs;
mod start_task;
mod take;
mod target;
mod test_place;
mod test_reports;
pub(crate) mod unfinished;
mod unlinked;
mod unseen_claim;
pub(crate) mod users_state;
mod verify;
pub(crate) mod verify_notices;
mod verifying;
mod vouch;

pub(crate) use accept::{Accept, Accepted, accept};
pub(crate) use agent_names::AgentNames;
pub(crate) use agent_setup::{AgentFiles, AgentSetup, PieceState, SetupTask, agent_setup};
pub(crate) use agent_test::{Question, TestAgent, Tested, test_agent};
pub(crate) use agents::{AgentView, agents};
pub(crate) use apart::{ApartUnfit, AskedApart, ask_apart};
pub(crate) use aside::set_aside;
pub(crate) use attempt::ChangedExecution;
pub(crate) use built::Built;
pub(crate) use claim_view::ClaimView;
pub(crate) use complete::{Complete, complete};
pub(crate) use detail::{DetailView, detail};
pub(crate) use ended::{Ended, EndedAndTaken, Then};
pub(crate) use ended_apart::notices_of_ends_apart;
pub(crate) use execution_view::{
    CommitView, EndView, ExecutionView, LandingView, executions, executions_within, status_words,
};
pub(crate) use fail::{Fail, fail};
pub(crate) use failure::{FailureInput, FailureReport};
pub(crate) use finish::{Finish, Finished, ToRun, finish};
pub(crate) use land::{
    CopiedWork, JoinConflict, JoinedTests, JoinedWork, LandByPullRequest, LandMethod, LandStatement,
    LandView, LandWork, LandedIssue, Landing, LandingStated, NotLanded, PreparedRevert, PullState, PullView,
    PulledIssue, StateLanded, TestRun, WhyNotLanded, begin_half_done, conflict_with, continued,
    follow_copies, half_done, join_work, land_by_pull_request, landing, link_resolution, prepare_revert,
    state_landed, target_tip, test_joined, unseen_land_tests, work_head,
};
pub(crate) use lease::{Lease, ReleaseLease, keep_lease, leases, release, renew};
pub(crate) use own::{WorktreeClaim, notice_of_claim, notices_since, own};
pub(crate) use ownership::{Intent, gone_worktree, refuse_foreign, refuse_foreign_record};
pub(crate) use planned::{as_claimed, as_stored, planned};
pub(crate) use preparing::{PlaceView, PreparedView, agree_to_own, unseen_setup};
pub(crate) use prime::{Prime, PrimeAgent, PrimedExecution, PrimedTask, PrimedWaiting, prime, primed};
pub(crate) use proof::needs_proof;
pub(crate) use publish::{
    Asked, ask, ask_about, confirm, is_renewal_due, known_lease, publish, publish_after, publish_in_batch,
    publish_store, publish_waiting, through, unbind_worktree, unpublished,
};
pub(crate) use reminder::{Reminder, reminder};
pub(crate) use report::ExecutorReport;
pub(crate) use retry::{Retried, Retry, retry};
pub(crate) use run_claims::{RunClaim, claim_for_run};
pub(crate) use session::{Conversation, record_session, recorded};
pub(crate) use start_task::{Started, start_task};
pub(crate) use take::{ClaimRequest, ClaimWorktree, Claimable, claim};
pub(crate) use target::{ExecutionTarget, issue_of, target};
pub(crate) use test_place::TestWorkplace;
pub(crate) use unlinked::{
    link_and_tell, linked_words, notice_of_hooks, notice_of_lost_hooks, notice_of_place,
};
pub(crate) use verify::{
    Test, Verification, Verified, VerifyObserver, VerifyTests, record_checks, verification,
    waiting_for_verifier,
};
pub(crate) use vouch::{Vouch, vouch};

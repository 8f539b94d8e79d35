//! What a finding of an audit is about.

use crate::model::text_enum::text_enum;

text_enum!(
    /// What a finding is about.
    Kind {
        /// No execution links the commit.
        Unbound = "unbound",
        /// The trailers of a commit contradict its links.
        FalseTrailer = "false_trailer",
        /// A file was touched that no task names.
        UnplannedFile = "unplanned_file",
        /// A file was deleted, and the plan does not say so.
        UnplannedDeletion = "unplanned_deletion",
        /// A file that the plan names was never touched.
        UntouchedFile = "untouched_file",
        /// The executed plan had not passed a review.
        Unreviewed = "unreviewed",
        /// A test has no passing check.
        MissingCheck = "missing_check",
        /// The tests of an execution may not test its work.
        Unproved = "unproved",
        /// Someone other than the executor says that the tests of an execution test its work.
        Vouched = "vouched",
        /// A gate was overridden.
        Override = "override",
        /// Someone did what their role does not allow.
        Role = "role",
        /// Something happened in a run that the roles of its agents do not allow.
        Breach = "breach",
        /// A commit was made for a claim that someone else had taken over.
        LostClaim = "lost_claim",
        /// The plan cannot be read.
        BrokenPlan = "broken_plan",
        /// A record of the issue cannot be read, so that it counts for nothing.
        Unreadable = "unreadable",
        /// The trees of a commit unfold to more than can be examined.
        Unseen = "unseen",
        /// Commits of a completed execution are on no branch.
        OnNoBranch = "on_no_branch",
        /// Commits of a completed execution are not on the branch on which work lands.
        NotLanded = "not_landed",
        /// A record was changed in a way that is never allowed (a field that is written once, its birth, its epoch),
        /// deleted, or made unreadable.
        Rewritten = "rewritten",
    }
);

impl Kind {
    /// What is wrong, in one sentence.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Unbound => "A commit belongs to no plan.",
            Self::FalseTrailer => "The trailers of a commit name other work than its links.",
            Self::UnplannedFile => "A commit touches a file that no task of its plan names.",
            Self::UnplannedDeletion => "A commit deletes a file, and its plan does not say so.",
            Self::UntouchedFile => "A completed plan names a file that none of its commits touched.",
            Self::Unreviewed => "The executed plan had not passed a review.",
            Self::MissingCheck => "A test of a completed plan has no passing check.",
            Self::Unproved => "The tests of a completed plan may not test its work.",
            Self::Vouched => "A reviewer says that the tests of a completed plan test its work.",
            Self::Override => "A gate was overridden.",
            Self::Role => "Someone did what their role does not allow.",
            Self::Breach => "Something happened in a run that the roles of its agents do not allow.",
            Self::LostClaim => "A commit was made for a claim that someone else had taken over.",
            Self::BrokenPlan => "The executed plan cannot be read.",
            Self::Unreadable => "A record on which the audit relies cannot be read.",
            Self::Unseen => "The changes of a commit could not be examined.",
            Self::OnNoBranch => "Commits of a completed execution are on no branch.",
            Self::NotLanded => "Completed work is not on the branch on which it lands.",
            Self::Rewritten => "A record was changed in a way that is never allowed.",
        }
    }
}

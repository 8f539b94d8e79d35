use super::*;

#[test]
fn a_refused_push_is_told_what_to_do_about_its_own_cause() {
    let hint = |words: &str| {
        let words = words.to_owned();
        let (remote, reference) = ("origin".into(), "refs/wf/main".into());
        format!("{:?}", SyncError::Refused { remote, reference, words, hint: None }.remedies())
    };
    let declined = hint("pre-receive hook declined; error: the policy asks for a plan");
    let large = hint("pre-receive hook declined; files over 100 MB are prohibited by company policy");
    for hint in [declined, large] {
        assert!(hint.contains("a hook of the server refused it") && !hint.contains("wf.ref"), "{hint}");
    }
    let locked = hint(
        "failed to update ref; cannot lock ref 'refs/wf/main': Unable to create '/srv/x.git/refs/wf/main.lock': File exists",
    );
    assert!(locked.contains("`/srv/x.git/refs/wf/main.lock`") && !locked.contains("wf.ref"), "{locked}");
    for only_branches in [
        "deny updating a hidden ref",
        "funny refname",
        "prohibited by Gerrit: not permitted: create",
        "pre-receive hook declined; only refs/heads/ and refs/tags/ may be pushed",
    ] {
        let hint = hint(only_branches);
        assert!(hint.contains("git config wf.ref refs/heads/wf/main"), "{only_branches}: {hint}");
    }
    for other in [
        "remote unpack failed: unable to create temporary object directory",
        "the receiving end does not support push options",
        "No space left on device",
        "RPC failed; HTTP 413 curl 22 The requested URL returned error: 413",
        "ERROR: Permission to ada/x.git denied to bea",
    ] {
        assert!(!hint(other).contains("wf.ref"), "{other}: {}", hint(other));
    }
    assert!(hint("ERROR: Permission to ada/x.git denied to bea").contains("let you write there"));
}

#[test]
fn what_is_no_branch_is_told_only_of_another_ref() {
    let hidden = |reference: &str| {
        let (remote, reference) = ("origin".into(), reference.into());
        format!("{:?}", SyncError::NotShown { remote, reference, where_to: Unshown::Hidden }.remedies())
    };
    assert!(hidden("refs/wf/main").contains("wf.ref"));
    assert!(!hidden("refs/heads/wf/main").contains("wf.ref"));
}

use super::*;

#[test]
fn each_role_keeps_to_its_work() {
    for (role, may_do, may_not) in [
        ("explorer", "comment", "plan add"),
        ("planner", "plan add", "done"),
        ("planner", "plan choose", "queue add"),
        ("planner", "task edit", "task start"),
        ("planner", "edit", "next"),
        ("explorer", "new", "edit"),
        ("reviewer", "feedback", "edit"),
        ("planner", "roadmap add", "queue manage merge"),
        ("executor", "task start", "roadmap add"),
        ("reviewer", "plan review", "plan add"),
        ("integrator", "queue add", "next"),
        ("executor", "next", "queue add"),
        ("executor", "done", "plan review"),
        ("implementer", "task start", "task edit"),
        ("coordinator", "retry", "next"),
    ] {
        assert!(may(role, may_do) && !may(role, may_not), "{role}");
        assert!(may(role, "comment") && !may(role, "settings"), "{role}");
    }
}

#[test]
fn an_agent_of_a_run_leaves_the_run_to_itself() {
    for op in [Op::Done, Op::Fail, Op::Next, Op::Merge, Op::LeaseRelease, Op::Edit, Op::ImportJsonl] {
        assert_eq!(admit_in_run(Some("executor"), op), Err(RoleError::OfTheRun(op)));
    }
    for op in [Op::Comment, Op::TaskStart, Op::Link, Op::LeaseRenew, Op::WisdomAdd] {
        assert_eq!(admit_in_run(Some("executor"), op), Ok(()));
    }
    assert_eq!(admit_in_run(Some("planner"), Op::Edit), Ok(()));
    let refused = admit(Some("executor"), Op::Close).unwrap_err();
    assert_eq!(refused.to_string(), "an executor may not run `close`");
}

#[test]
fn strangers_are_not_judged() {
    assert!(may("planner", "nextcloud") && may("gardener", "done"));
}

#[test]
fn a_stranger_does_nothing_and_only_an_owner_overrides() {
    assert_eq!(admit(Some("planner"), Op::Comment), Ok(()));
    assert_eq!(admit(Some("planer"), Op::Comment), Err(RoleError::Unknown("planer".into())));
    assert!(matches!(admit(Some("planner"), Op::Done), Err(RoleError::NotTheirs(_))));
    for owner in [None, Some("owner")] {
        assert_eq!((admit(owner, Op::Settings), admit_override(owner)), (Ok(()), Ok(())));
    }
    assert_eq!(admit_override(Some("planner")), Err(RoleError::Override(Role::Planner)));
}

#[test]
fn only_executors_and_owners_commit() {
    for role in [None, Some("owner"), Some("executor"), Some("implementer")] {
        assert_eq!(admit_git(role, "commit"), Ok(()), "{role:?}");
    }
    for role in ["explorer", "planner", "reviewer", "integrator", "coordinator", "planer"] {
        assert!(admit_git(Some(role), "commit").is_err(), "{role}");
    }
    let refused = admit_git(Some("planner"), "push").unwrap_err();
    assert_eq!(refused.to_string(), "a planner may not push");
}

#[test]
fn a_refusal_says_whose_work_it_is() {
    let refused = |role, op| admit(Some(role), op).unwrap_err();
    let words = |refused: &RoleError| refused.remedies().into_vec()[0].words.clone();
    let done = refused("planner", Op::Done);
    assert_eq!(done.to_string(), "a planner may not run `done`");
    assert!(words(&done).starts_with("only an executor or an owner may;"), "{}", words(&done));
    let policy = refused("implementer", Op::Settings);
    assert!(words(&policy).starts_with("only an owner may;"), "{}", words(&policy));
}

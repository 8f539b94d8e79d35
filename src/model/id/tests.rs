use super::*;
use proptest::prelude::*;

#[test]
fn given_and_imported_ids_stay_what_they_were() {
    for id in ["ISS-001", "GH-123", "beads_rust-07b", "ISS-20261121-7k3m2pq9", "a-b", "bd-1.2"] {
        assert!(IssueId::parse(id).is_ok(), "{id}");
    }
}

#[test]
fn what_could_harm_a_path_or_a_ref_is_refused() {
    for id in [
        "", "ab", "abc", "a/b-c", "..-a", "a..-b", "-ab", "1-ab", "a-b.lock", "a-b.json", "a-b.", "a-\u{e9}",
        "SOL-a-1", "EXR-a-1", "QUE-a", "RUN-a", "CFT-1", "a b-c", "a-b\n",
    ] {
        assert!(IssueId::parse(id).is_err(), "{id:?}");
    }
    assert!(IssueId::parse(&format!("a-{}", "x".repeat(78))).is_ok());
    assert!(IssueId::parse(&format!("a-{}", "x".repeat(79))).is_err());
}

#[test]
fn a_solution_id_holds_its_issue() {
    let id = SolutionId::parse("SOL-ISS-20261121-7k3m2pq9-1").unwrap();
    assert_eq!(id.issue().as_str(), "ISS-20261121-7k3m2pq9");
    assert_eq!(id.uid(), "1");
    assert!(SolutionId::parse("SOL-ISS-1").is_err(), "an issue id has a dash of its own");
    assert!(SolutionId::parse("SOL-ISS-001-A7").is_err());
    assert!(SolutionId::parse("SOL-ISS-001-").is_err());
    assert!(SolutionId::parse("EXR-ISS-001-a").is_err());
}

#[test]
fn queues_and_runs_have_a_prefix_of_their_own() {
    assert!(QueueId::parse("QUE-1").is_ok() && RunId::parse("RUN-1").is_ok());
    for id in ["", "RUN-", "QUE-1", "RUN-../x", "RUN-a.json", "RUN-a b", &format!("RUN-{}", "x".repeat(77))] {
        assert!(RunId::parse(id).is_err(), "{id}");
    }
    assert!(RunId::parse(&format!("RUN-{}", "x".repeat(76))).is_ok());
    assert!(QueueId::parse("RUN-1").unwrap_err().to_string().contains("it is QUE- and a name"));
}

#[test]
fn items_count_from_one() {
    assert_eq!(ItemId::parse("S-12").unwrap().number(), 12);
    for id in ["S-", "S-0", "S-01", "s-1", "S-1234567890123456789"] {
        assert!(ItemId::parse(id).is_err(), "{id}");
    }
}

proptest! {
    #[test]
    fn an_accepted_id_is_one_path_component(text in "[A-Za-z0-9._/ \\-]{0,90}") {
        if let Ok(id) = IssueId::parse(&text) {
            prop_assert!(!id.as_str().contains('/') && id.as_str() != ".." && id.as_str() != ".");
            let solution = SolutionId::made(&id, &Uid::from_bits([1, 2, 3, 4, 5]));
            let read = SolutionId::parse(solution.as_str()).unwrap();
            prop_assert_eq!(read.issue(), id);
        }
    }
}

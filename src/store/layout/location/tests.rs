use proptest::prelude::*;

use super::*;

const STAMP: &str = "20261121T021405123Z-00000-00000000000000000000000001";

impl fmt::Display for PathKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.fmt(f),
            Self::Record(record) => record.fmt(f),
        }
    }
}

fn owner() -> impl Strategy<Value = Owner> {
    let issue = || "[A-D]{1,3}-[0-9]{1,3}".prop_map(|id| IssueId::parse(&id).unwrap());
    prop_oneof![
        issue().prop_map(Owner::Issue),
        issue().prop_map(|id| Owner::Solution(SolutionId::parse(&format!("SOL-{id}-a7x9")).unwrap())),
        issue().prop_map(|id| {
            Owner::Execution(ExecutionId::parse(&format!("EXR-{id}-{}", "0".repeat(26))).unwrap())
        }),
        "[a-z0-9]{1,9}".prop_map(|id| Owner::Queue(QueueId::parse(&format!("QUE-{id}")).unwrap())),
        "[a-z0-9]{1,9}".prop_map(|id| Owner::Run(RunId::parse(&format!("RUN-{id}")).unwrap())),
        "[a-z0-9]{1,9}|用户-[a-z]{1,3}".prop_map(|words| {
            Owner::Roadmap(RoadmapId::parse(&format!("RMAP-{words}-20261121-4c8w1z0p")).unwrap())
        }),
        Just(Owner::Wisdom),
    ]
}

/// All places at, below or above an owner.
fn around(owner: &Owner) -> Vec<PathKind> {
    let mut logs = vec![LogKind::Redactions(owner.clone())];
    let mut folders = vec![Folder::Top, Folder::Issues, Folder::Queues, Folder::Runs, Folder::Roadmaps];
    let mut records = vec![Location::Root, Location::Record(owner.clone())];
    match owner {
        Owner::Issue(id) => {
            logs.extend([LogKind::Comments(id.clone()), LogKind::Feedback(id.clone())]);
            logs.push(LogKind::Explorations(id.clone()));
            folders.extend([Folder::Solutions(id.clone()), Folder::Executions(id.clone())]);
            folders.push(Folder::IssueFan(Fan::new(id)));
        }
        Owner::Solution(id) => {
            let (queue, fan) = (QueueId::parse("QUE-1").unwrap(), Fan::new(&id.issue()));
            logs.push(LogKind::Reviews(id.clone()));
            folders.push(Folder::ItemFan(queue.clone(), fan));
            records.push(Location::Item(queue, id.clone()));
        }
        Owner::Execution(id) => logs.push(LogKind::Events(id.clone())),
        Owner::Queue(id) => {
            logs.push(LogKind::Conflicts(id.clone()));
            folders.push(Folder::Items(id.clone()));
        }
        Owner::Run(id) => logs.push(LogKind::RunEvents(id.clone())),
        Owner::Roadmap(id) => logs.push(LogKind::RoadmapEvents(id.clone())),
        Owner::Wisdom => {
            logs.push(LogKind::Wisdom);
            records.pop();
        }
    }
    if *owner != Owner::Wisdom {
        folders.push(Folder::Owner(owner.clone()));
    }
    let entry = EntryId::parse(STAMP).unwrap();
    records.extend(logs.iter().map(|log| Location::Entry(log.clone(), entry.clone())));
    folders.extend(logs.into_iter().map(Folder::Log));
    folders.into_iter().map(PathKind::Folder).chain(records.into_iter().map(PathKind::Record)).collect()
}

proptest! {
    #[test]
    fn a_place_has_one_path_and_a_path_one_place(owner in owner()) {
        for place in around(&owner) {
            let path = place.to_string();
            prop_assert_eq!(PathKind::parse(&path), Ok(place.clone()), "{}", path);
            // A record has nothing below it.
            if let PathKind::Record(_) = place {
                prop_assert_eq!(PathKind::parse(&format!("{path}/x")), Err(Unplaced::UNKNOWN));
            }
        }
    }

    #[test]
    fn what_is_read_of_any_path_is_that_path(owner in owner(), cut in 0_usize..6, name in "[a-zA-Z0-9.-]{0,12}") {
        for place in around(&owner) {
            let path = place.to_string();
            let mut names: Vec<&str> = path.split('/').collect();
            if let Some(other) = names.get_mut(cut) {
                *other = &name;
            }
            let path = names.join("/");
            if let Ok(read) = PathKind::parse(&path) {
                prop_assert_eq!(read.to_string(), path);
            }
        }
    }
}

#[test]
fn a_path_among_records_says_what_is_wrong_with_it() {
    let why = |path: &str| PathKind::parse(path).unwrap_err().why;
    let issue = Owner::Issue(IssueId::parse("ISS-001").unwrap()).to_string();
    let fan = issue.split('/').nth(1).unwrap();
    let other = if fan == "00" { "01" } else { "00" };
    assert_eq!(
        why(&format!("issues/{other}/ISS-001/issue.json")),
        Some(format!("the directory of this issue is `{issue}`"))
    );
    let item = Fan::new(&IssueId::parse("ISS-001").unwrap());
    assert_eq!(
        why("queues/QUE-1/items/zz/SOL-ISS-001-1.json"),
        None,
        "folders may come that nobody knows yet"
    );
    assert_eq!(
        why(&format!("queues/QUE-1/items/{item}/SOL-ISS-001-1")),
        Some(format!("the file of this item is `queues/QUE-1/items/{item}/SOL-ISS-001-1.json`"))
    );
    assert_eq!(why(&format!("{issue}/solutions/SOL-ISS-002-1")), Some("a plan for `ISS-002`".to_owned()));
    assert!(why(&format!("{issue}/comments/yesterday.json")).is_some());
    for unknown in ["notes.txt", "issues/XX", "issues/0", "queues/QUE-1/notes", &format!("{issue}/x/y")] {
        assert_eq!(why(unknown), None, "{unknown}");
    }
}

use super::*;
use serde_json::json;

#[test]
fn a_document_is_read_in_either_spelling() {
    let document: RoadmapDocument = typed::read(&json!({
        "strategy": "auto", "session_id": "RMAP-a-20261121-4c8w1z0p", "more": 1,
        "assessment": {"uncertainty_factors": {"technical_risk": "high"}, "constraints": "none"},
        "layers": [{"id": "L0", "name": "MVP", "goal": "g", "scope": "one", "effort": "small",
            "risks": ["late", {"description": "wrong", "impact": "high", "mitigation": "ask"}],
            "convergence": {"criteria": ["c"], "verification": "v", "definition_of_done": "d"}}],
    }))
    .unwrap();
    assert_eq!(document.mode, Some(RoadmapChoice::Auto));
    assert_eq!(document.assessment.unwrap().factors.technical_risk, Some(Extent::High));
    let layer = &document.layers[0];
    assert_eq!((layer.scope.0.as_slice(), layer.risks.len()), (&["one".to_owned()][..], 2));
    assert_eq!(layer.risks[1].severity.as_deref(), Some("high"));
    assert_eq!(layer.effort.priority().number(), 4);
    for wrong in [json!([]), json!({"layers": 1}), json!({"mode": "both"}), json!({"scope": [1]})] {
        assert!(typed::read::<RoadmapDocument>(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_document_that_cannot_be_read_is_not_an_empty_one() {
    let with = |document: serde_json::Value| {
        let record = json!({"id": "RMAP-a-20261121-4c8w1z0p", "author": "a", "title": "t", "document": document,
            "created_at": "2026-11-21T02:00:00.000Z"});
        typed::read::<Roadmap>(&record).unwrap().read()
    };
    assert_eq!(with(json!({"mode": REDACTED})).unwrap(), RoadmapDocument::default());
    assert_eq!(with(json!({"mode": "direct"})).unwrap().mode, Some(RoadmapChoice::Direct));
    assert!(with(json!({"mode": "both"})).is_err() && with(json!([])).is_err());
}

#[test]
fn a_document_is_divided_by_issues_and_whole_again() {
    let task = |id: &str| json!({"id": id, "title": id});
    let whole = json!({"title": "t", "more": [1], "tasks": [task("T1"), task("T2"), task("T10")]});
    let ids = ["ISS-1", "ISS-3", "ISS-2"].map(|id| IssueId::parse(id).unwrap());
    let issues: BTreeMap<&str, IssueId> = ["T1", "T2", "T10"].into_iter().zip(ids.clone()).collect();
    let document = Roadmap::divided(whole.clone(), &issues);
    assert_eq!(
        document,
        json!({"title": "t", "more": [1], "ISS-1": task("T1"), "ISS-3": task("T2"), "ISS-2": task("T10")})
    );
    let record = Roadmap {
        id: RoadmapId::parse("RMAP-a-20261121-4c8w1z0p").unwrap(),
        author: "a".into(),
        created_at: Time::EPOCH,
        title: "t".into(),
        document,
        issue_ids: ids.into_iter().collect(),
    };
    assert_eq!(record.whole(None), whole);
    let mut hidden = record;
    for id in &hidden.issue_ids {
        hidden.document[id.as_str()] = REDACTED.into();
    }
    let hidden = |mode| hidden.whole(mode);
    let all = json!([REDACTED, REDACTED, REDACTED]);
    assert_eq!(hidden(Some(RoadmapMode::Progressive)), json!({"title": "t", "more": [1], "layers": all}));
    assert_eq!(hidden(Some(RoadmapMode::Direct)), json!({"title": "t", "more": [1], "tasks": all}));
    assert_eq!(hidden(None), json!({"title": "t", "more": [1]}));
}

use super::*;
use proptest::prelude::*;

fn convergence() -> Value {
    json!({"criteria": ["`export` writes 3 files"], "verification": "run `export` and count the files",
        "definition_of_done": "A team lead can hand a month over to accounting"})
}

fn layer_of(n: usize) -> Value {
    let on: Vec<String> = (0..n).map(|n| format!("L{n}")).collect();
    json!({"id": format!("L{n}"), "name": "MVP", "goal": "export", "scope": [format!("feature {n}")], "effort": "small",
        "depends_on": on, "convergence": convergence()})
}

fn progressive(layers: usize) -> Value {
    json!({"title": "Export", "layers": (0..layers).map(layer_of).collect::<Vec<_>>()})
}

fn task_of(n: usize, group: u64) -> Value {
    json!({"id": format!("T{n}"), "title": "do it", "type": "feature", "scope": format!("src/{n}.rs"),
        "outputs": [format!("out/{n}")], "parallel_group": group, "convergence": convergence()})
}

fn direct() -> Value {
    let mut second = task_of(2, 2);
    second["depends_on"] = json!(["T1"]);
    second["inputs"] = json!(["out/1", "src/lib.rs"]);
    json!({"title": "Export", "tasks": [task_of(1, 1), second]})
}

fn known(path: &str) -> bool {
    path == "src/lib.rs"
}

fn found(document: &Value) -> Vec<(String, &'static str)> {
    let known: &dyn Fn(&str) -> bool = &known;
    match examine(document, RoadmapSetting { known_files: Some(known) }) {
        Ok(_) => vec![],
        Err(findings) => findings.into_iter().map(|finding| (finding.path, finding.rule)).collect(),
    }
}

#[test]
fn a_sound_document_has_no_findings() {
    for layers in 2..=4 {
        assert_eq!(found(&progressive(layers)), []);
    }
    assert_eq!(found(&direct()), []);
    let mut in_words = direct();
    in_words["tasks"][0]["scope"] = json!(["the route /login", "src/0.rs", "src/.gitignore"]);
    assert_eq!(found(&in_words), []);
}

/// A name in front of a pointer: the document, where it is changed, into what, and what is found where.
#[test]
fn each_rule_finds_what_breaks_it() {
    let long = "x".repeat(LONGEST_TEXT + 1);
    for (document, pointer, value, path, rule) in [
        ("layers", "/title", json!(" "), "title", "title"),
        ("layers", "/title", json!("a\nb"), "title", "title"),
        ("layers", "/title", json!(1), "title", "type"),
        ("layers", "/tasks", json!([task_of(1, 1)]), "$", "form"),
        ("layers", "/layers", json!([]), "$", "form"),
        ("layers", "/layers", json!([layer_of(0)]), "layers", "layers"),
        ("layers", "/layers", json!([0, 1, 2, 3, 3].map(layer_of)), "layers", "layers"),
        ("layers", "/layers/1/id", json!("L2"), "layers[1].id", "layers"),
        ("layers", "/layers/1/name", json!("a\nb"), "layers[1].name", "text"),
        ("layers", "/layers/1/name", json!("x".repeat(51)), "layers[1].name", "length"),
        ("layers", "/layers/0/goal", json!(""), "layers[0].goal", "text"),
        ("layers", "/layers/0/goal", json!(long), "layers[0].goal", "length"),
        ("layers", "/layers/0/scope", json!([]), "layers[0].scope", "text"),
        ("layers", "/layers/0/excludes", json!(vec!["x"; 101]), "layers[0].excludes", "length"),
        ("layers", "/layers/0/effort", json!("huge"), "layers[0].effort", "type"),
        ("layers", "/layers/0/goal", json!(null), "layers[0].goal", "type"),
        ("layers", "/layers/0/convergence/criteria", json!(7), "layers[0].convergence.criteria", "type"),
        ("layers", "/layers/0/depends_on", json!(["L1"]), "layers[0].depends_on[0]", "depends-on"),
        ("layers", "/layers/1/depends_on", json!(["L9"]), "layers[1].depends_on[0]", "depends-on"),
        ("layers", "/layers/1/depends_on", json!(["L2"]), "layers", "cycle"),
        ("layers", "/layers/1/depends_on", json!(["L1"]), "layers", "cycle"),
        ("layers", "/layers/1/scope/0", json!("Feature  0."), "layers[1].scope[0]", "scope"),
        ("layers", "/layers/1/excludes", json!(["feature 1"]), "layers[1].scope[0]", "scope"),
        ("layers", "/scope", json!(["feature 0", "feature 1"]), "layers[2].scope[0]", "scope"),
        ("layers", "/scope", json!(["feature 0", "feature 1", "feature 2", "4"]), "scope[3]", "scope"),
        (
            "layers",
            "/layers/0/convergence/criteria",
            json!([]),
            "layers[0].convergence.criteria",
            "vague-criterion",
        ),
        (
            "layers",
            "/layers/0/convergence/criteria/0",
            json!("works fine"),
            "layers[0].convergence.criteria[0]",
            "vague-criterion",
        ),
        (
            "layers",
            "/layers/0/convergence/criteria/0",
            json!("功能正常"),
            "layers[0].convergence.criteria[0]",
            "vague-criterion",
        ),
        (
            "layers",
            "/layers/0/convergence/verification",
            json!("run it"),
            "layers[0].convergence.verification",
            "verification",
        ),
        (
            "layers",
            "/layers/0/convergence/definition_of_done",
            json!("npm test passes"),
            "layers[0].convergence.definition_of_done",
            "definition-of-done",
        ),
        (
            "layers",
            "/layers/0/convergence/definition_of_done",
            json!("编译通过"),
            "layers[0].convergence.definition_of_done",
            "definition-of-done",
        ),
        (
            "layers",
            "/layers/0/lifecycle_requirements",
            json!({"test_strategy": "luck"}),
            "layers[0].lifecycle_requirements.test_strategy",
            "lifecycle",
        ),
        (
            "layers",
            "/lifecycle_requirements",
            json!({"commit_strategy": "x"}),
            "lifecycle_requirements.commit_strategy",
            "lifecycle",
        ),
        ("tasks", "/tasks/0/id", json!("T0"), "tasks[0].id", "tasks"),
        ("tasks", "/tasks/0/id", json!("T2"), "tasks[1].id", "tasks"),
        ("tasks", "/tasks/0/type", json!(" "), "tasks[0].type", "text"),
        ("tasks", "/tasks/1/parallel_group", json!(1), "tasks[1].depends_on[0]", "wave"),
        ("tasks", "/tasks/0/scope", json!("/etc/passwd"), "tasks[0].scope[0]", "path"),
        ("tasks", "/tasks/0/scope", json!(["src/a.rs", "../b.rs"]), "tasks[0].scope[1]", "path"),
        ("tasks", "/tasks/0/outputs", json!(["C:\\x"]), "tasks[0].outputs[0]", "path"),
        ("tasks", "/tasks/0/outputs", json!([".git/config"]), "tasks[0].outputs[0]", "path"),
        ("tasks", "/tasks/0/depends_on", json!(["T2"]), "tasks", "cycle"),
        ("tasks", "/tasks/1/inputs/1", json!("src/none.rs"), "tasks[1].inputs[1]", "input"),
        ("tasks", "/tasks/1/inputs/0", json!("what the user says"), "tasks[1].inputs[0]", "input"),
        ("tasks", "/tasks/1/depends_on", json!([]), "tasks[1].inputs[0]", "input"),
        ("tasks", "/tasks/2", json!("src/2.rs/part"), "tasks[2].scope[0]", "group"),
        ("tasks", "/tasks/2", json!("src/*.rs"), "tasks[2].scope[0]", "group"),
    ] {
        let mut changed = if document == "layers" { progressive(3) } else { direct() };
        if pointer == "/tasks/2" {
            let mut third = task_of(3, 2);
            third["scope"] = value.clone();
            changed["tasks"].as_array_mut().unwrap().push(third);
        } else {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            let parent = changed.pointer_mut(parent).unwrap();
            match (parent, name.parse::<usize>()) {
                (Value::Array(list), Ok(n)) => list[n] = value.clone(),
                (parent, _) => parent[name] = value.clone(),
            }
        }
        let all = found(&changed);
        assert!(all.iter().any(|it| (it.0.as_str(), it.1) == (path, rule)), "{pointer} {value}: {all:?}");
    }
}

#[test]
fn a_cycle_is_named_with_its_way() {
    let mut document = progressive(3);
    document["layers"][1]["depends_on"] = json!(["L2"]);
    let findings = examine(&document, RoadmapSetting::default()).unwrap_err();
    assert!(findings.iter().any(|it| it.found.contains("L1 → L2 → L1")), "{findings:?}");
}

#[test]
fn nothing_that_anybody_hands_in_is_too_much() {
    for wrong in [json!(null), json!([]), json!("x"), json!({}), json!({"layers": [{}]})] {
        assert!(examine(&wrong, RoadmapSetting::default()).is_err(), "{wrong}");
    }
    let many: Vec<Value> = (1..=500).map(|n| task_of(n, 1)).collect();
    assert_eq!(found(&json!({"title": "t", "tasks": many})), [("tasks".to_owned(), "tasks")]);
    let crowd: Vec<Value> = (1..=200).map(|_| task_of(1, 1)).collect();
    assert_eq!(found(&json!({"title": "t", "tasks": crowd})).len(), MOST_FINDINGS);
}

/// Seven tasks in these groups, of which the first of each pair depends on the second.
fn dependent_tasks(pairs: &[(usize, usize)], groups: &[Option<u64>]) -> Vec<Value> {
    let task = |n: usize| {
        let mut task = task_of(n, 1);
        task["parallel_group"] = json!(groups[n - 1]);
        let on: Vec<String> =
            pairs.iter().filter(|pair| pair.0 == n).map(|pair| format!("T{}", pair.1)).collect();
        task["depends_on"] = json!(on);
        task
    };
    (1..8).map(task).collect()
}

proptest! {
    #[test]
    fn in_a_sound_document_waves_rise_along_dependencies(
        edges in proptest::collection::vec((1usize..8, 1usize..8), 0..12),
        groups in proptest::collection::vec(proptest::option::of(1u64..4), 7),
    ) {
        let tasks = dependent_tasks(&edges, &groups);
        let Ok(document) = examine(&json!({"title": "t", "tasks": tasks}), RoadmapSetting::default()) else { return Ok(()) };
        let all = items(&document);
        for item in &all {
            for on in &item.depends_on {
                let before = all.iter().find(|it| it.id == *on).unwrap();
                prop_assert!(before.wave < item.wave, "{} on {on}", item.id);
            }
        }
    }

    #[test]
    fn tasks_without_groups_and_cycles_are_always_sound(edges in proptest::collection::vec((1usize..8, 1usize..8), 0..12)) {
        let on_earlier: Vec<(usize, usize)> = edges.into_iter().filter(|edge| edge.1 < edge.0).collect();
        let tasks = dependent_tasks(&on_earlier, &[None; 7]);
        prop_assert_eq!(found(&json!({"title": "t", "tasks": tasks})), []);
    }
}

#[test]
fn the_advice_fits_what_is_wrong() {
    let advice = |pointer: &str, value: Value| {
        let mut document = progressive(2);
        *document.pointer_mut(pointer).unwrap() = value;
        let findings = examine(&document, RoadmapSetting::default()).unwrap_err();
        findings.iter().map(|finding| format!("{finding}; {}", finding.remedy)).collect::<Vec<_>>().join("\n")
    };
    let of_first = advice("/layers/0/depends_on", json!(["L1"]));
    assert!(of_first.contains("expected nothing; found \"L1\"; leave it out"), "{of_first}");
    let of_type = advice("/layers", json!("none"));
    assert!(of_type.contains("the schema roadmap-document"), "{of_type}");
    let of_part = advice("/layers/0/convergence", json!("done"));
    assert!(
        of_part.contains("expected an object; found \"done\"") && !of_part.contains("struct"),
        "{of_part}"
    );
    for (pointer, value, said) in [
        (
            "/layers/0/scope",
            json!(["feature 0", "Feature 0."]),
            "expected each feature once; found \"Feature 0.\"; remove",
        ),
        ("/layers/1/scope", json!(["feature 0"]), "`L0` has it; found \"feature 0\"; keep it in only one"),
        ("/layers/0/excludes", json!(["feature 0"]), "; remove it from `scope` or from `excludes`"),
    ] {
        let mut document = progressive(2);
        document["layers"][0]["excludes"] = json!([]);
        *document.pointer_mut(pointer).unwrap() = value;
        let findings = examine(&document, RoadmapSetting::default()).unwrap_err();
        let told = format!("{}; {}", findings[0], findings[0].remedy);
        assert!(told.contains(said), "{told}");
    }
    let mut scoped = progressive(2);
    scoped["scope"] = json!(["feature 0", "feature 9"]);
    let findings = examine(&scoped, RoadmapSetting::default()).unwrap_err();
    let remedies: Vec<&str> = findings.iter().map(|finding| finding.remedy).collect();
    assert_eq!(
        remedies,
        [
            "add it to the scope of the roadmap, or remove it from the layer",
            "add it to the scope of a layer, or remove it from the scope of the roadmap"
        ]
    );
    let mut odd = direct();
    odd["tasks"][0]["parallel_group"] = json!(-1);
    let of_group = examine(&odd, RoadmapSetting::default()).unwrap_err()[0].to_string();
    assert_eq!(of_group, "tasks[0].parallel_group: expected a whole number from 1 on; found `-1`");
    let mut named = progressive(2);
    named["id"] = json!("x");
    let of_id = examine(&named, RoadmapSetting::default()).unwrap_err()[0].to_string();
    assert!(
        of_id.starts_with("id: expected the id of a roadmap (") && of_id.ends_with("; found `x`"),
        "{of_id}"
    );
}

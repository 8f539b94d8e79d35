//! The tables in `man/gitwf-format.5`: the fields of each record, and the legal transitions. They are between two
//! comment lines, `.\" generated: NAME` and `.\" end`.

use std::fmt::Write;

use serde_json::Value;

use crate::cli::schemas;
use crate::model::{FieldKind, ISSUE, ITEM, QUEUE, ROADMAP, ROOT, SOLUTION, Schema};
use crate::rules::transitions::TRANSITIONS;
use crate::rules::{QualityPart, plan_check, roadmap};

/// Escapes text for roff, in which a line that starts with a dot would be a request.
fn roff(text: &str) -> String {
    let escaped = |c: char| match c {
        '\\' => "\\e".into(),
        '-' => "\\-".into(),
        '\n' => " ".into(),
        other => super::man::ascii(other.encode_utf8(&mut [0; 4])),
    };
    let text: String = text.trim_end_matches('.').chars().map(escaped).collect();
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

/// The allowed values, in words.
fn type_of(schema: &Value, root: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str().and_then(|at| at.strip_prefix("#/$defs/")) {
        let inner = &root["$defs"][name];
        // Ids, times and stamps are explained elsewhere, once.
        return if inner.get("pattern").is_some() { name.to_owned() } else { type_of(inner, root) };
    }
    let list = |key: &str| schema[key].as_array().cloned().unwrap_or_default();
    let words: Vec<String> =
        list("oneOf").iter().filter_map(|one| one["const"].as_str().map(str::to_owned)).collect();
    if !words.is_empty() {
        return format!("one of {}", words.join(", "));
    }
    let variants = list("anyOf");
    if let Some(first) = variants.first() {
        return type_of(first, root);
    }
    let name = match &schema["type"] {
        Value::Array(types) => types.first().and_then(Value::as_str),
        one => one.as_str(),
    };
    match name {
        Some("string") if schema["format"] == "date-time" => "time".into(),
        Some("string") => "string".into(),
        Some("array") => format!("array: {}", type_of(&schema["items"], root)),
        Some("integer") if schema["maximum"].is_number() => {
            format!("{} to {}", schema["minimum"], schema["maximum"])
        }
        Some("integer" | "number") => "number".into(),
        Some("boolean") => "boolean".into(),
        Some("object") => "object".into(),
        _ => "any value".into(),
    }
}

/// What a schema requires but nobody checks when a record is read; anything that is checked has a type of its own.
fn unchecked(property: &Value) -> &'static str {
    let variants = property["anyOf"].as_array().map(Vec::as_slice).unwrap_or_default();
    let any = |key: &str| property.get(key).is_some() || variants.iter().any(|one| one.get(key).is_some());
    if any("pattern") {
        ".\nIts form is not checked when it is read"
    } else if any("minItems") {
        ".\nHow many there are is not checked when they are read"
    } else {
        ""
    }
}

fn described(schema: &Value, root: &Value) -> String {
    let named = || {
        let name = schema["$ref"].as_str()?.strip_prefix("#/$defs/")?;
        root["$defs"][name]["description"].as_str()
    };
    schema["description"].as_str().or_else(named).unwrap_or_default().to_owned()
}

/// The fields of a record with registers: name, kind, meaning.
fn fields(record: &Schema, kind: &str) -> String {
    let schema = schemas::find(kind).unwrap().schema();
    let mut table = String::new();
    for field in record.fields {
        let word = match field.kind {
            FieldKind::Once => "once".to_owned(),
            FieldKind::Greatest => "the greater number".to_owned(),
            FieldKind::Register => "register".to_owned(),
            FieldKind::Set => "set".to_owned(),
            FieldKind::Object(leaves) => format!("object: {}", leaves.join(", ")),
            FieldKind::Map => "map".to_owned(),
        };
        let property = &schema["properties"][field.name];
        assert!(property.is_object(), "{kind}.{} is not in the schema", field.name);
        let about = format!("{}{}", roff(&described(property, &schema)), unchecked(property));
        let required = schema["required"].as_array().is_some_and(|all| all.iter().any(|it| it == field.name));
        let must = if required { "" } else { "; optional" };
        let word = match field.kind {
            FieldKind::Once | FieldKind::Greatest | FieldKind::Register => {
                format!("{word}{must}; {}", type_of(property, &schema))
            }
            FieldKind::Set => format!("{word}; {}", type_of(&property["items"], &schema)),
            FieldKind::Object(_) | FieldKind::Map => word,
        };
        writeln!(table, ".TP\n.BR {} \" ({})\"\n{about}", roff(field.name), roff(&word)).unwrap();
    }
    table
}

/// The fields of a write-once entry.
fn entry(schema: &Value, root: &Value) -> String {
    let mut table = String::new();
    for (name, property) in schema["properties"].as_object().unwrap() {
        let required = schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name));
        let must = if required { "" } else { "optional; " };
        let about = format!("{}{}", roff(&described(property, root)), unchecked(property));
        let what = roff(&type_of(property, root));
        writeln!(table, ".TP\n.BR {} \" ({must}{what})\"\n{about}", roff(name)).unwrap();
    }
    table
}

fn whole_entry(kind: &str) -> String {
    let schema = schemas::find(kind).unwrap().schema();
    entry(&schema, &schema)
}

fn log_entries(kind: &str, event: &str) -> String {
    let schema = schemas::find(kind).unwrap().schema();
    let mut text = String::new();
    for variant in schema["$defs"][event]["oneOf"].as_array().unwrap() {
        let word = variant["properties"]["type"]["const"].as_str().unwrap();
        let name = variant["allOf"][0]["$ref"].as_str().unwrap().strip_prefix("#/$defs/").unwrap();
        let inner = &schema["$defs"][name];
        let about = roff(inner["description"].as_str().unwrap());
        writeln!(text, ".PP\n.B {word}\n\\(em {about}\n.RS\n{}.RE", entry(inner, &schema)).unwrap();
    }
    text
}

fn transitions() -> String {
    let words = |all: &[crate::model::status::IssueStatus]| {
        all.iter().map(|status| status.as_str()).collect::<Vec<_>>().join(", ")
    };
    let mut table = String::new();
    for known in TRANSITIONS {
        let command = roff(&known.by.to_string());
        writeln!(table, ".TP\n.B {command}\nfrom {}\n.br\nto {}", words(known.from), words(known.to))
            .unwrap();
    }
    table
}

/// A sentence that begins with a capital letter, unless it begins with the name of a field or a name in backquotes.
fn sentence(text: &str) -> String {
    if text.split(' ').next().is_some_and(|word| word.contains('_')) {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_uppercase(), letters.as_str()))
}

fn checks(rules: &[&plan_check::Rule]) -> String {
    let mut table = String::new();
    for rule in rules {
        let (name, severity) = (roff(rule.name), rule.severity.as_str());
        let (asks, remedy) = (sentence(rule.asks), sentence(rule.remedy));
        writeln!(table, ".TP\n.BR {name} \" ({severity})\"\n{}.\n{}.", roff(&asks), roff(&remedy)).unwrap();
    }
    table
}

fn quality() -> String {
    let mut table = String::new();
    for part in QualityPart::ALL {
        let (name, weight) = (roff(part.name()), part.weight());
        writeln!(table, ".TP\n.BR \"{name}\" \" ({weight})\"\nCounted: {}.", roff(part.counted())).unwrap();
    }
    table
}

fn block(name: &str) -> String {
    match name {
        "checks" => checks(plan_check::RULES),
        "quality" => quality(),
        "transitions" => transitions(),
        "wf" => fields(&ROOT, "wf"),
        "issue" => fields(&ISSUE, "issue"),
        "solution" => fields(&SOLUTION, "solution-record"),
        "queue" => fields(&QUEUE, "queue"),
        "item" => fields(&ITEM, "item"),
        "roadmap" => fields(&ROADMAP, "roadmap"),
        "comment" | "feedback" | "review" | "redaction" | "execution" | "queue-conflict" | "run"
        | "exploration-entry" | "wisdom" => whole_entry(name),
        "log" => log_entries("execution-log-entry", "Event"),
        "run-log" => log_entries("run-log-entry", "RunEvent"),
        "roadmap-log" => log_entries("roadmap-log-entry", "RoadmapEvent"),
        "roadmap-checks" => checks(roadmap::RULES),
        _ => panic!("nothing makes the table `{name}`"),
    }
}

/// The page with every table generated again.
fn filled(page: &str) -> String {
    let mut text = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        writeln!(text, "{line}").unwrap();
        if let Some(name) = line.strip_prefix(".\\\" generated: ") {
            text.push_str(&block(name));
            let end = lines.find(|line| *line == ".\\\" end");
            writeln!(text, "{}", end.unwrap_or_else(|| panic!("the table `{name}` has no end"))).unwrap();
        }
    }
    text
}

#[test]
fn the_tables_of_the_format_are_current() {
    let path = super::root().join("man/gitwf-format.5");
    let page = std::fs::read_to_string(&path).unwrap();
    let filled = super::man::tidy(&filled(&page));
    if super::update() {
        std::fs::write(&path, &filled).unwrap();
    } else {
        assert!(page == filled, "`UPDATE_GENERATED=1 cargo test generated` updates the tables");
    }
    for name in [
        "transitions",
        "checks",
        "quality",
        "wf",
        "issue",
        "solution",
        "queue",
        "item",
        "comment",
        "feedback",
        "exploration-entry",
        "review",
        "queue-conflict",
        "redaction",
        "execution",
        "log",
        "run",
        "run-log",
        "wisdom",
        "roadmap",
        "roadmap-log",
        "roadmap-checks",
    ] {
        assert!(filled.contains(&format!(".\\\" generated: {name}\n")), "the page has no table `{name}`");
    }
}

//! Files that are generated from the code and committed: `schemas/`, `man/*.1`, the tables in `man/gitwf-format.5`.
//! These tests check that they are up to date; `UPDATE_GENERATED=1 cargo test generated` regenerates them.

mod answers;
mod command_page;
mod hints;
mod man;
mod patterns;
mod plans;
mod runs;
mod tables;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::cli::schemas::KINDS;
use crate::model::file_bytes;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn update() -> bool {
    std::env::var_os("UPDATE_GENERATED").is_some()
}

/// Checks that the files in `folder` with this extension are exactly these, or writes them.
fn settle(folder: &str, ending: &str, wanted: &BTreeMap<String, Vec<u8>>) {
    let folder = root().join(folder);
    if update() {
        std::fs::create_dir_all(&folder).unwrap();
        for (name, bytes) in wanted {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
    }
    let mut wrong: Vec<String> = Vec::new();
    for (name, bytes) in wanted {
        if std::fs::read(folder.join(name)).ok().as_ref() != Some(bytes) {
            wrong.push(format!("{name} is not current"));
        }
    }
    for entry in folder.read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(ending) && !wanted.contains_key(&name) {
            if update() {
                std::fs::remove_file(folder.join(name)).unwrap();
            } else {
                wrong.push(format!("nothing generates {name} any more"));
            }
        }
    }
    assert!(wrong.is_empty(), "`UPDATE_GENERATED=1 cargo test generated` updates them: {wrong:#?}");
}

#[test]
fn schemas_are_current() {
    let files = KINDS.iter().map(|kind| (format!("{}.json", kind.name), file_bytes(&kind.schema())));
    settle("schemas", ".json", &files.collect());
}

#[test]
fn every_schema_is_sound_and_says_what_it_is() {
    for kind in KINDS {
        let schema = kind.schema();
        assert!(jsonschema::meta::is_valid(&schema), "{}", kind.name);
        jsonschema::draft202012::new(&schema).unwrap_or_else(|error| panic!("{}: {error}", kind.name));
        // Only ECMAScript knows this escape, and only with a flag.
        assert!(!schema.to_string().contains("\\\\u{"), "{}", kind.name);
        assert!(schema["title"].is_string() && schema["description"].is_string(), "{}", kind.name);
        assert!(
            schema.get("$id").is_none() && !schema.to_string().contains("\"$ref\":\"http"),
            "{}",
            kind.name
        );
    }
    let names: std::collections::BTreeSet<_> = KINDS.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), KINDS.len(), "each kind has a name of its own");
}

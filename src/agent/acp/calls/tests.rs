use std::path::PathBuf;

use serde_json::{Value, json};

use super::*;

#[test]
fn a_tool_may_name_its_files_in_many_ways() {
    let input = json!({
        "paths": ["a.txt", "/etc/passwd"], "edits": [{"path": "b.txt", "text": "/no/path"}], "url": "file:///c"
    });
    let announced = ToolRequest { files: vec!["d.txt".into()], ..ToolRequest::default() };
    let asked = |input: Option<Value>| {
        let fields = ToolCallUpdateFields::new().locations(vec![]).raw_input(input);
        with_fields(announced.clone(), fields).files
    };
    let files: Vec<PathBuf> = ["a.txt", "/etc/passwd", "b.txt", "file:///c"].map(PathBuf::from).into();
    assert_eq!(asked(Some(input)), files);
    assert_eq!(asked(None), announced.files);
}

#[test]
fn a_search_is_where_its_globs_lead() {
    let leads_out = |input: Value| {
        let wish = with_fields(ToolRequest::default(), ToolCallUpdateFields::new().raw_input(Some(input)));
        wish.files.iter().any(|file| file.is_absolute() || file.starts_with("..") || file.starts_with("~"))
    };
    for input in [
        json!({"pattern": "/etc/*.conf"}),
        json!({"pattern": "/**/id_rsa"}),
        json!({"pattern": "src/../../x"}),
        json!({"pattern": "~/.ssh/*"}),
        json!({"glob": "{src,/etc}/*"}),
        json!({"include": ["*.rs", "../*.rs"]}),
        json!({"pattern": "x", "glob": "src/{a,..}/../../y"}),
    ] {
        assert!(leads_out(input.clone()), "{input}");
    }
    for input in [
        json!({"pattern": "src/**/*.{rs,toml}"}),
        json!({"pattern": "src/{a,b}/x.rs"}),
        json!({"pattern": "/no-such-directory/users"}),
        json!({"pattern": "a..b|\\.\\./"}),
        json!({"glob": "{src,tests}/x/*.rs", "pattern": "^fn"}),
    ] {
        assert!(!leads_out(input.clone()), "{input}");
    }
}

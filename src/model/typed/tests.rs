use super::*;

#[test]
fn an_error_has_the_path_of_what_is_wrong() {
    for (text, wanted) in [
        (r#"{"list": [{"word": "One"}, {"word": "Two"}]}"#, "list[1].word"),
        (r#"{"list": [{"word": "One"}, {}]}"#, "list[1]"),
        (r#"{"list": 1}"#, "list"),
        ("[]", "."),
    ] {
        let value = strict::parse(text.as_bytes()).unwrap();
        assert_eq!(read_at::<Outer>(&value).unwrap_err().path, wanted);
    }
    let lists = strict::parse(b"[[1, 2], [3, true]]").unwrap();
    assert_eq!(read_at::<Vec<Vec<u8>>>(&lists).unwrap_err().path, "[1][1]");
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Outer {
    #[serde(default)]
    list: Vec<Inner>,
    #[serde(default, deserialize_with = "any_or_none")]
    free: Option<Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    word: Word,
    #[serde(default)]
    number: f64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Word {
    One,
}

fn outer(text: &str) -> Result<Outer, String> {
    read(&strict::parse(text.as_bytes()).unwrap()).map_err(|error| error.to_string())
}

#[test]
fn a_struct_is_an_object_and_a_word_a_text() {
    let sound = outer(r#"{"list": [{"word": "One", "number": 1e2}]}"#).unwrap();
    assert_eq!(sound.list, [Inner { word: Word::One, number: 100.0 }]);
    assert!(outer(r#"[[]]"#).unwrap_err().contains("invalid type: a list, expected an object"));
    assert!(outer(r#"{"list": [["One", 1]]}"#).unwrap_err().contains("expected an object"));
    assert!(outer(r#"{"list": {"0": {}}}"#).unwrap_err().contains("expected a list"));
    assert!(outer(r#"{"list": [{"word": {"One": null}}]}"#).unwrap_err().contains("expected a word"));
}

#[test]
fn null_is_the_same_as_not_there_in_what_has_a_type() {
    let free = r#"{"a":null,"b":[null]}"#;
    let read = outer(&format!(r#"{{"list": null, "x": null, "free": {free}}}"#)).unwrap();
    assert_eq!((read.list.len(), read.free.unwrap().to_string().as_str()), (0, free));
    assert!(outer(r#"{"list": [null]}"#).is_err());
    assert!(outer(r#"{"list": [{"word": null}]}"#).unwrap_err().contains("missing field `word`"));
    assert_eq!(outer(r#"{"free": null}"#).unwrap().free, None);
}

#[test]
fn any_json_passes_through_as_it_is() {
    let free = r#"{"z":1e5,"a":[-0,1E5,{"$serde_json::private::Number":"1"}],"$serde_json::private::RawValue":"{}"}"#;
    let read = outer(&format!(r#"{{"free": {free}}}"#)).unwrap();
    assert_eq!(read.free.as_ref().unwrap().to_string(), free);
    assert_eq!(to_value(&read).unwrap()["free"].to_string(), free);
    // It works with other deserializers, too.
    assert_eq!(serde_json::from_str::<Outer>(r#"{"free": [1, "a"]}"#).unwrap().free.unwrap()[1], "a");
}

//! The digest of a plan: sha256 over its canonical JSON (RFC 8785), so that any program can compute it.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::verbatim::verbatim;

verbatim!(
    /// The digest of a plan, `sha256:` and 64 hex digits. One that a record names may be any text; it is then the
    /// digest of no plan.
    PlanDigest,
    "^sha256:[0-9a-f]{64}$"
);

impl PlanDigest {
    /// The digest of this plan.
    pub(crate) fn of_plan(plan: &Value) -> Self {
        Self(format!("sha256:{}", hex(&Sha256::digest(canonical(plan)))))
    }
}

/// The first bytes of the sha256 of the canonical form, as a number.
pub(crate) fn hash(value: &Value) -> u32 {
    Sha256::digest(canonical(value)).iter().take(4).fold(0, |hash, byte| hash << 8 | u32::from(*byte))
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The [`canonical`] form of an object without some of its own members.
pub(crate) fn canonical_without(value: &Value, without: &[&str]) -> String {
    let mut out = String::new();
    match value {
        Value::Object(map) => {
            write_members(map.iter().filter(|(key, _)| !without.contains(&key.as_str())), &mut out);
        }
        _ => write(value, &mut out),
    }
    out
}

/// RFC 8785: no white space, keys in the order of their UTF-16 code units, numbers as ECMAScript writes them. A number
/// that no double can hold (1e999) stays as it was given, since it has no canonical form.
pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => write_members(map.iter(), out),
        Value::Array(items) => {
            out.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Number(number) => match number.as_f64().filter(|double| double.is_finite()) {
            Some(double) => out.push_str(ryu_js::Buffer::new().format_finite(double)),
            None => out.push_str(&number.to_string()),
        },
        Value::String(text) => quote(text, out),
        Value::Bool(is_true) => out.push_str(if *is_true { "true" } else { "false" }),
        Value::Null => out.push_str("null"),
    }
}

fn write_members<'a>(members: impl Iterator<Item = (&'a String, &'a Value)>, out: &mut String) {
    let mut members: Vec<_> = members.collect();
    members.sort_unstable_by(|(a, _), (b, _)| {
        if a.is_ascii() && b.is_ascii() { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
    });
    out.push('{');
    for (n, (key, value)) in members.into_iter().enumerate() {
        if n > 0 {
            out.push(',');
        }
        quote(key, out);
        out.push(':');
        write(value, out);
    }
    out.push('}');
}

fn quote(text: &str, out: &mut String) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        // serde_json escapes texts as RFC 8785 requires: short escapes if there are any, else \u00xx in lower case.
        out.push_str(&Value::from(text).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 8785, section 3.2.2, with its result in section 3.2.3.
    #[test]
    fn the_example_of_the_standard() {
        let input = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let value: Value = serde_json::from_str(input).unwrap();
        assert_eq!(
            canonical(&value),
            r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
        );
    }

    #[test]
    fn numbers_that_no_double_holds_stand_as_they_were_written() {
        let of = |text: &str| canonical(&crate::model::strict::parse(text.as_bytes()).unwrap());
        assert_eq!(of("[1e400, -1E+400, 1e-400, -0, 1E5]"), "[1e400,-1E+400,0,0,100000]");
    }

    #[test]
    fn keys_are_ordered_by_utf16() {
        let value: Value = serde_json::from_str(
            r#"{"\ufb33":1,"\ud83d\ude00":2,"\u20ac":3,"\r":4,"1":5,"\u0080":6,"\u00f6":7}"#,
        )
        .unwrap();
        let order: Vec<char> = canonical(&value).chars().filter(char::is_ascii_digit).collect();
        // "1" is a key as well: it comes second, before its value 5.
        assert_eq!(order.iter().collect::<String>(), "41567321");
    }

    #[test]
    fn how_a_number_is_written_does_not_matter() {
        let one: Value = serde_json::from_str(r#"{"a": 1.0, "b": 0.950}"#).unwrap();
        let two: Value = serde_json::from_str(r#"{"b": 0.95, "a": 1}"#).unwrap();
        assert_eq!(PlanDigest::of_plan(&one), PlanDigest::of_plan(&two));
        assert_ne!(PlanDigest::of_plan(&one), PlanDigest::of_plan(&serde_json::json!({"a": 1})));
    }
}

//! The gates that a project can close, and the words for it.

use crate::model::Explain;
use crate::model::root::Policy;

/// One gate.
#[derive(Debug)]
pub(crate) struct Gate {
    /// Its name in `wf.json`.
    pub(crate) name: &'static str,
    /// The values it takes; the first is what counts where nothing is set.
    pub(crate) values: &'static [&'static str],
    /// What the last value asks for.
    pub(crate) about: &'static str,
}

/// The gates that can be set, in the order of the record.
pub(crate) static GATES: &[Gate] = &[
    Gate {
        name: "review",
        values: &["none", "required"],
        about: "a plan is queued once somebody other than its author reviewed it as it is",
    },
    Gate {
        name: "commits",
        values: &["free", "required"],
        about: "a commit needs an executing solution; `commit-msg` refuses others",
    },
    Gate {
        name: "evidence",
        values: &["warn", "required"],
        about: "`done` needs linked commits, and passing checks of all tests at the last of them",
    },
];

/// A setting that no gate has.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PolicyError {
    /// Not `gate=value`.
    #[error("`{0}` is not of the form gate=value")]
    Form(String),
    /// No such gate.
    #[error("there is no gate `{0}`")]
    Gate(String),
    /// The gate does not take that value.
    #[error("`{gate}` cannot be `{value}`")]
    Value {
        /// The gate.
        gate: &'static str,
        /// What was asked for.
        value: String,
    },
}

impl Explain for PolicyError {
    fn code(&self) -> &'static str {
        "invalid-policy"
    }

    fn hint(&self) -> Option<String> {
        let forms: Vec<String> = GATES
            .iter()
            .filter(|gate| !matches!(self, Self::Value { gate: name, .. } if *name != gate.name))
            .map(|gate| format!("{}={}", gate.name, gate.values.join("|")))
            .collect();
        Some(format!("allowed: {}", forms.join(", ")))
    }
}

/// Reads `gate=value`.
pub(crate) fn parse(setting: &str) -> Result<(&'static Gate, &'static str), PolicyError> {
    let (name, value) = setting.split_once('=').ok_or_else(|| PolicyError::Form(setting.to_owned()))?;
    let gate = GATES
        .iter()
        .find(|gate| gate.name == name.trim())
        .ok_or_else(|| PolicyError::Gate(name.to_owned()))?;
    let value = value.trim();
    match gate.values.iter().find(|known| **known == value) {
        Some(known) => Ok((gate, known)),
        None => Err(PolicyError::Value { gate: gate.name, value: value.to_owned() }),
    }
}

/// The value of a gate, whether or not anybody set it.
pub(crate) fn value<'a>(policy: &'a Policy, gate: &'static Gate) -> &'a str {
    let set = match gate.name {
        "review" => policy.review.as_deref(),
        "commits" => policy.commits.as_deref(),
        "evidence" => policy.evidence.as_deref(),
        _ => None,
    };
    set.unwrap_or(gate.values[0])
}

/// Sets a gate.
pub(crate) fn set(policy: &mut Policy, gate: &'static Gate, value: &str) {
    let field = match gate.name {
        "review" => &mut policy.review,
        "commits" => &mut policy.commits,
        "evidence" => &mut policy.evidence,
        _ => return,
    };
    *field = Some(value.to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gate_can_be_set_and_read() {
        for gate in GATES {
            let mut policy = Policy::default();
            assert_eq!(value(&policy, gate), gate.values[0]);
            let (parsed, word) = parse(&format!("{}={}", gate.name, gate.values[1])).unwrap();
            set(&mut policy, parsed, word);
            assert_eq!(value(&policy, gate), gate.values[1]);
        }
    }

    #[test]
    fn what_no_gate_has_is_refused_with_what_is_allowed() {
        assert!(matches!(parse("commits"), Err(PolicyError::Form(_))));
        assert!(matches!(parse("weather=fine"), Err(PolicyError::Gate(_))));
        let error = parse("commits=maybe").unwrap_err();
        assert_eq!(error.hint().unwrap(), "allowed: commits=free|required");
        assert_eq!(
            parse("weather=fine").unwrap_err().hint().unwrap(),
            "allowed: review=none|required, commits=free|required, evidence=warn|required"
        );
    }
}

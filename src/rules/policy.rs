//! The gates that a project can close, and their values.

use std::collections::BTreeMap;

use crate::model::Explain;
use crate::model::remedy::Remedies;
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
        about: "a plan is queued only after someone other than its author reviewed its current version",
    },
    Gate {
        name: "commits",
        values: &["free", "required"],
        about: "a commit needs a plan that is being executed; `commit-msg` refuses others",
    },
    Gate {
        name: "evidence",
        values: &["warn", "required"],
        about: "`done` needs linked commits, and a passing check of every test at the last one",
    },
];

/// How strict a value is. An unknown value requires nothing.
fn strictness(gate: &Gate, value: &str) -> usize {
    gate.values.iter().position(|known| *known == value).unwrap_or_default()
}

/// The gates that `after` opens further than `before` does.
pub(crate) fn loosened(before: &Policy, after: &Policy) -> Vec<&'static Gate> {
    let strict = |gate: &'static Gate, policy| strictness(gate, value(policy, gate));
    GATES.iter().filter(|gate| strict(gate, after) < strict(gate, before)).collect()
}

/// How far a server lets its gates be opened, whatever policy is pushed: `wf.floor`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Floor {
    /// By the name of the gate.
    least: BTreeMap<&'static str, &'static str>,
}

impl Floor {
    /// Reads the values of the setting, each a list of `gate=value` with commas; `none` stands for every gate open.
    pub(crate) fn parse<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Self, PolicyError> {
        let mut floor = Self::default();
        for word in values.into_iter().flat_map(|value| value.split(',')).map(str::trim) {
            match word {
                "" => {}
                "none" => {
                    for gate in GATES {
                        floor.least.entry(gate.name).or_insert(gate.values[0]);
                    }
                }
                setting => {
                    let (gate, value) = parse(setting)?;
                    floor.least.insert(gate.name, value);
                }
            }
        }
        Ok(floor)
    }

    /// The policy, with the gates closed that this closes.
    pub(crate) fn under(&self, policy: &Policy) -> Policy {
        let mut policy = policy.clone();
        for gate in GATES {
            if let Some(least) = self.least.get(gate.name)
                && strictness(gate, least) > strictness(gate, value(&policy, gate))
            {
                set(&mut policy, gate, least);
            }
        }
        policy
    }

    /// Whether a push may set the gate to what `policy` says; none if this does not say.
    pub(crate) fn allows(&self, gate: &'static Gate, policy: &Policy) -> Option<bool> {
        let least = self.least.get(gate.name)?;
        Some(strictness(gate, value(policy, gate)) >= strictness(gate, least))
    }
}

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

    fn remedies(&self) -> Remedies {
        let forms: Vec<String> = GATES
            .iter()
            .filter(|gate| !matches!(self, Self::Value { gate: name, .. } if *name != gate.name))
            .map(|gate| format!("{}={}", gate.name, gate.values.join("|")))
            .collect();
        format!("allowed: {}", forms.join(", ")).into()
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
    fn a_floor_closes_gates_and_says_how_far_they_may_be_opened() {
        let of = |settings: &[&str]| {
            let mut policy = Policy::default();
            for setting in settings {
                let (gate, value) = parse(setting).unwrap();
                set(&mut policy, gate, value);
            }
            policy
        };
        let names = |gates: Vec<&'static Gate>| gates.iter().map(|gate| gate.name).collect::<Vec<_>>();
        let (open, closed) = (of(&[]), of(&["commits=required", "review=required"]));
        assert_eq!(names(loosened(&closed, &open)), ["review", "commits"]);
        assert_eq!(names(loosened(&closed, &of(&["commits=required"]))), ["review"]);
        assert!(loosened(&open, &closed).is_empty() && loosened(&closed, &closed).is_empty());
        let unknown = Policy { commits: Some("later".into()), ..closed.clone() };
        assert_eq!(names(loosened(&closed, &unknown)), ["commits"]);

        let floor = Floor::parse(["commits=required, evidence=warn", "review=none"]).unwrap();
        assert_eq!(floor.under(&open), of(&["commits=required"]));
        assert_eq!(floor.under(&closed), closed);
        let allowed = |floor: &Floor| GATES.iter().map(|gate| floor.allows(gate, &open)).collect::<Vec<_>>();
        assert_eq!(allowed(&floor), [Some(true), Some(false), Some(true)]);
        assert_eq!(allowed(&Floor::parse([]).unwrap()), [None; 3]);
        assert_eq!(allowed(&Floor::parse(["none"]).unwrap()), [Some(true); 3]);
        // What is named is not opened by `none`, whichever comes first.
        for values in ["none,commits=required", "commits=required,none"] {
            assert_eq!(allowed(&Floor::parse([values]).unwrap()), [Some(true), Some(false), Some(true)]);
        }
        assert!(Floor::parse(["commits"]).is_err() && Floor::parse(["commits=maybe"]).is_err());
    }

    #[test]
    fn what_no_gate_has_is_refused_with_what_is_allowed() {
        assert!(matches!(parse("commits"), Err(PolicyError::Form(_))));
        assert!(matches!(parse("weather=fine"), Err(PolicyError::Gate(_))));
        let error = parse("commits=maybe").unwrap_err();
        assert_eq!(error.remedies(), Remedies::from("allowed: commits=free|required"));
        assert_eq!(
            parse("weather=fine").unwrap_err().remedies(),
            Remedies::from("allowed: review=none|required, commits=free|required, evidence=warn|required")
        );
    }
}

//! The gates that a project can close, and their values.

use std::collections::BTreeMap;

use crate::model::{Branch, Code, Explain, Policy, Remedies, nearest, text_enum};

text_enum!(
    /// A gate.
    Gate {
        /// Whether a plan needs a review before it is queued.
        Review = "review",
        /// Whether a commit needs a plan that is being executed.
        Commits = "commits",
        /// Whether `done` needs linked commits and passing checks.
        Evidence = "evidence",
        /// Whether completed work must be on the target branch.
        Landed = "landed",
    }
);

/// The value of a gate; the greater one is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GateValue {
    /// No condition. Also used if the value is not set, or unknown to this version.
    Open,
    /// The condition must be met.
    Required,
    /// The condition must be met, and shown to hold.
    Proved,
    /// All of that, by someone whose signature shows it.
    Signed,
}

impl GateValue {
    /// The values that every gate has.
    const USUAL: &'static [Self] = &[Self::Open, Self::Required];
    const OF_EVIDENCE: &'static [Self] = &[Self::Open, Self::Required, Self::Proved, Self::Signed];
}

impl Gate {
    /// The condition, if it is [`GateValue::Required`].
    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::Review => {
                "a plan is queued only after someone other than its author has reviewed its current version"
            }
            Self::Commits => {
                "a commit needs a plan that is being executed; the hook commit-msg rejects other commits"
            }
            Self::Evidence => {
                "`done` needs linked commits, and a passing check of every test for the last one; otherwise it warns. With \
                 `proved`, the tests must also pass as they were before the work, and fail without it; with `signed`, a \
                 verifier who is not the executor must have signed the checks"
            }
            Self::Landed => {
                "`audit` reports an error for completed work that is not on the target branch; otherwise a note"
            }
        }
    }

    /// The word for a value of this gate in `wf.json` and on the command line.
    pub(crate) fn word(self, setting: GateValue) -> &'static str {
        match (setting, self) {
            (GateValue::Required, _) => "required",
            (GateValue::Proved, _) => "proved",
            (GateValue::Signed, _) => "signed",
            (GateValue::Open, Self::Review) => "none",
            (GateValue::Open, Self::Commits) => "free",
            (GateValue::Open, Self::Evidence) => "warn",
            (GateValue::Open, Self::Landed) => "note",
        }
    }

    /// The words for its values, the open one first.
    pub(crate) fn settings(self) -> Vec<&'static str> {
        self.values().iter().map(|setting| self.word(*setting)).collect()
    }

    /// Its values, the open one first.
    fn values(self) -> &'static [GateValue] {
        match self {
            Self::Evidence => GateValue::OF_EVIDENCE,
            Self::Review | Self::Commits | Self::Landed => GateValue::USUAL,
        }
    }

    /// Its value in a policy.
    pub(crate) fn setting(self, policy: &Policy) -> GateValue {
        let field = match self {
            Self::Review => &policy.review,
            Self::Commits => &policy.commits,
            Self::Evidence => &policy.evidence,
            Self::Landed => &policy.landed,
        };
        let word = field.as_deref();
        let found = self.values().iter().find(|setting| word == Some(self.word(**setting)));
        found.copied().unwrap_or(GateValue::Open)
    }

    /// Whether a policy requires the condition.
    pub(crate) fn is_required(self, policy: &Policy) -> bool {
        self.setting(policy) >= GateValue::Required
    }

    /// Sets its value in a policy.
    pub(crate) fn set(self, policy: &mut Policy, setting: GateValue) {
        let field = match self {
            Self::Review => &mut policy.review,
            Self::Commits => &mut policy.commits,
            Self::Evidence => &mut policy.evidence,
            Self::Landed => &mut policy.landed,
        };
        *field = Some(self.word(setting).to_owned());
    }
}

/// The gates that `after` loosens compared with `before`.
pub(crate) fn loosened(before: &Policy, after: &Policy) -> Vec<Gate> {
    Gate::ALL.iter().copied().filter(|gate| gate.setting(after) < gate.setting(before)).collect()
}

/// How far a server lets a push loosen its gates: `wf.floor`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Floor {
    least: BTreeMap<Gate, GateValue>,
}

impl Floor {
    /// Reads the values of the setting, each a comma-separated list of `gate=value`; `none` lets everyone loosen every
    /// gate.
    pub(crate) fn parse<'a>(values: impl IntoIterator<Item = &'a str>) -> Result<Self, PolicyError> {
        let mut floor = Self::default();
        for word in values.into_iter().flat_map(|value| value.split(',')).map(str::trim) {
            match word {
                "" => {}
                "none" => {
                    for gate in Gate::ALL {
                        floor.least.entry(*gate).or_insert(GateValue::Open);
                    }
                }
                setting => {
                    let (gate, least) = parse(setting)?;
                    floor.least.insert(gate, least);
                }
            }
        }
        Ok(floor)
    }

    /// The policy, made at least as strict as this.
    pub(crate) fn under(&self, policy: &Policy) -> Policy {
        let mut policy = policy.clone();
        for (gate, least) in &self.least {
            if *least > gate.setting(&policy) {
                gate.set(&mut policy, *least);
            }
        }
        policy
    }

    /// Whether a push may set the gate to its value in `policy`; `None` if the floor does not name the gate.
    pub(crate) fn allows(&self, gate: Gate, policy: &Policy) -> Option<bool> {
        self.least.get(&gate).map(|least| gate.setting(policy) >= *least)
    }
}

/// The name of the setting that names the target branch.
pub(crate) const ONTO: &str = "land.onto";

/// The branch on which work lands, as a policy names it; `None` if it names none, or what no branch can be called.
pub(crate) fn land_onto(policy: &Policy) -> Option<Branch> {
    named_branch(policy.onto.as_deref()?)
}

/// A branch by its short or its full name.
pub(crate) fn named_branch(name: &str) -> Option<Branch> {
    Branch::parse(name).or_else(|| Branch::of_short(name))
}

/// A setting of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PolicySetting {
    /// The value of a gate.
    Gate(Gate, GateValue),
    /// The branch on which work lands; `None` unsets it.
    Onto(Option<Branch>),
}

impl PolicySetting {
    /// Reads `gate=value` or `land.onto=BRANCH`.
    pub(crate) fn parse(setting: &str) -> Result<Self, PolicyError> {
        let Some((_, name)) = setting.split_once('=').filter(|(key, _)| key.trim() == ONTO) else {
            return parse(setting).map(|(gate, value)| Self::Gate(gate, value));
        };
        let name = name.trim();
        if name.is_empty() {
            return Ok(Self::Onto(None));
        }
        let branch = named_branch(name).ok_or_else(|| PolicyError::Branch(name.to_owned()))?;
        Ok(Self::Onto(Some(branch)))
    }

    /// Writes it into a policy.
    pub(crate) fn apply(&self, policy: &mut Policy) {
        match self {
            Self::Gate(gate, value) => gate.set(policy, *value),
            Self::Onto(branch) => policy.onto = branch.as_ref().map(|branch| branch.short().to_owned()),
        }
    }
}

impl std::fmt::Display for PolicySetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Gate(gate, value) => write!(f, "{gate}={}", gate.word(*value)),
            Self::Onto(branch) => write!(f, "{ONTO}={}", branch.as_ref().map_or("", |it| it.short())),
        }
    }
}

/// An invalid setting of a policy.
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
        gate: Gate,
        /// What was asked for.
        value: String,
    },
    /// The target is not the name of a branch.
    #[error("`{0}` cannot be the name of a branch")]
    Branch(String),
}

impl Explain for PolicyError {
    fn code(&self) -> Code {
        Code::InvalidPolicy
    }

    fn remedies(&self) -> Remedies {
        if let Self::Branch(_) = self {
            return format!("name the branch on which work lands, such as {ONTO}=main").into();
        }
        let forms: Vec<String> = Gate::ALL
            .iter()
            .filter(|gate| !matches!(self, Self::Value { gate: named, .. } if named != *gate))
            .map(|gate| {
                gate.settings()
                    .iter()
                    .map(|setting| format!("{gate}={setting}"))
                    .collect::<Vec<_>>()
                    .join(" or ")
            })
            .collect();
        let near = match self {
            Self::Gate(name) => nearest(name.trim(), Gate::ALL.iter().map(|gate| gate.as_str())),
            Self::Form(_) | Self::Value { .. } | Self::Branch(_) => None,
        };
        let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        format!("{near}use {}", forms.join("; ")).into()
    }
}

/// Reads `gate=value`.
pub(crate) fn parse(setting: &str) -> Result<(Gate, GateValue), PolicyError> {
    let (name, value) = setting.split_once('=').ok_or_else(|| PolicyError::Form(setting.to_owned()))?;
    let gate = Gate::parse(name.trim()).ok_or_else(|| PolicyError::Gate(name.to_owned()))?;
    let value = value.trim();
    let setting = gate.values().iter().find(|setting| gate.word(**setting) == value);
    setting
        .map(|setting| (gate, *setting))
        .ok_or_else(|| PolicyError::Value { gate, value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gate_can_be_set_and_read() {
        for gate in Gate::ALL {
            let mut policy = Policy::default();
            assert!(!gate.is_required(&policy));
            for (word, setting) in gate.settings().into_iter().zip(gate.values().iter().copied()).rev() {
                let (parsed, read) = parse(&format!("{gate}={word}")).unwrap();
                assert_eq!((parsed, read), (*gate, setting));
                gate.set(&mut policy, read);
                assert_eq!(gate.setting(&policy), setting);
            }
        }
    }

    #[test]
    fn a_floor_closes_gates_and_says_how_far_they_may_be_opened() {
        let of = |settings: &[&str]| {
            let mut policy = Policy::default();
            for setting in settings {
                let (gate, setting) = parse(setting).unwrap();
                gate.set(&mut policy, setting);
            }
            policy
        };
        let names = |gates: Vec<Gate>| gates.into_iter().map(Gate::as_str).collect::<Vec<_>>();
        let (open, closed) = (of(&[]), of(&["commits=required", "review=required"]));
        assert_eq!(names(loosened(&closed, &open)), ["review", "commits"]);
        assert_eq!(names(loosened(&closed, &of(&["commits=required"]))), ["review"]);
        assert!(loosened(&open, &closed).is_empty() && loosened(&closed, &closed).is_empty());
        let unknown = Policy { commits: Some("later".into()), ..closed.clone() };
        assert_eq!(names(loosened(&closed, &unknown)), ["commits"]);

        let floor = Floor::parse(["commits=required, evidence=warn", "review=none"]).unwrap();
        assert_eq!(floor.under(&open), of(&["commits=required"]));
        assert_eq!(floor.under(&closed), closed);
        let allowed =
            |floor: &Floor| Gate::ALL.iter().map(|gate| floor.allows(*gate, &open)).collect::<Vec<_>>();
        assert_eq!(allowed(&floor), [Some(true), Some(false), Some(true), None]);
        assert_eq!(allowed(&Floor::parse([]).unwrap()), [None; 4]);
        assert_eq!(allowed(&Floor::parse(["none"]).unwrap()), [Some(true); 4]);
        // `none` does not affect named gates, in whatever order.
        for values in ["none,commits=required", "commits=required,none"] {
            assert_eq!(
                allowed(&Floor::parse([values]).unwrap()),
                [Some(true), Some(false), Some(true), Some(true)]
            );
        }
        assert!(Floor::parse(["commits"]).is_err() && Floor::parse(["commits=maybe"]).is_err());
    }

    #[test]
    fn what_no_gate_has_is_refused_with_what_is_allowed() {
        assert!(matches!(parse("commits"), Err(PolicyError::Form(_))));
        assert!(matches!(parse("weather=fine"), Err(PolicyError::Gate(_))));
        let error = parse("commits=maybe").unwrap_err();
        assert_eq!(error.remedies(), Remedies::from("use commits=free or commits=required"));
        assert_eq!(
            parse("weather=fine").unwrap_err().remedies(),
            Remedies::from(
                "use review=none or review=required; commits=free or commits=required; evidence=warn or evidence=required or evidence=proved or evidence=signed; landed=note or landed=required"
            )
        );
    }

    #[test]
    fn the_target_is_a_branch_by_its_short_or_its_full_name() {
        let mut policy = Policy::default();
        for (setting, short) in [("land.onto=trunk", "trunk"), ("land.onto = refs/heads/a/b", "a/b")] {
            PolicySetting::parse(setting).unwrap().apply(&mut policy);
            assert_eq!(land_onto(&policy).unwrap().short(), short);
        }
        PolicySetting::parse("land.onto=").unwrap().apply(&mut policy);
        assert_eq!((land_onto(&policy), policy), (None, Policy::default()));
        assert!(matches!(PolicySetting::parse("land.onto=a..b"), Err(PolicyError::Branch(_))));
        let hostile = Policy { onto: Some("a b".into()), ..Policy::default() };
        assert_eq!(land_onto(&hostile), None);
    }

    #[test]
    fn a_slip_is_answered_with_the_nearest_gate() {
        let near = |setting: &str| format!("{:?}", parse(setting).unwrap_err().remedies().into_vec());
        assert!(near("revew=required").contains("did you mean `review`?"));
        assert!(!near("zzzzzz=required").contains("did you mean"));
    }
}

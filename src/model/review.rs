//! Reviews: the opinion of someone other than the author about a version of a plan. Written once.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::declare::entry;
use super::text_enum::text_enum;
use super::{Person, PlanDigest, Time};

text_enum!(
    /// The verdict of a review, mildest first.
    Verdict {
        /// The plan may be executed.
        Approved = "approved",
        /// It may be executed, but the findings should be addressed first.
        Concerns = "concerns",
        /// It may not be queued as it is.
        Rejected = "rejected",
    }
);

/// A number from 0 to 100. A whole one is written without a fraction.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Score(f64);

impl Score {
    /// `None` for anything but a number from 0 to 100.
    pub(crate) fn new(number: f64) -> Option<Self> {
        // Adding zero turns a negative zero into a positive one.
        (0.0..=100.0).contains(&number).then_some(Self(number + 0.0))
    }

    /// The nearest whole number; halves go up.
    pub(crate) fn rounded(self) -> Self {
        Self(self.0.round())
    }

    /// The number.
    pub(crate) fn get(self) -> f64 {
        self.0
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 {
            // At most 100, so the cast loses nothing.
            serializer.serialize_u8(self.0 as u8)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        Self::new(number).ok_or_else(|| D::Error::custom(format!("{number} is not between 0 and 100")))
    }
}

impl JsonSchema for Score {
    fn schema_name() -> Cow<'static, str> {
        "Score".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "number", "minimum": 0, "maximum": 100})
    }
}

/// A reviewer's scores for a plan; 100 is best.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Scores {
    /// Whether it will work.
    pub(crate) technical: Score,
    /// Whether the risks are known and small: 100 means no risk.
    pub(crate) risk: Score,
    /// Whether it covers everything that was asked for.
    pub(crate) completeness: Score,
}

impl Scores {
    /// What a verdict without scores counts as: the same in each.
    pub(crate) fn of_verdict(verdict: Verdict) -> Self {
        let score = Score(match verdict {
            Verdict::Approved => 100.0,
            Verdict::Concerns => 70.0,
            Verdict::Rejected => 0.0,
        });
        Self { technical: score, risk: score, completeness: score }
    }

    /// 0.4·technical + 0.3·risk + 0.3·completeness, to the nearest whole number.
    pub(crate) fn total(&self) -> Score {
        // In tenths, so that the sum of whole scores is exact.
        let tenths = 4.0 * self.technical.0 + 3.0 * self.risk.0 + 3.0 * self.completeness.0;
        Score(tenths / 10.0).rounded()
    }
}

entry! {
    /// One reviewer's opinion of a plan. It is about the plan with this digest, and no longer counts once the plan changes.
    Review {
        /// The verdict: that of the total, or harsher.
        fact verdict: Verdict,
        /// technical, risk, completeness: each 0 to 100.
        fact scores: Scores,
        /// 0.4·technical + 0.3·risk + 0.3·completeness, rounded to a whole number.
        fact total: Score,
        /// What should change.
        text findings: Vec<String> = default,
        /// The digest of the plan that was reviewed.
        decides plan_digest: PlanDigest,
        /// The reviewer.
        decides author: Person,
        /// The time.
        fact created_at: Time,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_str, to_string};

    fn scores(technical: f64, risk: f64, completeness: f64) -> Scores {
        let score = |number| Score::new(number).unwrap();
        Scores { technical: score(technical), risk: score(risk), completeness: score(completeness) }
    }

    #[test]
    fn the_total_of_whole_scores_is_exact() {
        for (of, total) in [
            ((80.0, 80.0, 80.0), "80"),
            ((60.0, 60.0, 60.0), "60"),
            ((100.0, 100.0, 100.0), "100"),
            ((0.0, 0.0, 0.0), "0"),
            ((77.0, 83.0, 91.0), "83"),
            ((85.0, 70.0, 60.0), "73"),
            ((79.0, 80.0, 80.0), "80"),
            ((33.33, 66.66, 99.99), "63"),
            ((59.0, 60.0, 60.0), "60"),
            ((60.0, 58.0, 60.0), "59"),
            ((55.0, 60.0, 65.0), "60"),
            ((61.0, 50.0, 67.0), "60"),
            ((61.0, 51.0, 66.0), "60"),
            ((62.0, 55.0, 60.0), "59"),
        ] {
            assert_eq!(scores(of.0, of.1, of.2).total().to_string(), total, "{of:?}");
        }
    }

    #[test]
    fn a_score_is_a_number_from_0_to_100() {
        for text in ["0", "100", "87.5", "1e1"] {
            assert!(from_str::<Score>(text).is_ok(), "{text}");
        }
        for text in ["-1", "100.01", "1e999", "-1e999", "\"80\"", "null", "true", "[80]", "NaN"] {
            assert!(from_str::<Score>(text).is_err(), "{text}");
        }
        assert!(Score::new(f64::NAN).is_none() && Score::new(f64::INFINITY).is_none());
        assert_eq!(to_string(&from_str::<Score>("80.0").unwrap()).unwrap(), "80");
        assert_eq!(to_string(&from_str::<Score>("87.50").unwrap()).unwrap(), "87.5");
        assert_eq!(to_string(&from_str::<Score>("-0.0").unwrap()).unwrap(), "0");
    }

    #[test]
    fn scores_are_all_there_whatever_a_later_version_adds() {
        let whole = r#"{"technical": 90, "risk": 80, "completeness": 70}"#;
        let more = r#"{"technical": 90, "risk": 80, "completeness": 70, "style": 1}"#;
        for text in [whole, more] {
            assert_eq!(from_str::<Scores>(text).unwrap().total().to_string(), "81");
        }
        for text in
            [r#"{"technical": 90, "risk": 80}"#, r#"{"technical": 90, "risk": 80, "completeness": null}"#]
        {
            assert!(from_str::<Scores>(text).is_err(), "{text}");
        }
    }
}

//! The document of a refusal: the same for programs, scripts and agents, which each have their own form of a remedy.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Code;
use crate::model::declare::is_default;

/// One line with what is wrong, one with what to do.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ErrorAnswer")]
pub(crate) struct ErrorAnswer<R> {
    error: ErrorBody<R>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ErrorBody")]
struct ErrorBody<R> {
    /// What is wrong, in a stable word for programs.
    code: Code,
    /// What is wrong, with the value in question.
    message: String,
    /// What to do about it.
    hint: Option<String>,
    /// Details, such as candidates or findings, one each.
    #[serde(skip_serializing_if = "is_default")]
    details: Vec<String>,
    /// What can be done about it and about its details: operations to call, or commands of other programs. The hint and
    /// the details say the same in words, and may add advice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<R>")]
    remedies: Option<Vec<R>>,
}

impl<R: PartialEq> ErrorAnswer<R> {
    /// The document: each detail in a sentence, and each of the remedies once. `None` leaves them out.
    pub(crate) fn new(
        code: Code,
        message: &str,
        hint: Option<String>,
        details: Vec<String>,
        remedies: Option<Vec<R>>,
    ) -> Self {
        let remedies = remedies.map(|all| {
            let mut once: Vec<R> = Vec::new();
            for remedy in all {
                if !once.contains(&remedy) {
                    once.push(remedy);
                }
            }
            once
        });
        Self { error: ErrorBody { code, message: message.to_owned(), hint, details, remedies } }
    }
}

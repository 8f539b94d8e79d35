//! Performs the operation of a form, as the user who started the server.

use super::{issues, plans, queue, work};
use crate::model::Code;
use crate::ops::{Refusal, Session};
use crate::web::place::{Place, Query};

/// The page to show next (`None`: the page of the form), or a refusal and its field.
pub(in crate::web) type Performed = Result<Option<Place>, Fault>;

/// A refused form.
#[derive(Debug)]
pub(in crate::web) struct Fault {
    pub(in crate::web) refusal: Refusal,
    /// The field at fault, if known.
    pub(in crate::web) field: Option<&'static str>,
}

impl<R: Into<Refusal>> From<R> for Fault {
    fn from(refusal: R) -> Self {
        Self { refusal: refusal.into(), field: None }
    }
}

impl Fault {
    /// A refusal at a field.
    pub(super) fn at(field: &'static str, refusal: impl Into<Refusal>) -> Self {
        Self { refusal: refusal.into(), field: Some(field) }
    }
}

/// The operation of a form.
pub(super) type FormDeed = fn(&Session, &Query) -> Performed;

/// The operations, by the last part of the form's address.
const DEEDS: &[(&str, FormDeed)] = &[
    ("new", issues::new),
    ("edit", issues::edit),
    ("comment", issues::comment),
    ("move", issues::set_status),
    ("feedback", issues::feedback),
    ("bind", plans::bind),
    ("review", plans::review),
    ("withdraw", plans::withdraw),
    ("queue-add", queue::add),
    ("queue-order", queue::order),
    ("queue-hold", queue::hold),
    ("queue-release", queue::release),
    ("queue-remove", queue::remove),
    ("queue-resolve", queue::resolve),
    ("settle", work::settle),
    ("retry", work::retry),
    ("lease-release", work::release),
    ("run-stop", work::stop),
    ("run-add", work::add),
    ("run-answer", work::answer),
    ("run-pause", work::pause),
    ("run-resume", work::resume),
];

/// Performs the operation with this name.
pub(in crate::web) fn perform(session: &Session, name: &str, input: &Query) -> Performed {
    match DEEDS.iter().find(|deed| deed.0 == name) {
        Some((_, deed)) => deed(session, input),
        None => Err(Refusal::new(Code::NotFound, format!("there is no form `{name}`"))
            .hint("reload the page: it is from another version of git-wf")
            .into()),
    }
}

/// A required value. A blank one is refused.
pub(super) fn needed<'a>(input: &'a Query, name: &'static str) -> Result<&'a str, Fault> {
    input
        .get(name)
        .ok_or_else(|| Fault::at(name, Refusal::usage(format!("`{name}` is empty")).hint("fill it in")))
}

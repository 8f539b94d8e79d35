//! What is done when a form is sent: one operation, in the session of whoever started the server.

use super::{issues, plans, queue, work};
use crate::model::code::Code;
use crate::ops::{Refusal, Session};
use crate::web::place::{Place, Query};

/// What a form came to: the page to show next, or the refusal and the field at which it belongs.
pub(in crate::web) type Performed = Result<Option<Place>, Fault>;

/// A refused form.
#[derive(Debug)]
pub(in crate::web) struct Fault {
    pub(in crate::web) refusal: Refusal,
    /// The field that is at fault, if it is known.
    pub(in crate::web) field: Option<&'static str>,
}

impl<R: Into<Refusal>> From<R> for Fault {
    fn from(refusal: R) -> Self {
        Self { refusal: refusal.into(), field: None }
    }
}

impl Fault {
    /// The fault of a field.
    pub(super) fn at(field: &'static str, refusal: impl Into<Refusal>) -> Self {
        Self { refusal: refusal.into(), field: Some(field) }
    }
}

/// A form that performs an operation.
pub(super) type Deed = fn(&Session, &Query) -> Performed;

/// The operations, by the last part of the address that their forms are sent to.
const DEEDS: &[(&str, Deed)] = &[
    ("new", issues::new),
    ("edit", issues::edit),
    ("comment", issues::comment),
    ("move", issues::set_status),
    ("feedback", issues::feedback),
    ("bind", plans::bind),
    ("review", plans::review),
    ("queue-add", queue::add),
    ("queue-order", queue::order),
    ("queue-hold", queue::hold),
    ("queue-release", queue::release),
    ("queue-remove", queue::remove),
    ("queue-resolve", queue::resolve),
    ("settle", work::settle),
    ("retry", work::retry),
    ("lease-release", work::release),
];

/// Performs the operation with this name. `None` stays on the page.
pub(in crate::web) fn perform(session: &Session, name: &str, input: &Query) -> Performed {
    match DEEDS.iter().find(|deed| deed.0 == name) {
        Some((_, deed)) => deed(session, input),
        None => Err(Refusal::new(Code::NotFound, format!("no form performs `{name}`")).into()),
    }
}

/// A value that a form always sends.
pub(super) fn needed<'a>(input: &'a Query, name: &'static str) -> Result<&'a str, Fault> {
    input
        .get(name)
        .ok_or_else(|| Fault::at(name, Refusal::usage(format!("`{name}` is empty")).hint("fill it in")))
}

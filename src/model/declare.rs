//! Declares a record or an object once: the type, the names of its fields, their order, how each merges, and which of
//! them can be hidden. A field that ends in `= default` may be absent, and is not written while it has its default value.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ExecutionStatus, Shape, SolutionId};

/// A type whose fields have an order.
pub(crate) trait Shaped {
    /// The order of keys in a value of this type.
    const SHAPE: Shape = Shape::Any;
    /// The names of its fields, in order.
    const NAMES: &'static [&'static str] = &[];
}

impl Shaped for String {}
impl Shaped for bool {}
impl Shaped for f64 {}
impl Shaped for Value {}
impl Shaped for SolutionId {}
impl Shaped for ExecutionStatus {}
impl<T> Shaped for BTreeSet<T> {}

impl<T: Shaped> Shaped for Option<T> {
    const SHAPE: Shape = T::SHAPE;
}

impl<T: Shaped + 'static> Shaped for Vec<T> {
    const SHAPE: Shape = Shape::Items(&T::SHAPE);
}

/// Whether a field that may be absent is.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Declares an object within a record. In `kind as "type": Option<String>`, the field has another name in JSON.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $field:ident $(as $text:literal)?: $type:ty $(= $absent:ident)?),+ $(,)?
    }) => {
        #[derive(Debug, Clone, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$doc])*
        pub(crate) struct $name {
            $(
                $(#[serde(rename = $text)])?
                $(#[serde($absent, skip_serializing_if = "crate::model::declare::is_default")])?
                $(#[$about])*
                pub(crate) $field: $type
            ),+
        }

        impl $crate::model::declare::Shaped for $name {
            const SHAPE: $crate::model::schema::Shape = $crate::model::schema::Shape::Fields(&[$((
                $crate::model::declare::name!($field $($text)?),
                <$type as $crate::model::declare::Shaped>::SHAPE,
            )),+]);
            const NAMES: &'static [&'static str] = &[$($crate::model::declare::name!($field $($text)?)),+];
        }
    };
}

/// The name of a field in JSON.
macro_rules! name {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $text:literal) => {
        $text
    };
}

/// Declares a record with a clock. Each field starts with how it merges: `once`, `greatest`, `register`, `set`,
/// `object` for a register for each of its known leaves, or `map` for one for each leaf. The schema, the rule for two births and the check of the types
/// follow the fields.
macro_rules! record {
    (
        $(#[$doc:meta])* $name:ident {
            $($(#[$about:meta])* $kind:ident $field:ident: $type:ty $(= $absent:ident)? $(=> $more:ident($($arg:expr)?))?),+ $(,)?
        }
        $(#[$merges:meta])* $schema:ident = $text:literal, $births:ident, $check:expr $(,)?
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$doc])*
        pub(crate) struct $name {
            $(
                $(#[serde($absent, skip_serializing_if = "crate::model::declare::is_default")])?
                $(#[$about])*
                pub(crate) $field: $type
            ),+
        }

        $(#[$merges])*
        pub(crate) static $schema: $crate::model::schema::Schema = $crate::model::schema::Schema {
            name: $text,
            fields: &[$($crate::model::declare::field!($kind $field $type)$(.$more($($arg)?))?),+],
            births: $crate::model::schema::Births::$births,
            check: $check,
        };
    };
}

/// How a field merges.
macro_rules! field {
    (object $field:ident $type:ty) => {
        $crate::model::schema::Field::object(
            stringify!($field),
            <$type as $crate::model::declare::Shaped>::NAMES,
        )
    };
    ($kind:ident $field:ident $type:ty) => {
        $crate::model::schema::Field::$kind(stringify!($field))
    };
}

/// Declares something that is written once: a claim, a run, or what an entry of a log says. Each field starts with
/// what it is: `text` was written by someone, and `redact` hides it; `fact` is an id, a time, a number or a word, which
/// is hidden only by name; `decides` is never hidden, since decisions depend on it.
macro_rules! once {
    ($(#[$doc:meta])* $name:ident {
        $($(#[$about:meta])* $part:ident $field:ident $(as $text:literal)?: $type:ty $(= $absent:ident)?),+ $(,)?
    }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$doc])*
        pub(crate) struct $name {
            $(
                $(#[serde(rename = $text)])?
                $(#[serde($absent, skip_serializing_if = "crate::model::declare::is_default")])?
                $(#[$about])*
                pub(crate) $field: $type
            ),+
        }

        impl $crate::model::record::Once for $name {
            const MEMBERS: $crate::model::record::Members =
                &[&[$($crate::model::record::RecordMember::$part($crate::model::declare::name!($field $($text)?))),+]];
        }
    };
}

/// Declares an entry of a log, with its id as the first field.
macro_rules! entry {
    ($(#[$doc:meta])* $name:ident { $($fields:tt)+ }) => {
        $crate::model::declare::once! {
            $(#[$doc])*
            $name {
                /// The entry's id.
                fact id: $crate::model::id::EntryId,
                $($fields)+
            }
        }

        $crate::model::record::entries!($name);
    };
}

pub(crate) use {entry, field, name, object, once, record};

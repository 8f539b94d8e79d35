//! Logs of what happened: an entry is `{id, type, …, actor, at}`, and its `type` decides which members are in between.

/// Declares, from one list, the enum of the contents that an entry can have, and the entry, with serde and JSON Schema.
/// The first line of the entry's documentation is the description in its schema. The line after it says whether
/// decisions depend on the actor (see [`super::declare::once`]).
macro_rules! log_entry {
    (
        $(#[$event_doc:meta])* $event:ident,
        #[doc = $about:literal] $entry:ident,
        $part:ident actor,
        $($variant:ident($type:ty) = $name:literal),+ $(,)?
    ) => {
        $(#[$event_doc])*
        #[derive(Debug, Clone, PartialEq)]
        #[allow(missing_docs)] // Each variant is documented at its type.
        pub(crate) enum $event { $($variant($type)),+ }

        impl $event {
            /// The word in the entry's `type`.
            pub(crate) fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name),+ }
            }

            fn to_value(&self) -> Result<serde_json::Value, serde_json::Error> {
                match self { $(Self::$variant(event) => crate::model::typed::to_value(event)),+ }
            }

            fn from_fields(name: &str, fields: &serde_json::Value) -> Result<Self, String> {
                match name {
                    $($name => crate::model::typed::read(fields).map(Self::$variant).map_err(|e| e.to_string()),)+
                    _ => Err(format!("unknown type `{name}`, expected one of {}", [$($name),+].join(", "))),
                }
            }
        }

        impl schemars::JsonSchema for $event {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($event).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let variants = [$({
                    let inner = generator.subschema_for::<$type>();
                    schemars::json_schema!({
                        "allOf": [inner],
                        "properties": {"type": {"const": $name}},
                        "required": ["type"]
                    })
                }),+];
                schemars::json_schema!({"oneOf": variants})
            }
        }

        #[doc = $about]
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) struct $entry {
            /// The entry's id.
            pub(crate) id: crate::model::id::EntryId,
            /// What happened.
            pub(crate) event: $event,
            /// Who recorded it.
            pub(crate) actor: crate::model::person::Person,
            /// The time.
            pub(crate) at: crate::model::time::Time,
        }

        crate::model::record::entries!($entry);

        impl crate::model::record::Once for $entry {
            const MEMBERS: crate::model::record::Members = &[
                &[crate::model::record::RecordMember::$part("actor")],
                $(<$type as crate::model::record::Once>::MEMBERS[0]),+
            ];
        }

        impl serde::Serialize for $entry {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serde_json::Map::new();
                map.insert("id".into(), self.id.to_string().into());
                map.insert("type".into(), self.event.name().into());
                let fields = self.event.to_value().map_err(serde::ser::Error::custom)?;
                if let serde_json::Value::Object(fields) = fields {
                    map.extend(fields);
                }
                map.insert("actor".into(), self.actor.as_str().into());
                map.insert("at".into(), self.at.to_string().into());
                map.serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $entry {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                use serde::de::Error;
                let value = crate::model::typed::any(deserializer)?;
                let frame: crate::model::log_entry::Frame =
                    crate::model::typed::read(&value).map_err(D::Error::custom)?;
                let event = $event::from_fields(&frame.kind, &value).map_err(D::Error::custom)?;
                Ok(Self { id: frame.id, event, actor: frame.actor, at: frame.at })
            }
        }

        impl schemars::JsonSchema for $entry {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($entry).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                let event = generator.subschema_for::<$event>();
                let id = generator.subschema_for::<crate::model::id::EntryId>();
                let at = generator.subschema_for::<crate::model::time::Time>();
                schemars::json_schema!({
                    "description": $about.trim(),
                    "allOf": [event],
                    "type": "object",
                    "properties": {"id": id, "actor": {"type": "string"}, "at": at},
                    "required": ["id", "type", "actor", "at"]
                })
            }
        }
    };
}

pub(crate) use log_entry;

/// What all entries have in common.
#[derive(serde::Deserialize)]
pub(super) struct Frame {
    pub(super) id: super::id::EntryId,
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) actor: super::person::Person,
    pub(super) at: super::time::Time,
}

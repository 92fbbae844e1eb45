//! Deserializers of setting values.

use std::time::Duration;

use serde::Deserialize;
use serde::de::Deserializer;

/// Deserializes a text; an empty one becomes `None`.
pub(super) fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(|text| (!text.is_empty()).then_some(text))
}

/// Deserializes a choice; `auto` becomes `None`.
pub(super) fn optional_choice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(|text| (text != "auto").then_some(text))
}

/// Deserializes whole seconds.
pub(super) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_secs)
}

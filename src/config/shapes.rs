//! Values of settings as they are read into types.

use std::time::Duration;

use serde::Deserialize;
use serde::de::Deserializer;

/// Reads a text; an empty one is none.
pub(super) fn optional_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(|text| (!text.is_empty()).then_some(text))
}

/// Reads a choice; `auto` leaves it open.
pub(super) fn optional_choice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    String::deserialize(deserializer).map(|text| (text != "auto").then_some(text))
}

/// Reads whole seconds.
pub(super) fn seconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    u64::deserialize(deserializer).map(Duration::from_secs)
}

//! What a delivery is given.

use jiff::Zoned;

use crate::config::{Environment, ScheduleSettings};

/// A result and what its deliveries need.
pub(super) struct Parcel<'a> {
    pub(super) schedule: &'a ScheduleSettings,
    /// Redacted, without control characters, of bounded length, never empty.
    pub(super) text: &'a str,
    /// When the run began.
    pub(super) time: &'a Zoned,
    pub(super) environment: &'a Environment,
}

//! Input of a delivery.

use jiff::Zoned;

use crate::{Environment, ScheduleSettings};

/// A result with the context of its deliveries.
pub(super) struct Parcel<'a> {
    pub(super) schedule: &'a ScheduleSettings,
    /// The result: redacted, without control characters, of bounded length, never empty.
    pub(super) text: &'a str,
    /// Start of the run.
    pub(super) time: &'a Zoned,
    pub(super) environment: &'a Environment,
}

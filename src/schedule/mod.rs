//! The person's schedules.

//! Conditions on the properties of a note.

use serde::{Deserialize, Serialize};

use super::DateRange;

/// A condition on one property of a note, such as `rating:>3`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PropertyCondition {
    /// The name of the property, as typed.
    pub name: String,
    /// The test that one of its values must pass; without one, any value does.
    pub test: Option<PropertyTest>,
    /// Whether the condition holds for the other notes instead: those without such a value.
    pub is_excluded: bool,
}

/// A comparison with a value: as numbers if both are numbers, as days if both are dates, else as words.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PropertyTest {
    /// How a value of a note compares with this one.
    pub comparison: Comparison,
    /// This value as words; a star at its end stands for any rest.
    pub text: String,
    /// This value as a number, if it is one.
    pub number: Option<f64>,
    /// The days that this value names, if it names any.
    pub days: Option<DateRange>,
}

/// How a value of a note compares with that of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Comparison {
    /// It is the same; a day lies in the period.
    Equal,
    /// It is less, or before the period.
    Less,
    /// It is less or the same, or not after the period.
    AtMost,
    /// It is greater, or after the period.
    Greater,
    /// It is greater or the same, or not before the period.
    AtLeast,
}

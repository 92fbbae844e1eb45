//! How far what is brought up unasked may come from.

use serde::{Deserialize, Serialize};

/// Whose notes of sessions an agent is given unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Those of every project.
    All,
    /// Those of the project that the agent works in.
    Project,
}

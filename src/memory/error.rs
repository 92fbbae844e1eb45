//! Errors of the memory.

use super::bullet::MAX_BULLET_BYTES;
use tars_base::domain::MemoryType;
use tars_base::embedding::EmbedError;
use tars_vault::WriteError;

/// Why a fact was not remembered, shown or removed.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// A file could not be read or written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The text is empty.
    #[error("there is nothing to remember: the text is empty")]
    Empty,
    /// Nothing is left once private spans and secrets are removed.
    #[error("nothing is left to remember: all of it is private or secret, and is not written")]
    FullyRedacted,
    /// The text is too long for a bullet.
    #[error(
        "the text is {bytes} bytes long, more than a bullet may be ({MAX_BULLET_BYTES}): make it a note of its own"
    )]
    TooLong {
        /// Length of the text.
        bytes: usize,
    },
    /// Memory of this kind is not written bullet by bullet.
    #[error("{kind} memory is not written line by line: choose fact, rule or daily")]
    Kind {
        /// The requested kind.
        kind: MemoryType,
    },
    /// The file does not hold durable facts.
    #[error("{file} cannot hold facts: choose Memory.md, Procedural.md, context/…, timelines/… or projects/…")]
    Place {
        /// The requested file.
        file: String,
    },
    /// Every candidate name is taken.
    #[error("too many files are named {file}: nothing was moved")]
    Taken {
        /// The first name that was tried.
        file: String,
    },
    /// The section is not a single heading.
    #[error("a section is the text of one heading, without #")]
    Section,
    /// The bullet was changed or removed in the meantime.
    #[error("the line {id} is not there any more: somebody changed it")]
    Gone {
        /// Id of the bullet.
        id: String,
    },
}

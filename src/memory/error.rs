//! What can go wrong with the memory.

use super::bullet::LONGEST;
use crate::domain::MemoryType;
use crate::embed::EmbedError;
use crate::vault::WriteError;

/// Why something was not remembered, shown or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// A file could not be read or written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// There is no text.
    #[error("there is nothing to remember: the text is empty")]
    Empty,
    /// There is nothing left to remember without what must not be written: a private span or a secret.
    #[error("nothing is left to remember: all of it is private or secret, and is not written")]
    AllTakenOut,
    /// The text is no bullet any more.
    #[error("the text is {bytes} bytes long, more than a bullet may be ({LONGEST}): make it a note of its own")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Nothing is written bullet by bullet there.
    #[error("{kind} memory is not written line by line: one of semantic, procedural, daily")]
    Kind {
        /// The kind that was asked for.
        kind: MemoryType,
    },
    /// A file that holds nothing that lasts.
    #[error("{file} is none of Memory.md, Procedural.md, context/…, timelines/… and projects/…")]
    Place {
        /// The file that was named.
        file: String,
    },
    /// Every name that a file could be given is taken.
    #[error("there are too many files of the name {file}: nothing was moved")]
    Taken {
        /// The first name that was tried.
        file: String,
    },
    /// A heading that is none.
    #[error("a section is the text of one heading, without its marks")]
    Section,
    /// A bullet that was there a moment ago.
    #[error("the line {id} is not there any more: somebody changed it")]
    Gone {
        /// Its id.
        id: String,
    },
}

//! Questions that a person's notes pose themselves.
//!
//! A note gives names to what it holds: its title, its other names, its headings; and other notes give it names in the texts of
//! their links. Each such name is a question whose answer is known. So that the name does not give the answer away, it is
//! hidden where it stands as a name (see [`Mask`]), in a copy of the index alone: a private temporary folder holds that copy
//! and the notes with hidden names, and goes when it is dropped. Vault and index are read and never written.

mod copy;
mod mask;
mod name;
mod note;
mod sample;

pub use copy::{SelfQuestions, SelfQuestionsError, SelfQuestionsSource};
use mask::Mask;
use name::{Kind, Name, names};
use note::SourceNote;
pub use sample::SampleOptions;

#[cfg(test)]
mod tests;

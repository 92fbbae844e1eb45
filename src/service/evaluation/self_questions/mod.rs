//! Questions derived from names in a person's notes.
//!
//! A note names what it holds: its title, its aliases, its headings. Other notes name it in the texts of their links. Each
//! such name is a question with a known answer. To keep the name from giving the answer away, it is hidden where it is
//! declared (see [`Mask`]), in a copy of the index only: a private temporary folder holds the copy and the notes with hidden
//! names, and is deleted on drop. Vault and index are only read.

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

//! Parses the text of a markdown file into a [`Document`](tars_base::domain::Document), in the dialect of Obsidian.
//!
//! It finds front matter, outline, blocks that should not be cut, blocks of opaque data, links, tags and dates. It also cleans lines
//! for the index and finds dates in free text. It reads no file and no clock, never fails and never panics: unknown syntax stays text,
//! and the document holds errors for its author. Time and memory grow linearly with the length of the text, however deep its nesting.

mod callout;
mod code_fence;
mod data_blocks;
mod dates;
mod document;
mod footnote;
mod front_matter;
#[cfg(test)]
mod fuzz;
mod indexed_line;
mod inline_data;
mod inline_fields;
mod link;
mod list_item;
mod note_dates;
mod opaque;
mod outline;
mod properties;
mod rewriter;
mod tags;
mod task;
mod title;
mod transcript;
mod yaml;

pub use callout::{CalloutLine, callout_line};
pub use code_fence::CodeFence;
pub use dates::{
    DateMention, DayOrText, Period, begins_with_day, dates_in_text, day_or_text, named_period, periods_in_text,
    periods_with_ranges,
};
pub use document::{is_private, parse};
pub use footnote::footnotes_of;
pub use indexed_line::indexed_line;
pub use list_item::list_item;
pub use note_dates::{day_of_file_name, days_in_text, days_of_value};
pub use opaque::without_comments;
pub use tags::{has_tag, tag_of_word};
pub use task::{Task, TaskState, task};
pub use transcript::{exchanges_in, persons_lines};

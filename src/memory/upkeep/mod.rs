//! Maintains the memory. A job reads lines of the memory folder, by rules or with the configured language model, and proposes improvements.
//!
//! Each job is a plain function of the memory, an optional model and the time, so that a command, a hook, a schedule and a page run the
//! same code. A job that proposes changes nothing; a proposal takes effect when a person accepts it. A job that writes (the summary of a
//! month) adds to the memory, marks the compacted days, and is a single write that one undo reverts.

mod compact;
mod core;
mod facts;
mod job;
mod links;
mod list;
mod page;
mod person;
mod proposal;
mod review;
mod skills;
mod support;
mod tidy;
mod verbs;
mod week;

pub use compact::{
    ArchivePage, Ask, Kept, LinkPlace, Linked, Month, MonthAnchor, MonthClaim, MonthClaims, MonthFile, MonthLine,
    MonthSources, Move, Section, Summary, SummaryLine, Written, broken_links, by_model, by_rules, months, moves,
};
pub use facts::{Conversation, FoundFact, LONGEST_TEXT, by_rules as facts_by_rules, of_claims, text_lines, unknown};
pub use job::{Proposed, ReadLines};
pub use list::{Decision, Known, Listed, Settled, Word, list, propose, refused, settle};
pub use page::{PageOf, ProjectSeen, decisions_since, page_file, project_page, projects};
pub use person::persons_heading;
pub use proposal::{Change, Job, Line, Place, Proposal};
pub use review::{person_section, review};
pub use skills::{Skill, SkillSource, skills};
pub use support::Dropped;
pub use tidy::{Surroundings, tidy};
pub use week::{Week, WeekLine, week};

#[cfg(test)]
mod tests;

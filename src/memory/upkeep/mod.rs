//! Maintains the memory. A job reads lines of the memory folder, by rules or with the configured language model, and proposes improvements.
//!
//! Each job is a plain function of the memory, an optional model and the time, so that a command, a hook, a schedule and a page run the
//! same code. A job that proposes changes nothing; a proposal takes effect when a person accepts it. A job that writes (the summary of a
//! month) adds to the memory, marks the compacted days, and is a single write that one undo reverts.

mod chat_statements;
mod compact;
mod core_moves;
mod facts;
mod job;
mod link_repairs;
mod list;
mod person;
mod project_page;
mod proposal;
mod review_job;
mod skills;
mod support;
mod tidy_job;
mod verbs;
mod week_added;
mod week_review;

pub use chat_statements::{ChatProposals, ChatStatements};
pub use compact::{
    ArchivePage, Ask, LinkContext, LinkPlace, Month, MonthAnchor, MonthClaim, MonthClaims, MonthFile, MonthLine,
    MonthSources, Move, MovedNotes, PageEdit, Section, Summary, SummaryLine, UnmovedLog, by_model, by_rules, months,
    moves,
};
pub use facts::{
    Conversation, FoundFact, MAX_TEXT_BYTES, by_rules as facts_by_rules, facts_of_claims, text_lines, unknown_facts,
};
pub use job::{JobResult, SeenTexts};
pub use list::{Decision, ListedProposal, PastProposals, Settled, Verdict, list, propose, refused, settle};
pub use person::{is_persons_heading, persons_heading};
pub use project_page::{ProjectSeen, ProjectView, decisions_since, is_same_matter, page_file, project_page, projects};
pub use proposal::{Change, Destination, Job, Line, Proposal};
pub use review_job::{person_section, review};
pub use skills::{Skill, SkillSource, skills};
pub use support::DropReason;
pub use tidy_job::{TidyContext, tidy};
pub use week_added::week_added;
pub use week_review::{Week, WeekLine, week};

#[cfg(test)]
pub(crate) mod tests;

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
    ArchivePage, Ask, UnmovedLog, LinkPlace, LinkContext, Month, MonthAnchor, MonthClaim, MonthClaims, MonthFile, MonthLine,
    MonthSources, Move, Section, Summary, SummaryLine, PageEdit, broken_links, by_model, by_rules, months, moves,
};
pub use facts::{Conversation, FoundFact, MAX_TEXT_BYTES, by_rules as facts_by_rules, facts_of_claims, text_lines, unknown_facts};
pub use job::{JobResult, SeenTexts};
pub use list::{Decision, PastProposals, ListedProposal, Settled, Verdict, list, propose, refused, settle};
pub use page::{ProjectRef, ProjectSeen, decisions_since, page_file, project_page, projects};
pub use person::persons_heading;
pub use proposal::{Change, Job, Line, Destination, Proposal};
pub use review::{person_section, review};
pub use skills::{Skill, SkillSource, skills};
pub use support::DropReason;
pub use tidy::{TidyContext, tidy};
pub use week::{Week, WeekLine, week};

#[cfg(test)]
mod tests;

//! Proposed changes of the memory, and the person's decisions on them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MemoryLine;
use crate::{Refusal, Result, Service, UseCase};
use tars_chat::tasks::{Task, TaskError, TaskModel};
use tars_memory::upkeep::{
    self, Change, Decision, DropReason, Job, JobResult, Line, ListedProposal, SeenTexts, Settled, TidyContext, Verdict,
};
use tars_vault::{Entry, MemoryFolder, Writer};

/// The job that proposes changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProposeJob {
    /// Rules and facts from corrections, rewards and extracted lines.
    Review,
    /// Duplicates, superseded facts and details among what is remembered.
    Tidy,
}

/// Runs a job for proposals, and puts the new ones on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposeRequest {
    /// The job.
    pub job: ProposeJob,
}

/// The result of a job.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProposeResponse {
    /// The new proposals.
    pub proposals: Vec<ProposalView>,
    /// Proposals that were dropped before anybody saw them.
    pub dropped: Vec<DroppedProposal>,
    /// Why the model gave no answer, or not for all lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The next step for this problem.
    #[serde(skip)]
    pub hint: Option<String>,
}

/// A proposal that was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DroppedProposal {
    /// `unsupported`, `generic`, `known` or `proposed` (before).
    pub reason: &'static str,
    /// Its text.
    pub text: String,
}

/// Asks for the list of proposals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProposalsRequest {}

/// A proposal on the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposalView {
    /// Its id.
    pub id: String,
    /// `review`, `tidy`, `chat`, `import` or `project NAME`.
    pub job: String,
    /// `add`, `page`, `merge`, `replace`, `supersede`, `remove`, `link` or `move`.
    pub change: &'static str,
    /// `open`, `accepted` or `refused`, as its box shows.
    pub word: &'static str,
    /// The target of its text, relative to the vault; without new text, the file of the first affected line.
    pub path: String,
    /// The heading there.
    pub section: String,
    /// The new text, or the affected line.
    pub text: String,
    /// The lines of a new page by their headings; `text` says the same in one text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub page: Vec<ProposedSection>,
    /// The lines that it removes, moves or rewords.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
    /// The line that stays instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stays: Option<String>,
    /// The link that it repairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<ProposedLink>,
    /// The lines that it is based on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
}

/// A section of a proposed page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposedSection {
    /// Its heading.
    pub section: String,
    /// Its lines, in order.
    pub lines: Vec<String>,
}

/// A broken link and its repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProposedLink {
    /// The current target.
    pub target: String,
    /// The new target; `None` removes the link.
    pub to: Option<String>,
}

/// Carries out the decisions in the boxes of the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SettleProposalsRequest {}

/// Decides on a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DecideRequest {
    /// Its id, or a unique prefix of it.
    pub id: String,
    /// Whether to accept it.
    pub accept: bool,
    /// A new wording, if it adds text; its own text by default.
    #[serde(default)]
    pub text: Option<String>,
}

/// The result of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecideResponse {
    /// Its id.
    pub id: String,
    /// `accepted`, `refused`, or `gone` if an affected line does not exist any more.
    pub status: &'static str,
    /// The text of the proposal.
    pub proposal: String,
    /// The resulting line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<MemoryLine>,
}

impl UseCase for ProposeRequest {
    type Response = ProposeResponse;

    fn run(&self, service: &Service<'_>) -> Result<ProposeResponse> {
        let app = service.app;
        let folder = &app.memory_folder()?;
        match self.job {
            ProposeJob::Review => {
                propose(service, folder, (Task::Review, "review --propose"), |entries, model, read| {
                    // The person chose a model, so rules do not silently replace it.
                    let Ok(model) = model else { return Ok(JobResult::default()) };
                    Ok(upkeep::review(folder, entries, model, read)?)
                })
            }
            ProposeJob::Tidy => propose(service, folder, (Task::Tidy, "tidy --propose"), |entries, model, read| {
                let notes = app.note_paths(folder)?;
                let around = TidyContext { notes: &notes, entries, today: app.environment.clock.today() };
                Ok(upkeep::tidy(folder, around, model.unwrap_or_default(), read)?)
            }),
        }
    }
}

/// Runs a job that proposes changes, and puts its proposals on the list in the name of `command`. The job gets the journal, the
/// model of the task (an error if it is unusable) and the lines that the model has read.
pub(super) fn propose(
    service: &Service<'_>,
    folder: &MemoryFolder,
    (task, command): (Task, &str),
    job: impl FnOnce(&[Entry], Result<Option<&TaskModel>, &TaskError>, &mut SeenTexts) -> Result<JobResult>,
) -> Result<ProposeResponse> {
    let app = service.app;
    let model = app.task_model(task);
    let mut read = app.read_lines()?;
    let entries = app.journal(folder)?.entries()?;
    let JobResult { proposals, dropped, problem } = job(&entries, model.as_ref().map(Option::as_ref), &mut read)?;
    if let Some(error) = &problem {
        app.count_unusable(task, error);
    }
    let listed = match proposals.is_empty() {
        true => Vec::new(),
        false => upkeep::propose(&mut service.writer(folder, command)?, &proposals)?,
    };
    app.save_read_lines(&read)?;
    let problem = problem.or(model.err());
    Ok(ProposeResponse {
        proposals: listed.iter().map(|listed| ProposalView::new(folder, listed)).collect(),
        dropped: dropped.iter().map(DroppedProposal::new).collect(),
        hint: problem.as_ref().and_then(TaskError::hint),
        problem: problem.map(|error| error.to_string()),
    })
}

impl UseCase for ProposalsRequest {
    type Response = Vec<ProposalView>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<ProposalView>> {
        let folder = service.app.memory_folder()?;
        Ok(upkeep::list(&folder)?.iter().map(|listed| ProposalView::new(&folder, listed)).collect())
    }
}

impl UseCase for SettleProposalsRequest {
    type Response = Vec<DecideResponse>;

    fn run(&self, service: &Service<'_>) -> Result<Vec<DecideResponse>> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let said = |listed: &ListedProposal| match listed.verdict {
            Verdict::Open => None,
            Verdict::Accepted => Some(Decision::Accept(None)),
            Verdict::Refused => Some(Decision::Refuse),
        };
        let decided: Vec<(ListedProposal, Decision)> = upkeep::list(&folder)?
            .into_iter()
            .filter_map(|listed| Some((said(&listed)?, listed)))
            .map(|(decision, listed)| (listed, decision))
            .collect();
        settle(service, &folder, &decided)
    }
}

impl UseCase for DecideRequest {
    type Response = DecideResponse;

    fn run(&self, service: &Service<'_>) -> Result<DecideResponse> {
        let app = service.app;
        let folder = app.memory_folder()?;
        let is_meant =
            |listed: &ListedProposal| listed.id.starts_with(&self.id) && self.id.len() >= tars_memory::MIN_ID_LENGTH;
        let mut meant: Vec<ListedProposal> = upkeep::list(&folder)?.into_iter().filter(is_meant).collect();
        let (Some(listed), true) = (meant.pop(), meant.is_empty()) else {
            let message = format!("no single proposal has the id {}", self.id);
            return Err(Refusal { message, hint: "tars review --proposals".into() }.into());
        };
        let decision = match self.accept {
            true => Decision::Accept(self.text.clone()),
            false => Decision::Refuse,
        };
        let mut done = settle(service, &folder, &[(listed, decision)])?;
        Ok(done.remove(0))
    }
}

/// Carries out decisions as one step for undo.
fn settle(
    service: &Service<'_>,
    folder: &MemoryFolder,
    decided: &[(ListedProposal, Decision)],
) -> Result<Vec<DecideResponse>> {
    let mut done = Vec::new();
    if decided.is_empty() {
        return Ok(done);
    }
    let now = service.app.environment.clock.now().datetime();
    let archive = service.archive(now.date(), || Ok(tars_memory::archive(folder, now)?))?;
    let mut writer = service.writer(folder, "review")?;
    for (listed, decision) in decided {
        credit(&mut writer, listed, decision);
        let settled = upkeep::settle(&mut writer, listed, decision, (&archive, now))?;
        let (status, line) = match settled {
            Settled::Done(line) => ("accepted", line),
            Settled::Refused => ("refused", None),
            Settled::Gone => ("gone", None),
        };
        done.push(DecideResponse {
            id: listed.id.clone(),
            status,
            proposal: ProposalView::new(folder, listed).text,
            line: line.map(|bullet| MemoryLine::new(folder, &bullet)),
        });
    }
    Ok(done)
}

/// Credits the text that a person accepts to them.
fn credit(writer: &mut Writer<'_>, listed: &ListedProposal, decision: &Decision) {
    match (decision, &listed.proposal.change) {
        (Decision::Refuse, _) => {}
        (Decision::Accept(Some(text)), _) => writer.credit_own(text),
        (Decision::Accept(None), Change::Page { lines, .. }) => {
            lines.iter().for_each(|(_, text)| writer.credit_own(text));
        }
        (Decision::Accept(None), change) if change.brings_text() => writer.credit_own(change.text()),
        (Decision::Accept(None), _) => {}
    }
}

impl DroppedProposal {
    pub(super) fn new((proposal, reason): &(upkeep::Proposal, DropReason)) -> Self {
        let reason = match reason {
            DropReason::Unsupported => "unsupported",
            DropReason::Generic => "generic",
            DropReason::Known => "known",
            DropReason::Proposed => "proposed",
        };
        Self { reason, text: proposal.change.text().to_owned() }
    }
}

impl ProposalView {
    pub(super) fn new(folder: &MemoryFolder, listed: &ListedProposal) -> Self {
        let upkeep::Proposal { job, change, sources } = &listed.proposal;
        let texts = |lines: &[Line]| -> Vec<String> { lines.iter().map(|line| line.text.clone()).collect() };
        let (file, section) = match change {
            Change::Add { to, .. } | Change::Move { to, .. } => (to.file.clone(), to.section.clone()),
            Change::Page { file, .. } => (file.clone(), String::new()),
            _ => change.lines().first().map(|line| (line.file.clone(), line.section.clone())).unwrap_or_default(),
        };
        let stays = match change {
            Change::Supersede { by: line, .. } | Change::Remove { since: line, .. } => Some(line.text.clone()),
            _ => None,
        };
        let text = match change {
            Change::Page { lines, .. } => {
                lines.iter().map(|(section, text)| format!("{section}: {text}")).collect::<Vec<_>>().join("\n")
            }
            change => change.text().to_owned(),
        };
        Self {
            id: listed.id.clone(),
            job: match job {
                Job::Review => "review".into(),
                Job::Tidy => "tidy".into(),
                Job::Chat => "chat".into(),
                Job::ImportedChats(_) => "import".into(),
                Job::Project(name) => format!("project {name}"),
            },
            change: change.as_str(),
            word: match listed.verdict {
                Verdict::Open => "open",
                Verdict::Accepted => "accepted",
                Verdict::Refused => "refused",
            },
            path: folder.vault_path(&file),
            section,
            text,
            page: match change {
                Change::Page { lines, .. } => sections(lines),
                _ => Vec::new(),
            },
            lines: texts(change.lines()),
            stays,
            link: match change {
                Change::Link { target, to, .. } => Some(ProposedLink { target: target.clone(), to: to.clone() }),
                _ => None,
            },
            sources: texts(sources),
        }
    }
}

/// Groups the lines of a page by their headings, in the order of the first lines.
fn sections(lines: &[(String, String)]) -> Vec<ProposedSection> {
    let mut sections: Vec<ProposedSection> = Vec::new();
    for (section, text) in lines {
        match sections.iter_mut().find(|known| known.section == *section) {
            Some(known) => known.lines.push(text.clone()),
            None => sections.push(ProposedSection { section: section.clone(), lines: vec![text.clone()] }),
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_page_stand_under_their_headings() {
        let line = |section: &str, text: &str| (section.to_owned(), text.to_owned());
        let lines = [line("State", "a"), line("Decisions", "b"), line("State", "c")];
        let found: Vec<_> = sections(&lines).into_iter().map(|one| (one.section, one.lines.join(" "))).collect();
        assert_eq!(found, [line("State", "a c"), line("Decisions", "b")]);
    }
}

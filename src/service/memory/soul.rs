//! The assistant's self and its observations. A private file does not exist for any request, because everything that is read here
//! goes to a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::files::{COMMAND, not_found, writable};
use super::{MemoryLine, is_visible};
use crate::{Refusal, Result, Service, UseCase};
use tars_base::domain::{ApproximateTokens, CountTokens, sanitize};
use tars_memory::{Bullet, Fact, MAX_OBSERVATION_LENGTH, OBSERVATIONS, Observation, SoulFile};
use tars_rank::share_budget;
use tars_text::redact::redact;
use tars_vault::{Lines, MemoryFolder};

/// Maximum length of a line of the soul, in bytes.
const LONGEST_LINE: usize = 2_000;
/// Maximum length of an observation's resolution, in bytes.
const LONGEST_HOW: usize = 400;
/// Maximum length of a model's summary, in bytes.
const LONGEST_SUMMARY: usize = 4_000;
/// Maximum number of lines that a refusal lists.
const SHOWN: usize = 8;
/// The shares of the budget: the soul, observations, opinions, unresolved questions.
const WEIGHTS: [u32; 4] = [4, 3, 1, 1];

/// A file of the assistant's self.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SoulPart {
    /// Its character.
    #[default]
    Soul,
    /// Its opinions.
    Opinions,
    /// Its unresolved questions.
    Unresolved,
}

/// Adds a line to a file of the assistant's self.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UpdateSoulRequest {
    /// The file.
    pub part: SoulPart,
    /// The text of the line.
    pub add: String,
    /// The heading above it; the default heading if left out.
    pub section: Option<String>,
    /// The line that it replaces: its id or its words.
    pub replace: Option<String>,
}

/// A line of the assistant's self.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UpdateSoulResponse {
    /// As it is in the file.
    #[serde(flatten)]
    pub line: MemoryLine,
    /// Whether it existed already.
    pub known: bool,
    /// Kinds of secrets that were removed before writing.
    pub removed: Vec<String>,
}

/// Records an observation of the assistant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ObserveRequest {
    /// The observation, in one line.
    pub text: String,
    /// Its importance, from 1 to 5.
    pub importance: Option<u8>,
    /// Whether to leave earlier observations as they are, for a later [`CondenseRequest`] with a model's summary. Otherwise rules
    /// condense them once there are too many.
    pub later: bool,
}

/// The recorded observation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObserveResponse {
    /// As it is in the file.
    #[serde(flatten)]
    pub observation: ObservationView,
    /// Whether one of the newest observations said the same.
    pub known: bool,
    /// Kinds of secrets that were removed before writing.
    pub removed: Vec<String>,
    /// The observations that were condensed along with it.
    pub condensed: Option<CondensedObservations>,
}

/// Marks an observation as resolved. Its line stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ResolveObservationRequest {
    /// The id of an open observation, or words of it.
    pub which: String,
    /// The outcome.
    pub how: Option<String>,
}

/// Condenses the earlier observations if there are too many.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CondenseRequest {
    /// A model's summary of the earlier ones; rules summarize if it is left out.
    pub summary: Option<String>,
    /// Whether to write nothing and only return what would be condensed.
    pub dry_run: bool,
}

/// The observations to condense, and the result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CondenseResponse {
    /// The earlier observations, oldest first; empty while the file is short.
    pub earlier: Vec<ObservationView>,
    /// The result.
    pub condensed: Option<CondensedObservations>,
}

/// The result of condensing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CondensedObservations {
    /// Number of observations that moved to the archive.
    pub archived: usize,
    /// Number of these that are open and stay in the file in short form.
    pub still_open: usize,
}

/// An observation of the assistant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ObservationView {
    /// Its id.
    pub id: String,
    /// Its time: `2026-03-14T09:20:00`; `None` if a person wrote it without a time.
    pub time: Option<jiff::civil::DateTime>,
    /// Its text, without secrets.
    pub text: String,
    /// From 1 to 5, if given.
    pub importance: Option<u8>,
    /// The day and the outcome of its resolution; `None` while it is open.
    pub resolved: Option<String>,
}

/// Asks for the assistant's self, for the prompt of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SoulRequest {
    /// Total number of tokens, about four characters each.
    pub budget: usize,
}

/// The assistant's self, within the budget and without secrets. Texts are truncated at the end of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SoulResponse {
    /// `soul.md`, or the default text if there is none.
    pub soul: String,
    /// Whether it is the default text.
    pub is_default: bool,
    /// Open observations, newest first.
    pub observations: Vec<ObservationView>,
    /// `opinions.md`.
    pub opinions: String,
    /// `unresolved.md`.
    pub unresolved: String,
    /// Number of open observations that did not fit.
    pub more_observations: usize,
    /// Paths of truncated texts, relative to the vault.
    pub cut: Vec<String>,
}

impl SoulPart {
    fn file(self) -> SoulFile {
        match self {
            Self::Soul => SoulFile::Soul,
            Self::Opinions => SoulFile::Opinions,
            Self::Unresolved => SoulFile::Unresolved,
        }
    }
}

impl UseCase for UpdateSoulRequest {
    type Response = UpdateSoulResponse;

    fn run(&self, service: &Service<'_>) -> Result<UpdateSoulResponse> {
        let file = self.part.file();
        let folder = visible(service, file.as_str())?;
        let (text, removed) = writable(&self.add, LONGEST_LINE, "pass the text of the line")?;
        let fact = Fact::of_file(file.as_str(), self.section.clone(), &text)?;
        let known = tars_memory::soul_bullets(&folder, file)?;
        let old = self.replace.as_deref().map(|line| one(&known, line, |bullet: &Bullet| (&bullet.id, &bullet.text)));
        let old = old.transpose()?;
        let stored = tars_memory::remember_soul(&mut service.writer(&folder, COMMAND)?, file, &fact, old)?;
        let known = stored.known && is_visible(&folder, &stored.bullet)?;
        Ok(UpdateSoulResponse { line: MemoryLine::written(&folder, &stored.bullet)?, known, removed })
    }
}

impl UseCase for ObserveRequest {
    type Response = ObserveResponse;

    fn run(&self, service: &Service<'_>) -> Result<ObserveResponse> {
        let folder = visible(service, OBSERVATIONS)?;
        let (text, removed) = writable(&self.text, LONGEST_LINE, "pass the text of the observation")?;
        if text.chars().count() > MAX_OBSERVATION_LENGTH {
            let message =
                format!("an observation has {MAX_OBSERVATION_LENGTH} characters at most: nothing was written");
            return Err(Refusal { message, hint: "write the details into a file of context/".into() }.into());
        }
        if self.importance.is_some_and(|number| !(1..=5).contains(&number)) {
            let message = "the importance of an observation is a number from 1 to 5".into();
            return Err(Refusal { message, hint: "leave it out where nothing is known".into() }.into());
        }
        let said = Fact::of_file(OBSERVATIONS, None, &text)?;
        let said = Observation::new(&said.text, self.importance, service.app.environment.clock.now().datetime());
        let mut writer = service.writer(&folder, COMMAND)?;
        let (found, known) = tars_memory::observe(&mut writer, &said)?;
        let condensed = if self.later || known { None } else { tars_memory::condense(&mut writer, None)? };
        Ok(ObserveResponse {
            observation: (&found).into(),
            known,
            removed,
            condensed: condensed.map(CondensedObservations::from),
        })
    }
}

impl UseCase for ResolveObservationRequest {
    type Response = ObservationView;

    fn run(&self, service: &Service<'_>) -> Result<ObservationView> {
        let folder = visible(service, OBSERVATIONS)?;
        let how = self.how.as_deref().map(|how| writable(how, LONGEST_HOW, "leave it out")).transpose()?;
        let how = how.map(|(how, _)| how.split_whitespace().collect::<Vec<_>>().join(" ").replace("<!--", "< !--"));
        let mut open = read(&folder)?;
        open.retain(Observation::is_open);
        let found = one(&open, &self.which, |one: &Observation| (&one.id, &one.text))?;
        let today = service.app.environment.clock.today();
        let mut writer = service.writer(&folder, COMMAND)?;
        let resolved = tars_memory::resolve(&mut writer, &found.id, how.as_deref(), today)?;
        let gone = || tars_memory::MemoryError::Gone { id: found.id.clone() };
        Ok(ObservationView::from(&resolved.ok_or_else(gone)?))
    }
}

impl UseCase for CondenseRequest {
    type Response = CondenseResponse;

    fn run(&self, service: &Service<'_>) -> Result<CondenseResponse> {
        let folder = visible(service, OBSERVATIONS)?;
        let summary = self.summary.as_deref();
        let summary = summary.map(|text| writable(text, LONGEST_SUMMARY, "leave it out")).transpose()?;
        let bytes = folder.read(OBSERVATIONS)?.unwrap_or_default();
        let earlier = tars_memory::condensable(&Lines::of(&bytes));
        let condensed = match self.dry_run || earlier.is_empty() {
            true => None,
            false => {
                let summary = summary.as_ref().map(|(text, _)| text.as_str());
                tars_memory::condense(&mut service.writer(&folder, COMMAND)?, summary)?
            }
        };
        Ok(CondenseResponse {
            earlier: earlier.iter().map(ObservationView::from).collect(),
            condensed: condensed.map(CondensedObservations::from),
        })
    }
}

impl UseCase for SoulRequest {
    type Response = SoulResponse;

    fn run(&self, service: &Service<'_>) -> Result<SoulResponse> {
        let folder = service.app.memory_folder()?.hiding_private();
        let text = |file: SoulFile| -> Result<Option<String>> {
            let bytes = folder.read(file.as_str())?;
            let text = bytes.map(|bytes| sanitize(&redact(&tars_vault::text_of(&bytes)).text));
            Ok(text.filter(|text| !text.trim().is_empty()))
        };
        let own = text(SoulFile::Soul)?;
        let is_default = own.is_none();
        let texts = [
            (SoulFile::Soul, own.unwrap_or_else(|| SoulFile::Soul.default_text().to_owned())),
            (SoulFile::Opinions, text(SoulFile::Opinions)?.unwrap_or_default()),
            (SoulFile::Unresolved, text(SoulFile::Unresolved)?.unwrap_or_default()),
        ];
        let mut open = read(&folder)?;
        open.retain(Observation::is_open);
        // In the file the newest stands last. A carried observation is older than all others.
        open.reverse();
        open.sort_by_key(|one| std::cmp::Reverse((!one.is_carried, one.time)));
        let costs: Vec<usize> = open.iter().map(|one| ApproximateTokens.count(&one.text) + TIME_TOKENS).collect();
        let wants = |at: usize| ApproximateTokens.count(&texts[at].1);
        let parts = [wants(0), costs.iter().sum(), wants(1), wants(2)];
        let parts: Vec<(usize, u32)> = parts.into_iter().zip(WEIGHTS).collect();
        let given = share_budget(&parts, self.budget);
        let mut room = given[1];
        let fitting = costs.iter().take_while(|cost| room.checked_sub(**cost).inspect(|left| room = *left).is_some());
        let fitting = fitting.count();
        let mut cut = Vec::new();
        let mut within = |at: usize, budget: usize| {
            let (file, text) = &texts[at];
            let kept = cut_at(text, budget);
            if kept.len() < text.len() {
                cut.push(folder.vault_path(file.as_str()));
            }
            kept.to_owned()
        };
        Ok(SoulResponse {
            soul: within(0, given[0]),
            is_default,
            opinions: within(1, given[2]),
            unresolved: within(2, given[3]),
            observations: open[..fitting].iter().map(ObservationView::from).collect(),
            more_observations: open.len() - fitting,
            cut,
        })
    }
}

/// Tokens for the time and the list mark of an observation.
const TIME_TOKENS: usize = 6;

/// Returns the first lines of a text that fit the budget.
fn cut_at(text: &str, budget: usize) -> &str {
    if ApproximateTokens.count(text) <= budget {
        return text;
    }
    let (mut end, mut used) = (0, 0);
    for line in text.split_inclusive('\n') {
        used += ApproximateTokens.count(line) + 1;
        if used > budget {
            break;
        }
        end += line.len();
    }
    &text[..end]
}

/// Returns the memory folder without private files; an error if this file is private.
fn visible(service: &Service<'_>, file: &str) -> Result<MemoryFolder> {
    let folder = service.app.memory_folder()?.hiding_private();
    if folder.hides(file)? { Err(not_found(&folder, file).into()) } else { Ok(folder) }
}

fn read(folder: &MemoryFolder) -> Result<Vec<Observation>> {
    let bytes = folder.read(OBSERVATIONS)?.unwrap_or_default();
    Ok(tars_memory::observations(&Lines::of(&bytes)))
}

/// Returns the only line that matches.
///
/// # Errors
/// No line matches; or several do, which the message lists.
fn one<'k, T>(known: &'k [T], query: &str, of: impl Fn(&T) -> (&str, &str)) -> Result<&'k T> {
    let found = tars_memory::matching_items(known, query, &of);
    let query = sanitize(query);
    let message = match found[..] {
        [one] => return Ok(one),
        [] => format!("no line has the id {query:?} or holds these words"),
        _ => {
            let line = |one: &&T| format!("{} {}", of(one).0, sanitize(&redact(of(one).1).text));
            let lines: Vec<String> = found.iter().take(SHOWN).map(line).collect();
            format!("{} lines hold {query:?}: {}", found.len(), lines.join("; "))
        }
    };
    Err(Refusal { message, hint: "name one line by its id".into() }.into())
}

impl From<&Observation> for ObservationView {
    fn from(one: &Observation) -> Self {
        let shown = |text: &str| sanitize(&redact(text).text);
        Self {
            id: one.id.clone(),
            time: one.time,
            text: shown(&one.text),
            importance: one.importance,
            resolved: one.resolved.as_deref().map(shown),
        }
    }
}

impl From<tars_memory::Condensed> for CondensedObservations {
    fn from(condensed: tars_memory::Condensed) -> Self {
        Self { archived: condensed.archived, still_open: condensed.still_open }
    }
}

#[cfg(test)]
mod tests;

//! Remembers one line.

use jiff::civil::DateTime;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MemoryLine, NearLine, NearestLine, is_visible, removed};
use crate::authorship::Authorship;
use crate::{Refusal, Result, Service, UseCase};
use tars_agent::digest::is_in_own_words;
use tars_base::domain::MemoryType;
use tars_memory::upkeep::{self, Change, Destination, Job, Line, Proposal};
use tars_memory::{Bullet, Fact, LayerFile, MEMORY, NearFacts, PROCEDURAL, Relation, SimilarBullet, Stored};
use tars_text::analysis;
use tars_vault::{Author, MemoryFolder, Origin, Writer};

/// Asks to remember a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RememberRequest {
    /// The text to remember, in markdown.
    pub text: String,
    /// `semantic`, `procedural` or `daily`.
    pub memory_type: MemoryType,
    /// The file of a topic or a timeline (`context/work`) for the line, instead of Memory.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The section for the line.
    pub section: Option<String>,
    /// The id of a line that it replaces.
    pub replace: Option<String>,
    /// Whether to write it whatever is similar.
    pub force: bool,
    /// Whether to write nothing if anything is similar, so that a person can decide. Otherwise only a near duplicate that adds no word is
    /// not written, because new content must not be lost.
    pub ask: bool,
    /// How many of the lines nearest in meaning to return, whatever the rules think of them.
    pub nearest: usize,
}

/// How many nearest lines a caller gets unless it says otherwise.
const NEAREST: usize = 3;

impl Default for RememberRequest {
    fn default() -> Self {
        let (text, memory_type) = (String::new(), MemoryType::Semantic);
        Self { text, memory_type, to: None, section: None, replace: None, force: false, ask: false, nearest: NEAREST }
    }
}

/// The result for a line to remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RememberStatus {
    /// It was written.
    Added,
    /// It replaced another line.
    Replaced,
    /// The memory held it already.
    Known,
    /// It was not written: a line that says nearly the same holds all of its words, or a person is to decide.
    Close,
    /// It waits for the person as a proposal, because an agent wants it that had read text of strangers.
    Proposed,
}

impl RememberStatus {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Replaced => "replaced",
            Self::Known => "known",
            Self::Close => "close",
            Self::Proposed => "proposed",
        }
    }
}

/// The written line, and lines similar to it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RememberResponse {
    /// The result.
    pub status: RememberStatus,
    /// The line, if it is in the memory.
    #[serde(flatten)]
    pub line: Option<MemoryLine>,
    /// Kinds of secrets that were removed before writing.
    pub removed: Vec<String>,
    /// Near duplicates and contradictions, most similar first.
    pub near: Vec<NearLine>,
    /// The durable lines nearest in meaning to a fact or a rule, nearest first, whether or not they concern the same subject: the caller
    /// judges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearestLine>,
    /// The file, if it has become too long to read at a glance.
    pub overgrown: Option<Overgrown>,
    /// Further warnings for the person, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A file that is too long to be read at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Overgrown {
    /// Path of the file, relative to the vault.
    pub path: String,
    /// Number of lines.
    pub lines: usize,
    /// Approximate number of tokens.
    pub tokens: usize,
    /// The lines that have been in it the longest.
    pub oldest: Vec<MemoryLine>,
}

impl Overgrown {
    pub(super) fn new(folder: &MemoryFolder, overgrown: &tars_memory::Overgrown) -> Self {
        Self {
            path: folder.vault_path(&overgrown.file),
            lines: overgrown.lines,
            tokens: overgrown.tokens,
            oldest: MemoryLine::list(folder, &overgrown.oldest),
        }
    }
}

impl UseCase for RememberRequest {
    type Response = RememberResponse;

    fn run(&self, service: &Service<'_>) -> Result<RememberResponse> {
        let app = service.app;
        let layer = self.to.as_deref().map(layer).transpose()?;
        if layer.is_some() && (self.memory_type != MemoryType::Semantic || self.replace.is_some()) {
            let message = "a file of a layer holds facts, and a line that is replaced stays where it is".to_owned();
            return Err(
                Refusal { message, hint: "name the file without a type and without a line to replace".into() }.into()
            );
        }
        let fact = Fact::new(self.memory_type, self.section.clone(), &self.text)?;
        let folder = app.memory_folder()?;
        let is_kept = fact.kind != MemoryType::Daily;
        if is_kept && let Some(author) = untrusted_author(service, &self.text) {
            let place = Destination {
                file: self.file_of(&fact, layer.as_ref())?,
                section: self.section.clone().unwrap_or_default(),
            };
            return propose(service, &folder, (author, fact), (place, self.replace.as_deref()));
        }
        let now = app.environment.clock.now().datetime();
        // A caller that replaces a line has judged already.
        let count = if self.replace.is_some() { 0 } else { self.nearest };
        let NearFacts { similar: near, nearest, failure } =
            tars_memory::near_facts(&folder, &fact, now.date(), count, || app.comparing_model())?;
        let mut warnings: Vec<String> =
            failure.into_iter().map(|failure| format!("compared by words only: {failure}")).collect();
        let old = self.replace.as_ref().map(|id| named(&folder, id)).transpose()?;
        let is_near = near.first().is_some_and(|like| like.relation != Relation::Equal);
        let is_held = |like: &SimilarBullet| match like.relation {
            Relation::Equal => true,
            Relation::Close => tars_memory::adds_nothing(&fact.text, &like.bullet.text),
            Relation::Conflict => false,
        };
        let leaves = self.ask || near.iter().any(is_held);
        let (status, stored) = if old.is_none() && !self.force && is_near && leaves {
            (RememberStatus::Close, None)
        } else {
            let force = self.force && old.is_none();
            let mut writer = service.writer(&folder, "remember")?;
            let standing = old.as_ref().and_then(|old| standing_elsewhere(&near, old));
            let stored = match (&layer, &old, standing) {
                (Some(layer), ..) => tars_memory::remember_in(&mut writer, layer.as_str(), &fact)?,
                (None, Some(old), Some(standing)) => replace_by_standing(&mut writer, old, standing, now)?,
                (None, Some(old), None) if says_otherwise(old, &fact) => {
                    tars_memory::supersede(&mut writer, old, &fact, now)?
                }
                (None, old, _) => tars_memory::remember(&mut writer, &fact, &now, old.as_ref(), force)?,
            };
            // That a private place holds it already is private too.
            let is_told = stored.known && is_visible(&folder, &stored.bullet)?;
            let status = match (&old, is_told) {
                (Some(_), _) => RememberStatus::Replaced,
                (None, true) => RememberStatus::Known,
                (None, false) => RememberStatus::Added,
            };
            (status, Some(stored))
        };
        let overgrown = match &stored {
            // Daily logs may become any length.
            Some(stored) if !stored.known && fact.kind != MemoryType::Daily => {
                // The line is written, so a failure to check the file's length is only a warning.
                tars_memory::overgrown(&folder, &stored.bullet.file).unwrap_or_else(|error| {
                    warnings.push(format!("could not check the length of the file: {error}"));
                    None
                })
            }
            _ => None,
        };
        Ok(RememberResponse {
            status,
            line: stored.map(|stored| MemoryLine::written(&folder, &stored.bullet)).transpose()?,
            removed: removed(&fact),
            near: near.iter().map(|like| NearLine::new(&folder, like)).collect(),
            nearest: nearest.iter().map(|near| NearestLine::new(&folder, near)).collect(),
            overgrown: overgrown.map(|overgrown| Overgrown::new(&folder, &overgrown)),
            warnings,
        })
    }
}

impl RememberRequest {
    /// Returns the file of the memory folder that the line is for.
    fn file_of(&self, fact: &Fact, layer: Option<&LayerFile>) -> Result<String> {
        match (layer, fact.kind) {
            (Some(layer), _) => Ok(layer.as_str().to_owned()),
            (None, MemoryType::Semantic) => Ok(MEMORY.to_owned()),
            _ => Err(no_rule().into()),
        }
    }
}

/// Refuses a rule of an agent that has read text of strangers.
pub(super) fn no_rule() -> Refusal {
    Refusal {
        message: "nothing was written: this session has read text of strangers, and no rule may rest on that".into(),
        hint: "tell the user, who can state the rule: tars remember --type rule TEXT".into(),
    }
}

/// Returns the agent that wants to write if it had read text of strangers and the text is not the person's own sentence.
fn untrusted_author(service: &Service<'_>, text: &str) -> Option<Origin> {
    let Authorship { origin, request } = service.authorship("remember");
    (origin.by == Author::Untrusted && !is_in_own_words(&request, text)).then_some(origin)
}

/// Proposes a fact to the person instead of writing it.
fn propose(
    service: &Service<'_>,
    folder: &MemoryFolder,
    (author, fact): (Origin, Fact),
    (to, replace): (Destination, Option<&str>),
) -> Result<RememberResponse> {
    let old = replace.map(|id| named(folder, id)).transpose()?;
    if old.as_ref().is_some_and(|old| old.file == PROCEDURAL) {
        return Err(no_rule().into());
    }
    let text = fact.text.clone();
    let change = match &old {
        Some(old) => Change::Replace { old: old.into(), text },
        None => Change::Add { to, text },
    };
    let from = author.client.as_deref().unwrap_or("an agent").to_owned();
    let said = "untrusted: the agent had read from the network or used a tool that tars does not know".to_owned();
    let sources = vec![Line { file: from, text: said, ..Line::default() }];
    upkeep::propose(&mut service.writer(folder, "remember")?, &[Proposal { job: Job::Chat, change, sources }])?;
    Ok(RememberResponse {
        status: RememberStatus::Proposed,
        line: None,
        removed: removed(&fact),
        near: Vec::new(),
        nearest: Vec::new(),
        overgrown: None,
        warnings: Vec::new(),
    })
}

/// Returns the line that already says what is to replace `old`.
fn standing_elsewhere<'n>(near: &'n [SimilarBullet], old: &Bullet) -> Option<&'n Bullet> {
    let is_same = |like: &&SimilarBullet| like.relation == Relation::Equal && like.bullet.id != old.id;
    near.iter().find(is_same).map(|like| &like.bullet)
}

/// Removes a line that another one replaces, and archives it if it was a durable one.
fn replace_by_standing(writer: &mut Writer<'_>, old: &Bullet, standing: &Bullet, now: DateTime) -> Result<Stored> {
    if tars_memory::is_durable(&old.file) {
        tars_memory::remove_superseded(writer, old, standing, now)?;
    } else {
        tars_memory::remove_bullets(writer, std::slice::from_ref(old))?;
    }
    // The removed line may have stood above it.
    let now_there = tars_memory::bullets_of(writer.folder(), &standing.file)?;
    let bullet = now_there.into_iter().find(|bullet| bullet.id == standing.id).unwrap_or_else(|| standing.clone());
    Ok(Stored { bullet, known: true })
}

/// Parses the name of a layer file.
fn layer(named: &str) -> Result<LayerFile> {
    LayerFile::parse(named).ok_or_else(|| {
        let message = format!("{named:?} is no file for facts");
        let hint = "context/NAME, context/NAME/NAME or timelines/NAME, of small letters, digits and dashes".into();
        Refusal { message, hint }.into()
    })
}

/// Whether a replaced fact is worth keeping in the archive: the new fact contradicts it, or lacks one of its words. A reordered
/// or extended fact is not.
fn says_otherwise(old: &Bullet, fact: &Fact) -> bool {
    let near = tars_memory::similar_bullets(&fact.text, std::slice::from_ref(old), None).unwrap_or_default();
    let lacks_a_word = || analysis::term_presence(&fact.text, &analysis::terms(&old.text)).contains(&0.0);
    tars_memory::is_durable(&old.file)
        && (near.iter().any(|like| like.relation == Relation::Conflict) || lacks_a_word())
}

/// Returns the only bullet with this id, or the only durable line that holds all of these words.
pub(super) fn named(folder: &MemoryFolder, id: &str) -> Result<Bullet> {
    let mut all = tars_memory::all_bullets(folder)?;
    // The files of the soul have requests of their own.
    all.retain(|bullet| !tars_memory::is_soul(&bullet.file));
    let wanted = id.to_ascii_lowercase();
    let mut found: Vec<Bullet> = if wanted.len() < tars_memory::MIN_ID_LENGTH {
        Vec::new()
    } else {
        all.into_iter().filter(|bullet| bullet.id.starts_with(&wanted)).collect()
    };
    let hint = || "tars forget QUERY lists lines with their ids".to_owned();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => by_words(folder, id),
        count => {
            Err(Refusal { message: format!("{count} lines have an id that begins with {id}"), hint: hint() }.into())
        }
    }
}

fn by_words(folder: &MemoryFolder, words: &str) -> Result<Bullet> {
    let mut found: Vec<Bullet> = tars_memory::find_bullets(folder, words)?
        .into_iter()
        .filter(|bullet| tars_memory::is_durable(&bullet.file))
        .collect();
    let message = match found.len() {
        1 => return Ok(found.remove(0)),
        0 => format!("no line of the memory has the id {words:?} or holds these words"),
        count => {
            let lines: Vec<String> = found.iter().map(|line| format!("{} {}", line.id, line.text)).collect();
            format!("{count} lines hold {words:?}: {}", lines.join("; "))
        }
    };
    Err(Refusal { message, hint: "tars forget QUERY lists lines with their ids".into() }.into())
}

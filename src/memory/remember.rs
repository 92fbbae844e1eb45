//! Adds a fact, a rule or a line of the day.

use jiff::civil::{Date, DateTime};

use super::bullet::{Bullet, MAX_BULLET_BYTES, bullets, heading_of};
use super::fact_line::without_time;
use super::file::{
    PROCEDURAL, append_above_sections, append_to_section, bullet_lines, bullets_of, daily_file, durable_bullets,
    is_durable,
};
use super::likeness::{NearestBullet, SimilarBullet, nearest_bullets, normalized, similar_bullets};
use super::{MemoryError, file_of};
use tars_base::domain::{ApproximateTokens, CountTokens, MemoryType, capitalize};
use tars_base::embedding::{EmbedError, Embedder};
use tars_text::invisible::is_invisible;
use tars_text::markdown::dates_in_text;
use tars_text::redact::redact;
use tars_vault::{Lines, MemoryFolder, Splice, Writer};

/// Lines beyond which a memory file is overgrown: nobody reads it whole.
const MAX_LINES: usize = 100;
/// Like [`MAX_LINES`], in tokens of about four characters.
const MAX_TOKENS: usize = 1_000;

/// A fact to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Its kind of memory: semantic, procedural or daily.
    pub kind: MemoryType,
    /// The heading that it goes under. `None` means `Facts` or `Rules`; days have no default heading.
    pub section: Option<String>,
    /// Its text.
    pub text: String,
    /// Kinds of the removed secrets, and `control` for control characters.
    pub removed: Vec<&'static str>,
}

/// A stored bullet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The bullet.
    pub bullet: Bullet,
    /// Whether the memory held it before, word for word.
    pub known: bool,
}

/// A file that has grown too long to read at a glance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overgrown {
    /// The file.
    pub file: String,
    /// Number of lines.
    pub lines: usize,
    /// Approximate number of tokens.
    pub tokens: usize,
    /// The bullets with the earliest dates, oldest first.
    pub oldest: Vec<Bullet>,
}

impl Fact {
    /// Returns a fact that is safe to write: without secrets and without control characters.
    ///
    /// # Errors
    /// The text is empty or too long for one bullet, or the kind is not written bullet by bullet.
    pub fn new(kind: MemoryType, section: Option<String>, text: &str) -> Result<Self, MemoryError> {
        let (text, removed) = sanitize_note(text);
        let text = without_marker(&text);
        if is_marks(text) {
            return Err(MemoryError::Empty);
        }
        if !removed.is_empty() && !says_something(text) {
            return Err(MemoryError::FullyRedacted);
        }
        if text.len() > MAX_BULLET_BYTES {
            return Err(MemoryError::TooLong { bytes: text.len() });
        }
        if file_of(kind, Date::ZERO).is_none() {
            return Err(MemoryError::Kind { kind });
        }
        let section = section.map(|section| sanitize_note(&section).0.trim().trim_start_matches('#').to_owned());
        if section.as_ref().is_some_and(|section| section.trim().is_empty() || section.contains('\n')) {
            return Err(MemoryError::Section);
        }
        // Closing marks of a heading are not part of its name.
        let section = section.and_then(|section| heading_of(&format!("# {section}")).map(str::to_owned));
        Ok(Self { kind, section, text: text.to_owned(), removed })
    }

    /// Returns a fact for a durable file: a rule for Procedural.md, else a fact.
    ///
    /// # Errors
    /// As [`Fact::new`].
    pub fn of_file(file: &str, section: Option<String>, text: &str) -> Result<Self, MemoryError> {
        let kind = if file == PROCEDURAL { MemoryType::Procedural } else { MemoryType::Semantic };
        Self::new(kind, section, text)
    }
}

/// Returns a text from its first line with words, without that line's marker. A leading line of marks would turn the bullet into a
/// thematic break.
fn without_marker(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some((_, below)) = rest.split_once('\n').filter(|(first, _)| is_marks(first)) {
        rest = below.trim_start();
    }
    rest.strip_prefix(['-', '*', '+']).filter(|said| said.starts_with([' ', '\t'])).map_or(rest, str::trim_start)
}

fn is_marks(text: &str) -> bool {
    text.trim_matches(['-', '*', '+', ' ']).is_empty()
}

/// Whether a text says anything besides redaction marks.
pub(super) fn says_something(text: &str) -> bool {
    let mut parts = text.split("[redacted:");
    let before = parts.next().unwrap_or_default();
    let behind = parts.map(|part| part.split_once(']').map_or("", |(_, behind)| behind));
    std::iter::once(before).chain(behind).any(|part| part.contains(char::is_alphanumeric))
}

/// Sanitizes a text for writing. Returns the text and the kinds of the removed parts.
pub(super) fn sanitize_note(text: &str) -> (String, Vec<&'static str>) {
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    let kept: String =
        lines.chars().filter(|character| !character.is_control() || "\n\t".contains(*character)).collect();
    // Invisible characters may split a secret. The search ignores them, and they are removed if they hid one.
    let seen: String = kept.chars().filter(|character| !is_invisible(*character)).collect();
    let hidden = seen.len() < kept.len() && redact(&kept).findings.len() < redact(&seen).findings.len();
    let redacted = redact(if hidden { &seen } else { &kept });
    let mut removed: Vec<&'static str> = redacted.findings.iter().map(|finding| finding.kind).collect();
    removed.dedup();
    if kept.len() < lines.len() || hidden {
        removed.push("control");
    }
    (redacted.text.into_owned(), removed)
}

/// The lines of the memory near a fact.
#[derive(Debug, Default)]
pub struct NearFacts {
    /// Those that say nearly the same or the opposite, nearest first.
    pub similar: Vec<SimilarBullet>,
    /// The nearest in meaning, whether or not the rules see a relation.
    pub nearest: Vec<NearestBullet>,
    /// The failure to load or run the model. The words decided alone then, so the fact can still be remembered.
    pub failure: Option<EmbedError>,
}

/// Returns the remembered lines near `fact`, and the `nearest` lines in meaning. Daily lines repeat each other by nature, so only equal
/// ones count as near. The model is loaded only if it is needed: if nearest lines are wanted or no line is near by its words.
///
/// # Errors
/// A file cannot be read.
pub fn near_facts(
    folder: &MemoryFolder,
    fact: &Fact,
    today: Date,
    nearest: usize,
    model: impl FnOnce() -> Result<Option<Box<dyn Embedder>>, EmbedError>,
) -> Result<NearFacts, MemoryError> {
    let is_daily = fact.kind == MemoryType::Daily;
    let mut known = if is_daily { bullets_of(folder, &daily_file(today))? } else { durable_bullets(folder)? };
    if is_daily {
        known.retain_mut(|bullet| {
            bullet.text = without_time(&bullet.text).to_owned();
            normalized(&bullet.text) == normalized(&fact.text)
        });
    }
    let nearest = if is_daily { 0 } else { nearest };
    let similar = similar_bullets(&fact.text, &known, None)?;
    // Loading a model is slow.
    if known.is_empty() || (nearest == 0 && !similar.is_empty()) {
        return Ok(NearFacts { similar, ..NearFacts::default() });
    }
    let is_unknown = similar.is_empty();
    let meant = model().and_then(|model| {
        let model = model.as_deref();
        let similar = if is_unknown { similar_bullets(&fact.text, &known, model)? } else { similar.clone() };
        let nearest = if nearest > 0 { nearest_bullets(&fact.text, &known, nearest, model)? } else { Vec::new() };
        Ok(NearFacts { similar, nearest, failure: None })
    });
    Ok(match meant {
        Ok(near) => near,
        Err(failure) => {
            let nearest = nearest_bullets(&fact.text, &known, nearest, None)?;
            NearFacts { similar, nearest, failure: Some(failure) }
        }
    })
}

/// Writes `fact`, or replaces the bullet `instead` by it. Unless `force` is set, a new fact that its file already holds is not written
/// twice.
///
/// # Errors
/// See [`tars_vault::WriteError`]; or `instead` is gone.
pub fn remember(
    writer: &mut Writer<'_>,
    fact: &Fact,
    now: &DateTime,
    instead: Option<&Bullet>,
    force: bool,
) -> Result<Stored, MemoryError> {
    let file = match instead {
        Some(bullet) => bullet.file.clone(),
        None => file_of(fact.kind, now.date()).ok_or(MemoryError::Kind { kind: fact.kind })?,
    };
    let mut stored = Err(MemoryError::Gone { id: instead.map_or_else(String::new, |bullet| bullet.id.clone()) });
    writer.edit(&file, |lines| {
        let known = bullets(&file, lines);
        let same = |bullet: &&Bullet| normalized(&bullet.text) == normalized(&fact.text);
        if let Some(bullet) = known.iter().find(same)
            && !force
            && instead.is_none()
        {
            stored = Ok(Stored { bullet: bullet.clone(), known: true });
            return Vec::new();
        }
        let splice = match instead {
            Some(old) => match known.iter().find(|bullet| bullet.id == old.id) {
                Some(bullet) => replacement(bullet, &known, &fact.text),
                None => return Vec::new(),
            },
            None => insertion(lines, fact, now),
        };
        stored = Ok(Stored { bullet: inserted_bullet(&file, lines, &splice), known: false });
        vec![splice]
    })?;
    stored
}

/// Writes `fact` into a durable file, under its section. A fact that the file already holds is not written twice.
///
/// # Errors
/// See [`tars_vault::WriteError`]; or the file is not durable.
pub fn remember_in(writer: &mut Writer<'_>, file: &str, fact: &Fact) -> Result<Stored, MemoryError> {
    if !is_durable(file) || !file.ends_with(".md") {
        return Err(MemoryError::Place { file: file.to_owned() });
    }
    let mut stored = Stored { bullet: Bullet::default(), known: true };
    writer.edit(file, |lines| {
        let known = bullets(file, lines).into_iter().find(|bullet| normalized(&bullet.text) == normalized(&fact.text));
        if let Some(bullet) = known {
            stored.bullet = bullet;
            return Vec::new();
        }
        let default = if file == PROCEDURAL { "Rules" } else { "Facts" };
        let section = fact.section.as_deref().unwrap_or(default);
        let splice = append_to_section(lines, &title(file), section, bullet_lines(&fact.text));
        stored = Stored { bullet: inserted_bullet(file, lines, &splice), known: false };
        vec![splice]
    })?;
    Ok(stored)
}

/// Moves a bullet with its nested lines to a durable file, under `section`. The lines stay as they are, byte for byte. Returns the bullet
/// in its new place; `None` if it is gone, or if it is not UTF-8 and the move would change it.
///
/// # Errors
/// See [`tars_vault::WriteError`]; or the file is not durable.
pub fn move_bullet(
    writer: &mut Writer<'_>,
    bullet: &Bullet,
    file: &str,
    section: &str,
) -> Result<Option<Bullet>, MemoryError> {
    if !is_durable(file) || !file.ends_with(".md") {
        return Err(MemoryError::Place { file: file.to_owned() });
    }
    let bytes = writer.folder().read(&bullet.file)?.unwrap_or_default();
    let source = Lines::of(&bytes);
    let Some(there) = bullets(&bullet.file, &source).into_iter().find(|there| there.id == bullet.id) else {
        return Ok(None);
    };
    let moved: Vec<String> = there.lines.clone().map(|line| source.line(line).into_owned()).collect();
    if moved.iter().any(|line| line.contains('\u{fffd}')) {
        return Ok(None);
    }
    let heading = heading_of(&format!("# {section}")).filter(|name| !name.is_empty()).unwrap_or("Facts").to_owned();
    let mut stands = Bullet::default();
    writer.edit(file, |lines| {
        let texts = lines.all();
        let same = bullets(file, lines).into_iter().find(|known| texts[known.lines.clone()] == moved[..]);
        if let Some(known) = same {
            stands = known;
            return Vec::new();
        }
        let splice = append_to_section(lines, &title(file), &heading, moved.clone());
        stands = inserted_bullet(file, lines, &splice);
        vec![splice]
    })?;
    super::forget::remove_bullets(writer, std::slice::from_ref(&there))?;
    Ok(Some(stands))
}

/// Returns the title of a new file, made from its name.
fn title(file: &str) -> String {
    let name = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md").replace('-', " ");
    capitalize(&name)
}

/// Writes `fact` into the log of another day than today, without a time, because the time is unknown. A line that the day already holds
/// is written again.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn remember_on(writer: &mut Writer<'_>, fact: &Fact, day: Date) -> Result<Stored, MemoryError> {
    let file = daily_file(day);
    let mut bullet = Bullet::default();
    writer.edit(&file, |lines| {
        let splice = append_above_sections(lines, &day.to_string(), bullet_lines(&fact.text));
        bullet = inserted_bullet(&file, lines, &splice);
        vec![splice]
    })?;
    Ok(Stored { bullet, known: false })
}

fn insertion(lines: &Lines<'_>, fact: &Fact, now: &DateTime) -> Splice {
    let bullet = bullet_lines(&fact.text);
    let section = |default: &str| fact.section.clone().unwrap_or_else(|| default.to_owned());
    match fact.kind {
        MemoryType::Procedural => append_to_section(lines, "Procedural", &section("Rules"), bullet),
        MemoryType::Daily => {
            let day = now.date().to_string();
            let bullet = bullet_lines(&format!("{} {}", now.strftime("%H:%M"), fact.text));
            match &fact.section {
                Some(section) => append_to_section(lines, &day, section, bullet),
                None => append_above_sections(lines, &day, bullet),
            }
        }
        _ => append_to_section(lines, "Memory", &section("Facts"), bullet),
    }
}

/// Returns the change that replaces a bullet's text and keeps its nested lines.
pub(super) fn replacement(bullet: &Bullet, known: &[Bullet], text: &str) -> Splice {
    let nested = known
        .iter()
        .map(|other| other.lines.start)
        .find(|start| bullet.lines.contains(start) && *start > bullet.lines.start);
    let indent = " ".repeat(bullet.indent);
    let insert =
        bullet_lines(text).into_iter().map(|line| if line.is_empty() { line } else { format!("{indent}{line}") });
    Splice {
        at: bullet.lines.start,
        remove: nested.unwrap_or(bullet.lines.end) - bullet.lines.start,
        insert: insert.collect(),
    }
}

/// Returns the bullet that a change writes, as it will be parsed.
pub fn inserted_bullet(file: &str, lines: &Lines<'_>, splice: &Splice) -> Bullet {
    let after = lines.spliced(std::slice::from_ref(splice));
    let inserted = splice.at..splice.at + splice.insert.len();
    let found = bullets(file, &Lines::of(&after)).into_iter().find(|bullet| inserted.contains(&bullet.lines.start));
    found.unwrap_or_else(|| Bullet { file: file.into(), lines: inserted, ..Bullet::default() })
}

/// Returns the size of a memory file that is overgrown; `None` if it is not.
///
/// # Errors
/// The file cannot be read.
pub fn overgrown(folder: &MemoryFolder, file: &str) -> Result<Option<Overgrown>, MemoryError> {
    let bytes = folder.read(file)?.unwrap_or_default();
    let lines = Lines::of(&bytes);
    let tokens = ApproximateTokens.count(&lines.all().join("\n"));
    if lines.len() <= MAX_LINES && tokens <= MAX_TOKENS {
        return Ok(None);
    }
    let mut dated: Vec<(Date, Bullet)> =
        bullets(file, &lines).into_iter().filter_map(|bullet| Some((first_date(&bullet.text)?, bullet))).collect();
    dated.sort_by_key(|(date, _)| *date);
    let oldest = dated.into_iter().take(3).map(|(_, bullet)| bullet).collect();
    Ok(Some(Overgrown { file: file.into(), lines: lines.len(), tokens, oldest }))
}

/// Returns the first full date in a text.
pub fn first_date(text: &str) -> Option<Date> {
    dates_in_text(text)
        .into_iter()
        .find_map(|mention| mention.range().filter(|range| range.first == range.last))
        .map(|range| range.first)
}

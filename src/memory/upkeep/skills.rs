//! Finds habits: steps that notes of at least three days repeat. Each becomes the text of a skill for an agent.
//!
//! The job works by rules, on corrections, rewards, extracted lines, rules and notes of sessions. Nobody has checked these notes, so the
//! text is sanitized: it names no tools, and nothing in it runs, loads or ends the front matter. The job writes nothing.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::verbs::{is_step, is_verb};
use crate::{LogLine, MemoryError, PROCEDURAL, Trust, bullets_of, first_date, log_lines, word_similarity};
use tars_agent::digest::looks_injected;
use tars_base::domain::{capitalize, collapse_whitespace};
use tars_text::analysis::{is_foreign_stop_word, is_stop_word, is_unspaced};
use tars_text::cleaning::cleaned_line;
use tars_text::languages::{Language, detect_language, phrase_languages};
use tars_text::markdown;
use tars_text::redact::redact;
use tars_vault::MemoryFolder;

/// Minimum number of days that mention the same steps.
const MIN_DAYS: usize = 3;
/// Minimum number of steps of a procedure. A single step is a rule.
const MIN_STEPS: usize = 2;
/// Maximum number of steps of a skill.
const MAX_STEPS: usize = 12;
/// Minimum word similarity of two lines with the same steps.
const SAME_STEPS: f64 = 0.6;
/// Maximum number of lines to compare, newest first. The comparison is quadratic.
const MAX_COMPARED: usize = 2_000;
/// Maximum length of a skill's name, in characters.
const MAX_NAME_LENGTH: usize = 40;
/// Maximum length of a description, in characters.
const MAX_DESCRIPTION_LENGTH: usize = 300;
/// Maximum number of source lines shown in a skill.
const MAX_SHOWN_SOURCES: usize = 5;
/// A habit, as the text of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skill {
    /// Lower-case letters, digits and hyphens; also the name of its folder.
    pub name: String,
    /// Description, in one line.
    pub description: String,
    /// The whole text of SKILL.md.
    pub text: String,
    /// Its source lines, newest first.
    pub sources: Vec<SkillSource>,
}

/// A line that mentions the steps of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSource {
    /// Its file within the memory folder.
    pub file: String,
    /// Its day; `None` for rules.
    pub day: Option<Date>,
    /// Its text, without secrets.
    pub text: String,
}

struct Candidate {
    source: SkillSource,
    steps: Vec<String>,
}

/// Returns the habits found in the memory, those with the most days first.
///
/// # Errors
/// A file cannot be read.
pub fn skills(folder: &MemoryFolder) -> Result<Vec<Skill>, MemoryError> {
    let mut candidates: Vec<Candidate> = sources(folder)?.into_iter().filter_map(candidate).collect();
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.source.day));
    candidates.truncate(MAX_COMPARED);
    let mut groups: Vec<Vec<Candidate>> = Vec::new();
    for candidate in candidates {
        let said = candidate.steps.join(", ");
        let same = |other: &Candidate| word_similarity(&said, &other.steps.join(", ")) >= SAME_STEPS;
        match groups.iter_mut().find(|group| group.iter().any(same)) {
            Some(group) => group.push(candidate),
            None => groups.push(vec![candidate]),
        }
    }
    let days = |group: &Vec<Candidate>| group.iter().filter_map(|one| one.source.day).collect::<BTreeSet<Date>>().len();
    groups.retain(|group| days(group) >= MIN_DAYS);
    groups.sort_by_key(|group| std::cmp::Reverse(days(group)));
    let mut names = BTreeSet::new();
    Ok(groups.into_iter().map(|group| skill(group, &mut names)).collect())
}

/// Returns the lines that may mention steps, with secrets redacted. Lines of private notes and dropped lines are left out.
fn sources(folder: &MemoryFolder) -> Result<Vec<SkillSource>, MemoryError> {
    let mut found = Vec::new();
    let day_of = |file: &str| file.rsplit('/').next().and_then(|name| name.strip_suffix(".md")?.parse::<Date>().ok());
    let trust = Trust::of(folder)?;
    let waiting = crate::promotable_lines(folder)?.into_iter().filter(|line| line.is_for_rules(&trust));
    for line in waiting {
        let day = day_of(&line.bullet.file).or_else(|| first_date(&line.whole));
        found.push(SkillSource { file: line.bullet.file, day, text: line.text });
    }
    for file in folder.files()? {
        if file == PROCEDURAL {
            let mut rules = bullets_of(folder, &file)?;
            rules.retain(|rule| trust.is_persons(&file, &rule.text));
            let rules = rules.into_iter();
            found.extend(rules.map(|rule| SkillSource { file: file.clone(), day: None, text: rule.text }));
        } else if file.starts_with("archive/review-") {
            for line in bullets_of(folder, &file)? {
                // `[correction, promoted to Procedural.md] 2026-03-01 10:00 …`
                let Some((fate, said)) = line.text.split_once("] ").filter(|(fate, _)| !fate.ends_with("dropped"))
                else {
                    continue;
                };
                let said = said.splitn(3, ' ').nth(2).filter(|_| fate.starts_with('[')).unwrap_or(said).to_owned();
                found.push(SkillSource { file: file.clone(), day: first_date(&line.text), text: said });
            }
        } else if let Some(day) = day_of(&file) {
            let noted = log_lines(&folder.read(&file)?.unwrap_or_default());
            let is_trusted = |line: &LogLine| match line.section.anchor {
                Some(_) => trust.is_for_rules(&file, line.text_without_request()),
                None => trust.is_persons(&file, &line.text),
            };
            let said = noted.into_iter().filter(|line| !line.is_unconfirmed && is_trusted(line));
            found.extend(said.map(|line| SkillSource { file: file.clone(), day: Some(day), text: line.text }));
        }
    }
    let files: BTreeSet<String> = found.iter().map(|source| source.file.clone()).collect();
    let mut private = BTreeSet::new();
    for file in files {
        let bytes = folder.read(&file)?.unwrap_or_default();
        if markdown::is_private(&tars_vault::text_of(&bytes)) {
            private.insert(file);
        }
    }
    found.retain(|source| !private.contains(&source.file));
    found.iter_mut().for_each(|source| source.text = redact(&source.text).text.into_owned());
    Ok(found)
}

/// Returns a line with its steps; `None` if it describes no procedure.
fn candidate(source: SkillSource) -> Option<Candidate> {
    // A line that commands an agent behind the person's back is no source.
    if looks_injected(&source.text) {
        return None;
    }
    let steps = steps(&source.text);
    (steps.len() >= MIN_STEPS).then_some(Candidate { source, steps })
}

/// Returns the steps of a line: the parts that begin with an instruction, or end with one in languages whose verb stands last. A part
/// without an instruction belongs to the step before it; text before the first step is dropped.
fn steps(text: &str) -> Vec<String> {
    let languages: Vec<&Language> = phrase_languages(text).collect();
    let mut found: Vec<String> = Vec::new();
    for (separator, part) in parts(text, &languages) {
        let said = without_joining(part, &languages);
        match (names_a_step(said, &languages), found.last_mut()) {
            (true, _) => found.push(collapse_whitespace(said)),
            (false, Some(last)) if !part.trim().is_empty() => last.push_str(&format!("{separator}{}", part.trim_end())),
            (false, _) => {}
        }
    }
    let inert = |step: &String| inert(step);
    found.iter().map(inert).filter(|step| !step.is_empty()).take(MAX_STEPS).collect()
}

/// Whether a part of a line names an action and its object.
fn names_a_step(said: &str, languages: &[&Language]) -> bool {
    let mut words = said.split_whitespace();
    let is_begun = words.next().is_some_and(|word| is_verb(&letters(word)) || word.starts_with('`'));
    // Verbs of languages that are written without spaces, and verbs that stand last.
    let is_other = |language: &&Language| language.steps.verb_is_last || !language.function_sequences.is_empty();
    let plain = letters(said);
    is_begun && (words.next().is_some() || said.contains('`'))
        || languages.iter().filter(|language| is_other(language)).any(|language| is_step(&plain, language))
}

/// Removes leading words that join steps.
fn without_joining<'a>(part: &'a str, languages: &[&Language]) -> &'a str {
    let joining = || languages.iter().flat_map(|language| language.steps.joining.split_whitespace());
    let mut said = part.trim_start();
    loop {
        let word = said.split_whitespace().next().unwrap_or_default();
        let is_joining = |join: &&str| *join == letters(word) && !word.contains('`');
        let joined = joining().find(is_joining).map(|_| word.len());
        // In a script without spaces the joining word is part of the next word.
        let within = || joining().filter(|join| join.ends_with(is_unspaced)).find(|join| said.starts_with(join));
        let Some(length) = joined.or_else(|| within().map(str::len)).filter(|length| *length > 0) else { return said };
        said = said[length..].trim_start();
    }
}

/// Punctuation that separates steps, with its spaces.
const STEP_MARKS: [&str; 11] = [", ", "; ", ": ", ". ", "\n", " → ", "，", "、", "；", "：", "。"];

/// Splits a text at the separators of steps. Each part comes with the separator before it.
fn parts<'a>(text: &'a str, languages: &[&Language]) -> Vec<(&'static str, &'a str)> {
    let is_told = detect_language(text).is_some();
    let words = languages.iter().flat_map(|language| {
        let if_spoken = if is_told { language.steps.separators_if_own_language } else { &[] };
        language.steps.separators.iter().chain(if_spoken)
    });
    let separators: Vec<&'static str> = STEP_MARKS.iter().chain(words).copied().collect();
    let (mut found, mut rest, mut before) = (Vec::new(), text, "");
    loop {
        // Text between backticks is not split.
        let free = |at: usize| rest[..at].matches('`').count() % 2 == 0;
        let next = separators
            .iter()
            .filter_map(|separator| {
                Some((rest.match_indices(separator).map(|(at, _)| at).find(|at| free(*at))?, *separator))
            })
            .min_by_key(|(at, separator)| (*at, std::cmp::Reverse(separator.len())));
        let Some((at, separator)) = next else {
            found.push((before, rest));
            return found;
        };
        found.push((before, &rest[..at]));
        (rest, before) = (&rest[at + separator.len()..], if separator == "\n" { " " } else { separator });
    }
}

fn letters(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Makes a step inert for clients of skills: one line without commands that run on loading (`` !`…` ``), arguments, file inclusions and
/// code fences.
fn inert(step: &str) -> String {
    let mut line = cleaned_line(step);
    // Removing one pattern may create another ("`!``", "!@`"), so the loop runs until nothing changes.
    loop {
        let next = without_names(&line).replace("!`", "`").replace("```", "`");
        if next == line {
            return line.trim().trim_end_matches(['.', ';', ',']).to_owned();
        }
        line = next;
    }
}

/// Removes the signs of arguments (`$1`, `$ARGUMENTS`) and files (`@name`).
fn without_names(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut before = ' ';
    let mut rest = line;
    while let Some(character) = rest.chars().next() {
        let behind = &rest[character.len_utf8()..];
        let is_argument =
            character == '$' && (behind.starts_with("ARGUMENTS") || behind.starts_with(|c: char| c.is_ascii_digit()));
        let is_file = character == '@' && !before.is_alphanumeric();
        if !is_argument && !is_file {
            out.push(character);
        }
        before = character;
        rest = behind;
    }
    out
}

fn skill(mut group: Vec<Candidate>, names: &mut BTreeSet<String>) -> Skill {
    // The newest line among those with the most steps represents the group.
    let most = group.iter().map(|one| one.steps.len()).max().unwrap_or_default();
    let chosen = group.iter().position(|one| one.steps.len() == most).unwrap_or_default();
    let steps: Vec<String> = group[chosen].steps.iter().map(|step| capitalize(step)).collect();
    let name = unused(name(&steps), names);
    let sources: Vec<SkillSource> = group.drain(..).map(|one| one.source).collect();
    let days: BTreeSet<Date> = sources.iter().filter_map(|source| source.day).collect();
    let (first, last) = (days.first().copied().unwrap_or_default(), days.last().copied().unwrap_or_default());
    let description = format!("{}. Asked for on {} days, {first} to {last}.", steps.join("; "), days.len());
    let description: String = match description.chars().count() > MAX_DESCRIPTION_LENGTH {
        true => description.chars().take(MAX_DESCRIPTION_LENGTH - 1).chain(['…']).collect(),
        false => description,
    };
    let numbered = steps.iter().enumerate().map(|(at, step)| format!("{}. {step}\n", at + 1)).collect::<String>();
    let shown = sources.iter().take(MAX_SHOWN_SOURCES).map(|source| match source.day {
        Some(day) => format!("- {day}: {}\n", inert(&source.text)),
        None => format!("- {}\n", inert(&source.text)),
    });
    // A JSON string is a valid YAML string on one line.
    let quoted = serde_json::Value::from(description.as_str());
    let title = name.replace('-', " ");
    let text = format!(
        "---\nname: {name}\ndescription: {quoted}\n---\n\n# {}\n\n{numbered}\nWhat this rests on:\n\n{}",
        capitalize(&title),
        shown.collect::<String>()
    );
    Skill { name, description, text, sources }
}

/// Builds a name from the first words of the steps.
fn name(steps: &[String]) -> String {
    let tells = |word: &&str| {
        !word.is_empty() && !is_stop_word(&word.to_lowercase()) && !is_foreign_stop_word(&word.to_lowercase())
    };
    let words = steps.iter().flat_map(|step| step.split(|c: char| !c.is_alphanumeric()).filter(tells).take(2));
    let mut name = String::new();
    for word in words.map(str::to_ascii_lowercase).filter(|word| word.chars().all(|c| c.is_ascii_alphanumeric())) {
        if name.len() + word.len() + 1 > MAX_NAME_LENGTH {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(&word);
    }
    if name.is_empty() { "habit".into() } else { name }
}

fn unused(name: String, names: &mut BTreeSet<String>) -> String {
    let free = std::iter::once(name.clone())
        .chain((2..).map(|number| format!("{name}-{number}")))
        .find(|name| !names.contains(name));
    let name = free.unwrap_or(name);
    names.insert(name.clone());
    name
}

#[cfg(test)]
mod tests;

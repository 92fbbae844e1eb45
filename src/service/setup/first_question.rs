//! A first question, made from the person's own notes.

use std::cmp::Reverse;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Result, Service, UseCase, VAULT};
use tars_store::{FileRecord, Reader};
use tars_text::analysis::detect_language;
use tars_text::markdown::{CodeFence, without_comments};

/// Notes to look at, the newest.
const NEWEST: usize = 300;
/// Chunks of each note to look at.
const CHUNKS: u32 = 4;
/// Words of text from which a note is more than a stub, and from which it has much to find.
const FEW_WORDS: usize = 12;
const MANY_WORDS: usize = 60;
/// A heading in more than this share of the notes comes from a template and says nothing about a single note.
const TEMPLATE: f64 = 0.2;

/// Asks for a question that the notes of the vault answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FirstQuestionRequest {}

/// The question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FirstQuestionResponse {
    /// A title of several words of a note with text, in the language of most notes; otherwise a heading that stands in several notes,
    /// otherwise one of the newest note that has a telling one; `None` if no note has one.
    pub question: Option<String>,
}

impl UseCase for FirstQuestionRequest {
    type Response = FirstQuestionResponse;

    fn run(&self, service: &Service<'_>) -> Result<FirstQuestionResponse> {
        let app = service.app;
        let index = app.open_index()?;
        let index = index.snapshot()?;
        let memory = format!("{}/", app.settings.config.vault.memory_folder.trim_end_matches('/'));
        let vault = index.collections()?.into_iter().find(|collection| collection.name == VAULT);
        let mut files = vault.map_or(Ok(Vec::new()), |vault| index.files(vault.id))?;
        files.retain(|file| !file.path.starts_with(&memory));
        files.sort_by_key(|file| Reverse(file.stat.mtime_ns));
        files.truncate(NEWEST);
        Ok(FirstQuestionResponse { question: question(&*index, &files)? })
    }
}

/// A note by whose title a person may ask.
struct TitledNote {
    title: String,
    /// The language of its text.
    language: &'static str,
    /// Words of its text.
    words: usize,
    /// Its position, the newest first.
    age: usize,
}

/// Returns the question that `files` suggest. The newest file comes first.
fn question(index: &dyn Reader, files: &[FileRecord]) -> Result<Option<String>> {
    // Each heading with the number of its notes and the position of the newest of them.
    let mut headings: HashMap<String, (String, usize, usize)> = HashMap::new();
    let (mut titled, mut newest): (Vec<TitledNote>, Option<String>) = (Vec::new(), None);
    // The languages of the texts, each with its number of notes.
    let mut languages: HashMap<&str, usize> = HashMap::new();
    for (age, file) in files.iter().enumerate() {
        let mut of_note: Vec<String> = Vec::new();
        let chunks = index.chunk_range(file.id, 0, CHUNKS - 1)?;
        let contents: Vec<&str> = chunks.iter().map(|chunk| chunk.content.as_str()).collect();
        let text = plain_text(&contents.join("\n"));
        let words = count_words(&text);
        if words >= FEW_WORDS {
            let language = language_of(&text);
            *languages.entry(language).or_default() += 1;
            let title = chunks.first().map(|chunk| chunk.title.trim()).filter(|title| is_telling(title));
            let title = title.filter(|_| !is_template(&file.path));
            titled.extend(title.map(|title| TitledNote { title: title.to_owned(), language, words, age }));
        }
        for chunk in chunks {
            let inner = chunk.sections.iter().map(|section| section.heading.as_str());
            for heading in std::iter::once(chunk.heading.as_str()).chain(inner) {
                let last = heading.rsplit(" > ").next().unwrap_or_default().trim();
                if is_telling(last) && !of_note.iter().any(|known| known == last) {
                    of_note.push(last.to_owned());
                }
            }
        }
        if newest.is_none() && words > 0 {
            newest = of_note.first().cloned();
        }
        for heading in of_note {
            headings.entry(heading.to_lowercase()).or_insert((heading, 0, age)).1 += 1;
        }
    }
    let usual = languages.into_iter().max_by_key(|(code, notes)| (*notes, Reverse(*code))).map(|(code, _)| code);
    titled.retain(|note| Some(note.language) == usual);
    if let Some(best) = best_title(titled) {
        return Ok(Some(best));
    }
    let most = ((files.len() as f64 * TEMPLATE) as usize).max(2);
    let frequent = headings.into_values().filter(|(_, notes, _)| (2..=most).contains(notes));
    let best = frequent.max_by(|(_, one, age), (_, other, than)| one.cmp(other).then(than.cmp(age)));
    Ok(best.map(|(heading, ..)| heading).or(newest))
}

/// Returns the title that sounds most like a question: one of a few words, without a number, of a note with much text. The newest such note
/// wins. A title of several notes singles out none of them.
fn best_title(notes: Vec<TitledNote>) -> Option<String> {
    let mut named: HashMap<String, usize> = HashMap::new();
    notes.iter().for_each(|note| *named.entry(note.title.to_lowercase()).or_default() += 1);
    let is_short = |note: &TitledNote| note.words < MANY_WORDS;
    let is_unlike = |note: &TitledNote| {
        !(3..=8).contains(&count_words(&note.title)) || note.title.contains(|c: char| c.is_ascii_digit())
    };
    let single = notes.into_iter().filter(|note| named.get(&note.title.to_lowercase()) == Some(&1));
    single.min_by_key(|note| (is_short(note), is_unlike(note), note.age)).map(|note| note.title)
}

/// Returns the lines that people read as text: without headings, code, comments, tables, embeds and properties.
fn plain_text(content: &str) -> String {
    let mut fence = CodeFence::default();
    let shown = without_comments(content);
    let is_text = |line: &&str| {
        let line = line.trim_start();
        !fence.holds(line) && !line.starts_with(['#', '|', '!', '<']) && !line.contains("::") && !line.contains("![[")
    };
    shown.split('\n').filter(is_text).collect::<Vec<_>>().join("\n")
}

/// Returns the number of words of a text; two letters count as a word where words have no blanks between them.
fn count_words(text: &str) -> usize {
    let wide = text.chars().filter(|c| is_wide(*c)).count();
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic() && !is_wide(*c)).count() >= 2;
    wide / 2 + text.split_whitespace().filter(is_word).count()
}

fn language_of(text: &str) -> &'static str {
    detect_language(text).and_then(|detected| detected.languages().next()).map_or("en", |language| language.code)
}

/// Whether a note is in a folder of templates.
fn is_template(path: &str) -> bool {
    path.rsplit('/').skip(1).any(|folder| folder.to_lowercase().contains("template"))
}

/// Whether a letter belongs to a script without capitals, most of which have no blanks between words.
fn is_wide(c: char) -> bool {
    !c.is_ascii() && c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase()
}

/// Whether a heading or a title says what a text is about: at least two words of letters, and no signs of code, links or dates.
fn is_telling(text: &str) -> bool {
    let words = text.split_whitespace().filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= 2).count();
    let is_plain = !text.contains(['[', ']', '|', '`', '<', '>', '{', '}', '#', ':', '"', '*', '_']);
    // Some languages write without spaces.
    let says = words >= 2 || text.chars().filter(|c| is_wide(*c)).count() >= 4;
    says && is_plain && (4..=60).contains(&text.chars().count()) && !text.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(title: &str, words: usize, age: usize) -> TitledNote {
        TitledNote { title: title.into(), language: "en", words, age }
    }

    #[test]
    fn a_title_of_a_note_with_text_is_asked_before_that_of_a_newer_stub() {
        let best = |notes: Vec<TitledNote>| best_title(notes).unwrap_or_default();
        assert_eq!(
            best(vec![note("Daily embeds here", 15, 0), note("Reviving a sourdough starter", 200, 9)]),
            "Reviving a sourdough starter"
        );
        assert_eq!(
            best(vec![note("Notes 2026", 90, 0), note("Old plan", 90, 1), note("How the boat leaks", 90, 2)]),
            "How the boat leaks"
        );
        assert_eq!(
            best(vec![note("One two three", 90, 3), note("Four five six", 90, 2)]),
            "Four five six",
            "the newer one"
        );
        assert_eq!(
            best(vec![note("Meeting of us", 90, 0), note("meeting of us", 90, 1), note("Old plan", 20, 2)]),
            "Old plan"
        );
        assert_eq!(best(Vec::new()), "");
    }

    #[test]
    fn embeds_code_and_comments_are_no_text() {
        let content = "# Two words\n![[a b]]\n- ![[c d]]\n![x y](z.png)\n%% not this %%\n```\nno code\n```\n| a row |\nkey words:: v w\nOne line stays.";
        assert_eq!(plain_text(content).trim(), "One line stays.");
        assert_eq!((count_words("One line stays."), count_words("金沢メモ帳 a"), count_words("1 2 3")), (3, 2, 0));
        assert!(
            is_template("Templates/a b.md") && is_template("x/_templates/y.md") && !is_template("Template of a.md")
        );
    }

    #[test]
    fn headings_that_say_nothing_are_not_telling() {
        for telling in ["Heat pump", "Anbau im Garten", "金沢メモ帳の続き", "What we pay for power"] {
            assert!(is_telling(telling), "{telling}");
        }
        for idle in
            ["", "Log", "2026-05-08", "2026-05-08 10", "[[Link to it]]", "`cargo test` runs", "12 34", "todo: mend it"]
        {
            assert!(!is_telling(idle), "{idle}");
        }
    }
}

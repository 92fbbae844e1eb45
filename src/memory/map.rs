//! Builds the map of the memory: the files of each layer, their sizes and their headings. An agent that can read files uses it to choose
//! which file to open.

use std::time::SystemTime;

use super::chat_note::CHATS;
use super::file::{ARCHIVE, CORRECTIONS, MEMORY, PROCEDURAL, PROPOSALS, REWARDS, SESSIONS, is_daily};
use super::{MemoryError, bullet::headings, soul::is_soul};
use tars_base::domain::{ApproximateTokens, CountTokens, sanitize_line};
use tars_text::markdown;
use tars_text::redact::{redact, redact_path};
use tars_vault::{Lines, MemoryFolder};

/// Maximum number of files shown per layer; for days and sessions, the newest. The map stays short, however old the memory is.
const MAX_FILES: usize = 10;
/// Maximum length of a file's headings line, in characters.
const MAX_HEADINGS_LENGTH: usize = 100;

/// A layer of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Memory.md and Procedural.md: what every session must know.
    Core,
    /// Topics.
    Context,
    /// Goals and plans.
    Timelines,
    /// Pages of projects.
    Projects,
    /// Logs of days.
    Days,
    /// Logs of sessions.
    Sessions,
    /// Saved chats.
    Chats,
    /// Corrections, rewards and proposals that wait for a person.
    Waiting,
    /// Compacted months, former facts and settled proposals.
    Archive,
    /// All other files of the folder.
    Other,
}

/// A layer with its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedLayer {
    /// The layer.
    pub layer: Layer,
    /// Its files.
    pub files: Vec<MappedFile>,
    /// Number of further files that are not shown.
    pub more: usize,
}

/// A file of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedFile {
    /// Name within the memory folder, without secrets.
    pub file: String,
    /// Approximate number of tokens.
    pub tokens: usize,
    /// Time of the last change; `None` if the system does not report it.
    pub changed: Option<SystemTime>,
    /// Its headings in one line, without secrets.
    pub holds: String,
}

impl Layer {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Context => "context",
            Self::Timelines => "timelines",
            Self::Projects => "projects",
            Self::Days => "days",
            Self::Sessions => "sessions",
            Self::Chats => "chats",
            Self::Waiting => "waiting",
            Self::Archive => "archive",
            Self::Other => "other",
        }
    }

    fn of(file: &str) -> Self {
        match file.split_once('/').map(|(folder, _)| folder) {
            Some("context") => Self::Context,
            Some("timelines") => Self::Timelines,
            Some("projects") => Self::Projects,
            Some(SESSIONS) => Self::Sessions,
            Some(CHATS) => Self::Chats,
            Some(ARCHIVE) => Self::Archive,
            None if [MEMORY, PROCEDURAL].contains(&file) => Self::Core,
            None if [CORRECTIONS, REWARDS, PROPOSALS].contains(&file) => Self::Waiting,
            None if is_daily(file) => Self::Days,
            Some(_) | None => Self::Other,
        }
    }

    /// Whether its files are named by date, so that the newest come first.
    fn is_of_days(self) -> bool {
        matches!(self, Self::Days | Self::Sessions | Self::Chats)
    }
}

/// Returns the layers that have files, and a line for each file that cannot be read. A private note (`tars: private`) within the shown
/// files is neither named nor counted.
///
/// # Errors
/// The folder cannot be read.
pub fn map(folder: &MemoryFolder) -> Result<(Vec<MappedLayer>, Vec<String>), MemoryError> {
    // The assistant's soul files are not part of its memory.
    let files = folder.files()?.into_iter().filter(|file| !is_soul(file));
    let mut files: Vec<(Layer, String)> = files.map(|file| (Layer::of(&file), file)).collect();
    files.sort_by(|(one, name), (other, other_name)| {
        let by_name = match one.is_of_days() {
            true => other_name.cmp(name),
            // Files in deeper folders come later: `archive/2026-03.md` precedes `archive/days/…`.
            false => (name.matches('/').count(), name).cmp(&(other_name.matches('/').count(), other_name)),
        };
        one.cmp(other).then(by_name)
    });
    let (mut layers, mut problems): (Vec<MappedLayer>, Vec<String>) = Default::default();
    for (layer, file) in files {
        if layers.last().is_none_or(|last| last.layer != layer) {
            layers.push(MappedLayer { layer, files: Vec::new(), more: 0 });
        }
        let Some(last) = layers.last_mut() else { continue };
        if last.files.len() == MAX_FILES {
            last.more += 1;
            continue;
        }
        match mapped_file(folder, &file) {
            Ok(found) => last.files.extend(found),
            Err(error) => {
                problems
                    .push(format!("{} is left out: {error}", sanitize_line(&redact_path(&folder.vault_path(&file)))));
            }
        }
    }
    layers.retain(|layer| !layer.files.is_empty());
    Ok((layers, problems))
}

/// Returns the number of tokens in Memory.md.
///
/// # Errors
/// The file cannot be read.
pub fn core_tokens(folder: &MemoryFolder) -> Result<usize, MemoryError> {
    Ok(ApproximateTokens.count(&String::from_utf8_lossy(&folder.read(MEMORY)?.unwrap_or_default())))
}

/// Returns a file's entry in the map; `None` if the file is private or gone.
fn mapped_file(folder: &MemoryFolder, file: &str) -> Result<Option<MappedFile>, MemoryError> {
    let Some(bytes) = folder.read(file)? else { return Ok(None) };
    let text = tars_vault::text_of(&bytes);
    if markdown::is_private(&text) {
        return Ok(None);
    }
    Ok(Some(MappedFile {
        file: redact_path(file).into_owned(),
        tokens: ApproximateTokens.count(&text),
        changed: folder.modified_at(file)?,
        holds: holds(file, &redact(&text).text),
    }))
}

/// Returns the headings of a file in one line. A first heading that only repeats the file's name is left out.
fn holds(file: &str, text: &str) -> String {
    let headings = headings(&Lines::of(text.as_bytes()));
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let (name, first): (String, Option<String>) = (
        letters(file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md")),
        headings.first().map(|(_, heading)| letters(heading)),
    );
    let says_its_name = usize::from(first.is_some_and(|first| first == name) && headings.len() > 1);
    let (mut said, mut length) = (Vec::new(), 0);
    for (_, heading) in headings.iter().skip(says_its_name) {
        let heading = sanitize_line(heading.trim());
        length += heading.chars().count() + 3;
        if length > MAX_HEADINGS_LENGTH {
            said.push(if said.is_empty() {
                heading.chars().take(MAX_HEADINGS_LENGTH).collect()
            } else {
                "…".to_owned()
            });
            break;
        }
        if !heading.is_empty() && !said.contains(&heading) {
            said.push(heading);
        }
    }
    said.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> (tempfile::TempDir, MemoryFolder) {
        let home = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = home.path().join("tars").join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let folder = MemoryFolder::new(home.path(), "tars").unwrap();
        (home, folder)
    }

    #[test]
    fn files_are_sorted_into_layers() {
        let (_home, folder) = folder(&[
            ("Memory.md", "# Memory\n\n## Person\n- a\n\n## Machines\n- b\n"),
            ("archive/2026-03.md", "# March 2026\n"),
            ("archive/days/2026-03-01.md", "# 2026-03-01\n"),
            ("context/work/projects.md", "# Projects\n\n## Pump\n"),
            ("context/work.md", "# Work\n"),
            ("ideas.md", "# Ideas\n"),
            ("soul/soul.md", "# Soul\n"),
            ("proposals.md", "# Proposals\n"),
            ("timelines/current-goals.md", "# This year\n\n## Harbour\n"),
            ("2026-03-14.md", "# 2026-03-14\n\n## Session 09:20 · pump\n"),
            ("2026-03-15.md", "# 2026-03-15\n"),
        ]);
        let (layers, problems) = map(&folder).unwrap();
        assert_eq!(problems, [""; 0]);
        let told: Vec<String> = layers
            .iter()
            .flat_map(|layer| layer.files.iter().map(|file| (layer.layer.as_str(), file)))
            .map(|(layer, file)| format!("{layer} {} {}", file.file, file.holds))
            .collect();
        assert_eq!(
            told,
            [
                "core Memory.md Person · Machines",
                "context context/work.md Work",
                "context context/work/projects.md Pump",
                "timelines timelines/current-goals.md This year · Harbour",
                "days 2026-03-15.md 2026-03-15",
                "days 2026-03-14.md Session 09:20 · pump",
                "waiting proposals.md Proposals",
                "archive archive/2026-03.md March 2026",
                "archive archive/days/2026-03-01.md 2026-03-01",
                "other ideas.md Ideas",
            ]
        );
        assert!(layers[0].files[0].tokens > 5 && layers[0].files[0].changed.is_some());
    }

    #[test]
    fn the_map_is_short_and_hides_private_files_and_secrets() {
        let secret = "## With <private>Falk</private>\n";
        let long = format!("# {}\n", "long ".repeat(100));
        let mut files = vec![
            ("context/a.md".to_owned(), format!("# A\n\n{secret}")),
            ("context/b.md".to_owned(), "---\ntars: private\n---\n# Hidden\n".to_owned()),
            ("context/c.md".to_owned(), long + "## \u{202e}turned\n"),
        ];
        files.extend((1..=28).map(|day| (format!("2026-02-{day:02}.md"), "# Day\n".to_owned())));
        let files: Vec<(&str, &str)> = files.iter().map(|(file, text)| (file.as_str(), text.as_str())).collect();
        let (_home, folder) = folder(&files);
        let (layers, _) = map(&folder).unwrap();
        let context = &layers[0];
        assert_eq!(
            context.files.iter().map(|file| file.file.as_str()).collect::<Vec<_>>(),
            ["context/a.md", "context/c.md"]
        );
        assert!(context.files[0].holds.contains("[redacted:"), "{context:?}");
        assert!(
            context.files[1].holds.chars().count() <= MAX_HEADINGS_LENGTH
                && !context.files[1].holds.contains('\u{202e}')
        );
        assert_eq!(
            (layers[1].files.len(), layers[1].more, layers[1].files[0].file.as_str()),
            (10, 18, "2026-02-28.md")
        );
    }
}

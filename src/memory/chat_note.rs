//! Writes one note per saved chat: `chats/YYYY-MM-DD-<first question>.md`.
//!
//! Every value of the front matter is quoted:
//!
//! ```text
//! ---
//! date: "2025-03-14"            day of the first message
//! began: "2025-03-14T09:20:05"  first message, local time
//! ended: "2025-03-16T11:02:40"  last message
//! chat: "chatgpt:6789…"         the program and its id of the chat, by which the note is known
//! name: "Pump trouble"          the name that the program gave it; left out without one
//! tars: "chat"
//! source: "9f3a…"               hash of the messages that the note was made from
//! digest: "57b1…"               hash of everything else in the file, as tars left it
//! ---
//! ```
//!
//! Times are left out where the export has none. Below the front matter stand `# first question` and a section for each exchange:
//! `## 2025-03-14 09:20`, then `**You:**` and `**ChatGPT:**`, each on a line of its own above its text. No line of a text outside of code
//! has one of these forms.
//!
//! A chat has one note. A chat may go on, so tars overwrites the note as long as it is unedited. After a person has edited it, tars leaves
//! it alone.

use std::collections::{BTreeMap, HashSet};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::MemoryError;
use super::generated_note::{digest, is_unedited, unused_name, with_digest};
use super::log_front_matter::front_matter_field;
use super::remember::sanitize_note;
use super::session_note::one_line;
use tars_agent::chat_export::{ChatMessage, SavedChat};
use tars_agent::digest::headline;
use tars_text::cleaning::{cleaned_markdown, truncated};
use tars_text::markdown::CodeFence;
use tars_vault::{MemoryFolder, Splice, Writer};

/// Folder with one note per saved chat.
pub const CHATS: &str = "chats";

/// Above the person's words.
const YOU: &str = "**You:**";
const MAX_TITLE_LENGTH: usize = 100;
/// Maximum length of the title's part of the file name, in bytes.
const MAX_STEM_BYTES: usize = 60;
/// Maximum length of an id that the note repeats as it is.
const MAX_ID_BYTES: usize = 100;
/// Maximum length of a message in the note, in bytes: longer ones are pasted files.
const MAX_MESSAGE_BYTES: usize = 256 << 10;
/// Maximum length of a note, in bytes, below the usual `index.max_file_size`.
const MAX_NOTE_BYTES: usize = 2 << 20;
/// Maximum number of attached files that a message names, and the length of each name.
const MAX_FILES: usize = 20;
const MAX_FILE_NAME_LENGTH: usize = 100;

/// A saved chat on its way into a note.
#[derive(Debug)]
pub struct ChatNote {
    key: String,
    source: String,
    title: String,
    zone: TimeZone,
    chat: SavedChat,
}

/// The fate of a chat's note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChatWrite {
    /// A new note: this file of the memory folder.
    New(String),
    /// The chat went on, so its unedited note was written again.
    Changed(String),
    /// The note has all of the chat.
    Known(String),
    /// The chat went on, but a person has edited its note, which tars left alone.
    Edited(String),
}

/// The notes of chats in a memory folder, by the chat.
#[derive(Debug, Default)]
pub struct KnownChats {
    notes: BTreeMap<String, KnownChat>,
    read: HashSet<String>,
}

#[derive(Debug)]
struct KnownChat {
    file: String,
    source: String,
}

impl KnownChats {
    /// Adds the notes that are in the folder and not known yet.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn refresh(&mut self, folder: &MemoryFolder) -> Result<(), MemoryError> {
        let is_chat = |file: &String| file.strip_prefix(CHATS).is_some_and(|rest| rest.starts_with('/'));
        for file in folder.files()?.into_iter().filter(is_chat) {
            if !self.read.insert(file.clone()) {
                continue;
            }
            let bytes = folder.read(&file)?.unwrap_or_default();
            let text = String::from_utf8_lossy(&bytes);
            let field = |name: &str| front_matter_field(&text, name);
            if let Some(key) = field("chat") {
                let known = KnownChat { file, source: field("source").unwrap_or_default() };
                self.notes.entry(key).or_insert(known);
            }
        }
        Ok(())
    }

    /// Adds a note that was written, or that a dry run would write.
    pub fn insert(&mut self, note: &ChatNote, file: &str) {
        self.read.insert(file.to_owned());
        self.notes.insert(note.key.clone(), KnownChat { file: file.to_owned(), source: note.source.clone() });
    }
}

impl ChatNote {
    /// Returns the note of a chat, with times in `zone`; `None` if the person said nothing in it.
    pub fn new(chat: SavedChat, zone: TimeZone) -> Option<Self> {
        let of_person = || chat.messages.iter().filter(|message| message.is_of_person);
        of_person().next()?;
        let question = of_person().map(|message| sanitize_note(&message.text).0).find(|text| !text.trim().is_empty());
        let question = question.unwrap_or_default();
        let title =
            headline(&question).or_else(|| question.lines().find(|line| !line.trim().is_empty()).map(str::to_owned));
        let title = title.map(|title| one_line(&truncated(&title, MAX_TITLE_LENGTH)));
        let title = title.filter(|title| !title.trim().is_empty()).unwrap_or_else(|| "(no words)".into());
        let (key, source) = (key_of(&chat), source_of(&chat));
        Some(Self { key, source, title, zone, chat })
    }

    /// Returns the program and its id of the chat, as the note records it.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the title: the person's first question.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the person's messages, each with its local day if the export has its time.
    pub fn said(&self) -> impl Iterator<Item = (Option<Date>, &str)> {
        let of_person = self.chat.messages.iter().filter(|message| message.is_of_person);
        let day = |at: Timestamp| at.to_zoned(self.zone.clone()).date();
        of_person.map(move |message| (message.at.or_else(|| self.began()).map(day), message.text.as_str()))
    }

    fn began(&self) -> Option<Timestamp> {
        self.chat.messages.iter().find_map(|message| message.at).or(self.chat.created)
    }

    /// Returns a file name for the note, which may be in use.
    fn named(&self) -> String {
        let date = self.began().map(|began| format!("{}-", self.local(began, "%Y-%m-%d"))).unwrap_or_default();
        let mut stem = String::new();
        for word in self.title.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            if stem.len() + 1 + word.len() > MAX_STEM_BYTES {
                break;
            }
            if !stem.is_empty() {
                stem.push('-');
            }
            stem.push_str(&word);
        }
        let stem = if stem.is_empty() { self.chat.client.as_str().to_owned() } else { stem };
        format!("{CHATS}/{date}{stem}.md")
    }

    fn local(&self, time: Timestamp, format: &str) -> String {
        time.to_zoned(self.zone.clone()).strftime(format).to_string()
    }

    /// Returns the text of the note.
    fn text(&self) -> String {
        let mut lines = vec!["---".to_owned()];
        let mut field = |name: &str, value: &str| {
            // A JSON string is a valid YAML string.
            lines.push(format!("{name}: {}", serde_json::Value::from(one_line(value))));
        };
        if let Some(began) = self.began() {
            let ended = self.chat.messages.iter().rev().find_map(|message| message.at).unwrap_or(began);
            let began = self.local(began, "%Y-%m-%dT%H:%M:%S");
            field("date", &began[..began.find('T').unwrap_or(began.len())]);
            field("began", &began);
            field("ended", &self.local(ended, "%Y-%m-%dT%H:%M:%S"));
        }
        field("chat", &self.key);
        let name = self.chat.name.as_deref().map(|name| truncated(&sanitize_note(name).0, MAX_TITLE_LENGTH));
        if let Some(name) = name.filter(|name| !name.trim().is_empty()) {
            field("name", &name);
        }
        field("tars", "chat");
        field("source", &self.source);
        lines.extend(["---".to_owned(), String::new(), format!("# {}", self.title)]);
        let mut bytes = 0;
        for (number, exchange) in exchanges(&self.chat.messages).into_iter().enumerate() {
            let section = self.section(number + 1, exchange);
            bytes += section.iter().map(|line| line.len() + 1).sum::<usize>();
            if bytes > MAX_NOTE_BYTES {
                let notice = "… The chat goes on in the export: a note holds no more than this.".to_owned();
                lines.extend([String::new(), notice]);
                break;
            }
            lines.extend(section);
        }
        with_digest(&(lines.join("\n") + "\n"))
    }

    /// Returns the section of an exchange.
    fn section(&self, number: usize, exchange: &[ChatMessage]) -> Vec<String> {
        let time = exchange.iter().find_map(|message| message.at).map(|at| self.local(at, "%Y-%m-%d %H:%M"));
        let mut lines = vec![String::new(), format!("## {}", time.unwrap_or_else(|| format!("Exchange {number}")))];
        let assistant = format!("**{}:**", self.chat.client);
        let mut speaker = None;
        for message in exchange {
            if speaker != Some(message.is_of_person) {
                speaker = Some(message.is_of_person);
                let label = if message.is_of_person { YOU.to_owned() } else { assistant.clone() };
                lines.extend([String::new(), label]);
            }
            lines.push(String::new());
            lines.extend(message_lines(message, &assistant));
        }
        lines
    }
}

/// Returns the lines of a message: without secrets, and without anything that would act as a part of the note around it.
fn message_lines(message: &ChatMessage, assistant: &str) -> Vec<String> {
    let text = sanitize_note(&message.text).0;
    // Secrets are removed before the text is cut: half of one would not be recognised.
    let end = text.floor_char_boundary(MAX_MESSAGE_BYTES);
    let mut lines = cleaned_markdown(&text[..end]);
    let mut fence = CodeFence::default();
    for line in &mut lines {
        if !fence.holds(line)
            && let Some(label) = [YOU, assistant].into_iter().find(|label| line.trim_start().starts_with(label))
        {
            *line = line.replacen(label, label.trim_matches('*'), 1);
        }
    }
    if end < text.len() {
        lines.extend([String::new(), format!("… {} more bytes of this message are in the export.", text.len() - end)]);
    }
    let name = |name: &String| format!("`{}`", one_line(&truncated(name, MAX_FILE_NAME_LENGTH)).replace('`', "'"));
    let files: Vec<String> = message.files.iter().take(MAX_FILES).map(name).collect();
    if !files.is_empty() {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("Attached: {}", files.join(", ")));
    }
    lines
}

/// Splits messages into exchanges: each begins with the person's words, except that the assistant may have begun the chat.
fn exchanges(messages: &[ChatMessage]) -> Vec<&[ChatMessage]> {
    messages.chunk_by(|one, next| one.is_of_person || !next.is_of_person).collect()
}

/// Returns the program and its id of a chat. An id of an unusual form is replaced by its hash, so that no two chats get the same key.
fn key_of(chat: &SavedChat) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let id = match chat.id.len() <= MAX_ID_BYTES && chat.id.bytes().all(is_plain) && one_line(&chat.id) == chat.id {
        true => chat.id.clone(),
        false => digest(&chat.id),
    };
    format!("{}:{id}", chat.client.as_str())
}

/// Returns a hash of everything that the note is made from.
fn source_of(chat: &SavedChat) -> String {
    let mut parts = vec![chat.name.clone().unwrap_or_default(), format!("{:?}", chat.created)];
    for message in &chat.messages {
        parts.extend([
            format!("{} {:?}", message.is_of_person, message.at),
            message.text.clone(),
            message.files.join("\n"),
        ]);
    }
    digest(&serde_json::Value::from(parts).to_string())
}

/// Returns what [`write_chat`] would do with a note.
///
/// # Errors
/// A file cannot be read.
pub fn plan_chat(folder: &MemoryFolder, note: &ChatNote, known: &KnownChats) -> Result<ChatWrite, MemoryError> {
    Ok(match known.notes.get(&note.key) {
        None => ChatWrite::New(unused_name(folder, &note.named(), &|file| known.read.contains(file))?),
        Some(KnownChat { file, source }) if *source == note.source => ChatWrite::Known(file.clone()),
        Some(KnownChat { file, .. }) => {
            let bytes = folder.read(file)?.unwrap_or_default();
            match is_unedited(&String::from_utf8_lossy(&bytes)) {
                true => ChatWrite::Changed(file.clone()),
                false => ChatWrite::Edited(file.clone()),
            }
        }
    })
}

/// Writes the note of a chat if it is new or has changed, and no person has edited it. `known` receives it.
///
/// # Errors
/// See [`tars_vault::WriteError`].
pub fn write_chat(writer: &mut Writer<'_>, note: &ChatNote, known: &mut KnownChats) -> Result<ChatWrite, MemoryError> {
    let planned = plan_chat(writer.folder(), note, known)?;
    writer.set_source(Some(note.chat.client.as_str()), &note.key);
    match &planned {
        ChatWrite::New(file) => {
            let mut file = file.clone();
            let text = note.text();
            // Another program may create a file of this name meanwhile.
            while !writer.create_regenerable(&file, &text)? {
                file = unused_name(writer.folder(), &note.named(), &|_| false)?;
            }
            known.insert(note, &file);
            Ok(ChatWrite::New(file))
        }
        ChatWrite::Changed(file) => {
            let text = note.text();
            let new: Vec<&str> = text.lines().collect();
            let written = writer.edit(file, |lines| {
                let old = lines.all();
                if is_unedited(&(old.join("\n") + "\n")) { changes(&old, &new) } else { Vec::new() }
            })?;
            if !written {
                return Ok(ChatWrite::Edited(file.clone()));
            }
            known.insert(note, file);
            Ok(planned)
        }
        ChatWrite::Known(_) | ChatWrite::Edited(_) => Ok(planned),
    }
}

/// Returns the changes from the old lines of a note to the new ones. The journal keeps both sides of each, so they are small.
fn changes(old: &[String], new: &[&str]) -> Vec<Splice> {
    let head = |at: usize| old.get(at).zip(new.get(at)).is_some_and(|(old, new)| old == "---" && *new == "---");
    // The lines of the front matter correspond if it has as many as before.
    let body = (1..old.len().min(new.len())).find(|at| old[*at] == "---" || new[*at] == "---");
    let body = body.filter(|at| head(*at)).unwrap_or_default();
    let line = |at: usize| (old[at] != new[at]).then(|| Splice { at, remove: 1, insert: vec![new[at].to_owned()] });
    let mut splices: Vec<Splice> = (0..body).filter_map(line).collect();
    let (old, new) = (&old[body..], &new[body..]);
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let ends = old[same..].iter().rev().zip(new[same..].iter().rev()).take_while(|(old, new)| old == new).count();
    let (remove, insert) = (old.len() - ends - same, &new[same..new.len() - ends]);
    if remove > 0 || !insert.is_empty() {
        let insert = insert.iter().map(|line| (*line).to_owned()).collect();
        splices.push(Splice { at: body + same, remove, insert });
    }
    splices
}

#[cfg(test)]
mod tests;

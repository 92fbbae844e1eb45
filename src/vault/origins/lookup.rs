//! Looks up the origins of lines.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use jiff::Timestamp;

use super::{LineKey, LineOrigin, Record};

/// The origins of lines, by file and words.
#[derive(Debug, Default)]
pub struct Origins {
    records: Vec<Record>,
    files: BTreeMap<String, KnownFile>,
    /// The records of the words of lines, wherever they stand: the least trusted one.
    anywhere: HashMap<u64, usize>,
    forgotten: Vec<(u64, Vec<String>)>,
}

/// The known origins of a file.
#[derive(Debug, Default)]
struct KnownFile {
    /// The newest record of each line, by its words and by the whole line.
    words: HashMap<u64, usize>,
    lines: HashMap<u64, usize>,
    /// The newest record of the whole file.
    whole: Option<usize>,
}

/// A file with lines from a source.
#[derive(Debug)]
pub struct SourceFile<'o> {
    /// Its name within the memory folder.
    pub name: &'o str,
    origins: &'o Origins,
    known: &'o KnownFile,
    meant: HashSet<usize>,
}

impl Origins {
    /// Parses records, oldest first: those that concern `files`, or all. Lines that cannot be read are skipped: a crash may have torn one,
    /// and a newer tars may have written others.
    pub(crate) fn parse(bytes: &[u8], files: Option<&[&str]>) -> Self {
        let lines = || bytes.split(|byte| *byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok());
        let mut wanted: Option<HashSet<String>> = files.map(|files| files.iter().map(|file| quoted(file)).collect());
        if let Some(wanted) = &mut wanted {
            // Former names, newest move first.
            let moves: Vec<&str> = lines().filter(|line| line.contains("\"moved_to\":")).collect();
            for line in moves.into_iter().rev() {
                let Ok(record) = serde_json::from_str::<Record>(line) else { continue };
                if record.moved_to.as_deref().is_some_and(|to| wanted.contains(&quoted(to))) {
                    wanted.insert(quoted(&record.file));
                }
            }
        }
        let is_wanted = |line: &&str| {
            let names_one = |wanted: &HashSet<String>| wanted.iter().any(|file| line.contains(file));
            wanted.as_ref().is_none_or(names_one) || line.contains("\"forgot\":")
        };
        let mut origins = Self::default();
        for line in lines().filter(is_wanted) {
            if let Ok(record) = serde_json::from_str(line) {
                origins.add(record);
            }
        }
        origins
    }

    fn add(&mut self, mut record: Record) {
        let at = self.records.len();
        if let Some(to) = &record.moved_to {
            if let Some(known) = self.files.remove(&record.file) {
                self.files.insert(to.clone(), known);
            }
            return;
        }
        if !record.forgot.is_empty() {
            self.forgotten.push((record.id, std::mem::take(&mut record.forgot)));
            return;
        }
        let known = self.files.entry(record.file.clone()).or_default();
        if record.whole.is_some() {
            known.whole = Some(at);
        }
        for key in std::mem::take(&mut record.lines) {
            known.words.insert(key.words, at);
            known.lines.insert(key.whole, at);
            let before = self.anywhere.entry(key.words).or_insert(at);
            if *before != at && !self.records[*before].origin.by.is_less_trusted_than(record.origin.by) {
                *before = at;
            }
        }
        self.records.push(record);
    }

    /// Returns the origin of a line of this file; `None` if it is unknown.
    pub fn of(&self, file: &str, line: &str) -> Option<&LineOrigin> {
        let known = self.files.get(file)?;
        let at = LineKey::of(line).and_then(|key| known.words.get(&key.words));
        at.or(known.whole.as_ref()).map(|at| &self.records[*at].origin)
    }

    /// Returns the origin of the words of a line, in whatever file tars wrote them: the least trusted one.
    pub fn of_words(&self, line: &str) -> Option<&LineOrigin> {
        let at = self.anywhere.get(&LineKey::of(line)?.words)?;
        Some(&self.records[*at].origin)
    }

    /// Returns the origins of the lines of a write, by the journal's id.
    pub fn of_write(&self, id: u64) -> Vec<LineOrigin> {
        let mut found: Vec<LineOrigin> = Vec::new();
        for record in self.records.iter().filter(|record| record.id == id) {
            if !found.contains(&record.origin) {
                found.push(record.origin.clone());
            }
        }
        found
    }

    /// Returns the sessions, clients and chats that wrote lines.
    pub fn sessions(&self) -> impl Iterator<Item = &str> {
        self.records.iter().filter_map(|record| record.origin.session.as_deref())
    }

    /// Returns the files with lines or as a whole from the records that `is_meant` accepts by origin and time.
    pub fn from_source(&self, is_meant: impl Fn(&LineOrigin, Timestamp) -> bool) -> Vec<SourceFile<'_>> {
        let is_meant = |at: &usize| is_meant(&self.records[*at].origin, self.records[*at].time);
        let mut found = Vec::new();
        for (name, known) in &self.files {
            let records = known.lines.values().chain(&known.whole);
            let meant: HashSet<usize> = records.copied().filter(|at| is_meant(at)).collect();
            if !meant.is_empty() {
                found.push(SourceFile { name, origins: self, known, meant });
            }
        }
        found
    }

    /// Returns the sessions that a person has taken back, as far as `stands` accepts the undo group.
    pub fn forgotten(&self, stands: impl Fn(u64) -> bool) -> HashSet<&str> {
        let standing = self.forgotten.iter().filter(|(group, _)| stands(*group));
        standing.flat_map(|(_, sessions)| sessions.iter().map(String::as_str)).collect()
    }
}

impl SourceFile<'_> {
    /// Returns the origin of a line that the source wrote and nobody has edited since.
    pub fn unedited(&self, line: &str) -> Option<&LineOrigin> {
        let at = self.known.lines.get(&LineKey::of(line)?.whole)?;
        self.meant.contains(at).then(|| &self.origins.records[*at].origin)
    }

    /// Returns the origin of a line whose words the source wrote, edited or not.
    pub fn worded(&self, line: &str) -> Option<&LineOrigin> {
        let at = self.known.words.get(&LineKey::of(line)?.words)?;
        self.meant.contains(at).then(|| &self.origins.records[*at].origin)
    }

    /// Returns the origin of the file if the source wrote it as a whole, and whether it still has that content.
    pub fn whole(&self, content: &[u8]) -> Option<(&LineOrigin, bool)> {
        let at = self.known.whole.filter(|at| self.meant.contains(at))?;
        let record = &self.origins.records[at];
        Some((&record.origin, record.whole.as_deref() == Some(blake3::hash(content).to_hex().as_str())))
    }
}

/// Returns a file name as JSON has it.
fn quoted(file: &str) -> String {
    serde_json::Value::from(file).to_string()
}

/// The origins of a memory folder, read when they are first asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginsSlot(Arc<OnceLock<Arc<Origins>>>);

impl OriginsSlot {
    /// Returns the origins, read by `read` if this is the first call.
    pub(crate) fn get<E>(&self, read: impl FnOnce() -> Result<Origins, E>) -> Result<Arc<Origins>, E> {
        if let Some(known) = self.0.get() {
            return Ok(Arc::clone(known));
        }
        let read = Arc::new(read()?);
        Ok(Arc::clone(self.0.get_or_init(|| read)))
    }
}

/// Two folders are the same whatever was read of them.
impl PartialEq for OriginsSlot {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for OriginsSlot {}

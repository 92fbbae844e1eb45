//! The files of the ledger.

use std::borrow::Cow;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::blank::blanked;
use super::{Record, ShownRecord};
use tars_base::private::{self, short_hash};

/// Maximum length of a record, in bytes.
const MAX_RECORD: usize = 32 << 10;
/// Maximum number of pieces in a record, and of lines in a piece.
const MAX_PIECES: usize = 100;
const MAX_LINES: usize = 100;
/// Maximum length of a line's text, in characters.
const MAX_LINE_TEXT: usize = 160;
/// Maximum length of a question or a heading, in characters.
const MAX_QUESTION: usize = 100;
/// Maximum size of a month's file, in bytes: some 10,000 prompts and 2,000 session starts.
const MAX_FILE: u64 = 16 << 20;
/// Maximum length of a session's name.
const MAX_SESSION_NAME: usize = 64;
/// Suffix of the file names.
const SUFFIX: &str = ".jsonl";

/// The recall ledger of a data directory.
#[derive(Debug, Clone)]
pub struct RecallLedger {
    folder: PathBuf,
    max_file: u64,
}

/// Returns the session's name in the ledger: its id, or the id's hash if it is not a plain word.
pub fn session_name(id: &str) -> Cow<'_, str> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_.:".contains(character);
    match !id.is_empty() && id.len() <= MAX_SESSION_NAME && id.chars().all(is_plain) {
        true => Cow::Borrowed(id),
        false => Cow::Owned(short_hash(id.as_bytes())),
    }
}

impl RecallLedger {
    /// Returns the ledger of the data directory `data`, which need not exist.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("recall"), max_file: MAX_FILE }
    }

    /// Returns the folder of the ledger's files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a name is that of a ledger file: `2026-11.jsonl`.
    pub fn is_file(name: &str) -> bool {
        let is_right = |place: usize, byte: u8| if place == 4 { byte == b'-' } else { byte.is_ascii_digit() };
        let month = name.strip_suffix(SUFFIX).filter(|month| month.len() == 7);
        month.is_some_and(|month| month.bytes().enumerate().all(|(place, byte)| is_right(place, byte)))
    }

    /// Whether anything was ever recorded.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// Appends a record, truncated to the ledger's limits, in a single write, because processes may append
    /// concurrently. It does not sync: a crash of the machine may lose a record, but no prompt may wait for the disk.
    ///
    /// # Errors
    /// The data directory cannot be written, or the file of the month is full.
    pub fn add(&self, record: &Record) -> io::Result<()> {
        let mut bytes = bounded(record)?;
        bytes.push(b'\n');
        private::create_folder(&self.folder)?;
        let path = self.folder.join(format!("{}{SUFFIX}", record.at().strftime("%Y-%m")));
        let mut file = private::open(&path, OpenOptions::new().read(true).append(true).create(true))?;
        let length = file.metadata()?.len();
        if length + bytes.len() as u64 > self.max_file {
            let said = format!("{} is full ({} MiB)", path.display(), self.max_file >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, said));
        }
        // Starts a new line after a record that a full disk has torn.
        let mut last = [b'\n'];
        if length > 0 {
            file.read_exact_at(&mut last, length - 1)?;
        }
        if last != [b'\n'] {
            bytes.insert(0, b'\n');
        }
        match file.write(&bytes)? {
            written if written == bytes.len() => Ok(()),
            _ => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    /// Returns the records since `since`, in the order in which they were written.
    ///
    /// # Errors
    /// A file exists but cannot be read.
    pub fn since(&self, since: Timestamp) -> io::Result<Vec<Record>> {
        let first = format!("{}{SUFFIX}", since.strftime("%Y-%m"));
        let mut found = Vec::new();
        for name in self.months()?.into_iter().filter(|name| *name >= first) {
            found.extend(self.read(&name)?.into_iter().filter(|record| record.at() >= since));
        }
        Ok(found)
    }

    /// Returns the name and the records of the last session with a showing that satisfies `is_meant`, if any. The records
    /// include expansions of unknown sessions.
    ///
    /// # Errors
    /// Like [`RecallLedger::since`].
    pub fn session(&self, is_meant: impl Fn(&ShownRecord) -> bool) -> io::Result<Option<(String, Vec<Record>)>> {
        let mut found: Option<(String, Vec<Record>)> = None;
        for month in self.months()?.iter().rev() {
            let records = self.read(month)?;
            let session = match &found {
                Some((session, _)) => session.clone(),
                None => match records.iter().rev().find_map(|record| match record {
                    Record::Shown(shown) if is_meant(shown) => Some(shown.session.clone()),
                    _ => None,
                }) {
                    Some(session) => session,
                    None => continue,
                },
            };
            let is_its = |record: &Record| record.session().is_none_or(|own| own == session);
            let own: Vec<Record> = records.into_iter().filter(is_its).collect();
            // The records of a session of several months are in several files.
            let is_over = !own.iter().any(|record| record.session().is_some());
            let (_, later) = found.get_or_insert_with(|| (session, Vec::new()));
            if is_over {
                break;
            }
            later.splice(0..0, own);
        }
        Ok(found)
    }

    /// Removes the text of every line for which `is_forgotten` holds; the fact that something was shown stays. Records
    /// keep their length, so that other processes may append meanwhile.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn forget(&self, is_forgotten: &dyn Fn(&str) -> bool) -> io::Result<()> {
        for name in self.months()? {
            let file = private::open(&self.folder.join(name), OpenOptions::new().read(true).write(true))?;
            let mut bytes = Vec::new();
            (&file).take(self.max_file).read_to_end(&mut bytes)?;
            let mut start = 0;
            for line in bytes.split(|byte| *byte == b'\n') {
                if let Some(blanked) = blanked(line, is_forgotten) {
                    file.write_all_at(&blanked, start)?;
                }
                start += line.len() as u64 + 1;
            }
        }
        Ok(())
    }

    /// Returns the file names, oldest first.
    fn months(&self) -> io::Result<Vec<String>> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| Self::is_file(name))
            .collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Returns the records of a file. Skips lines that are no records, and everything beyond the maximum file size.
    fn read(&self, name: &str) -> io::Result<Vec<Record>> {
        let mut bytes = Vec::new();
        let file = private::open(&self.folder.join(name), OpenOptions::new().read(true))?;
        file.take(self.max_file).read_to_end(&mut bytes)?;
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty() && line.len() <= MAX_RECORD);
        Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
    }
}

/// Serializes a record within the length limit: texts are truncated, and the last pieces dropped.
fn bounded(record: &Record) -> io::Result<Vec<u8>> {
    let Record::Shown(shown) = record else { return Ok(serde_json::to_vec(record)?) };
    let pieces = shown.pieces.iter().take(MAX_PIECES).cloned().collect();
    let mut shown = ShownRecord { pieces, question: shown.question.clone(), session: shown.session.clone(), ..*shown };
    truncate(&mut shown.question, MAX_QUESTION);
    for piece in &mut shown.pieces {
        truncate(&mut piece.heading, MAX_QUESTION);
        piece.lines.truncate(MAX_LINES);
        piece.lines.iter_mut().for_each(|line| truncate(&mut line.text, MAX_LINE_TEXT));
    }
    let mut record = Record::Shown(shown);
    loop {
        let bytes = serde_json::to_vec(&record)?;
        let Record::Shown(shown) = &mut record else { return Ok(bytes) };
        if bytes.len() < MAX_RECORD || shown.pieces.pop().is_none() {
            return Ok(bytes);
        }
    }
}

fn truncate(text: &mut String, max_chars: usize) {
    if let Some((end, _)) = text.char_indices().nth(max_chars) {
        text.truncate(end);
        text.push('…');
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::super::{Occasion, ShownLine, ShownPiece, UseKind, UsedRecord};
    use super::*;
    use tars_base::domain::MemoryType;

    fn record(at: &str, session: &str, texts: &[String]) -> Record {
        let line =
            |text: &String| ShownLine { number: 1, key: short_hash(text.as_bytes()), text: text.clone(), used: vec![] };
        let piece = |text| ShownPiece {
            collection: "vault".into(),
            path: "a.md".into(),
            start_line: 1,
            end_line: 1,
            heading: String::new(),
            memory_type: MemoryType::Note,
            score: None,
            lines: vec![line(text)],
        };
        Record::Shown(ShownRecord {
            at: at.parse().unwrap(),
            session: session.into(),
            event: Occasion::Prompt,
            question: "q".into(),
            pieces: texts.iter().map(piece).collect(),
        })
    }

    fn of(at: &str, session: &str) -> Record {
        record(at, session, &["text".to_owned()])
    }

    fn all(ledger: &RecallLedger) -> Vec<Record> {
        ledger.since(Timestamp::UNIX_EPOCH).unwrap()
    }

    fn named(ledger: &RecallLedger, name: &str) -> Option<(String, Vec<Record>)> {
        ledger.session(|shown| shown.session == name).unwrap()
    }

    fn last(ledger: &RecallLedger) -> Option<(String, Vec<Record>)> {
        ledger.session(|shown| !shown.pieces.is_empty()).unwrap()
    }

    #[test]
    fn records_are_read_back_by_time_and_by_session() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger::new(data.path());
        assert!(!ledger.exists() && all(&ledger).is_empty() && last(&ledger).is_none());
        let long = [of("2026-10-30T23:00:00Z", "long"), of("2026-11-01T01:00:00Z", "long")];
        let other = of("2026-11-02T01:00:00Z", "other");
        let nothing = record("2026-11-03T01:00:00Z", "empty", &[]);
        for record in long.iter().chain([&other, &nothing]) {
            ledger.add(record).unwrap();
        }
        assert_eq!(ledger.since("2026-11-01T00:30:00Z".parse().unwrap()).unwrap().len(), 3);
        assert_eq!(named(&ledger, "long").unwrap(), ("long".into(), long.to_vec()));
        assert_eq!(last(&ledger).unwrap(), ("other".into(), vec![other]));
        assert_eq!(named(&ledger, "empty").unwrap().1, [nothing]);
        assert!(named(&ledger, "x").is_none());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(ledger.folder()), mode(&ledger.folder().join("2026-11.jsonl"))), (0o700, 0o600));
    }

    #[test]
    fn a_forgotten_line_is_removed_from_every_month() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger::new(data.path());
        for (at, text) in
            [("2026-10-01T01:00:00Z", "- a"), ("2026-11-01T01:00:00Z", "- b"), ("2026-11-02T01:00:00Z", "- a")]
        {
            ledger.add(&record(at, "s", &[text.to_owned()])).unwrap();
        }
        ledger.forget(&|kept| kept == "- a").unwrap();
        let texts = all(&ledger).into_iter().map(|record| match record {
            Record::Shown(shown) => shown.pieces[0].lines[0].text.clone(),
            Record::Used(_) => unreachable!(),
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["", "- b", ""]);
    }

    #[test]
    fn torn_and_foreign_lines_are_skipped() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger::new(data.path());
        ledger.add(&of("2026-11-01T01:00:00Z", "a")).unwrap();
        let file = ledger.folder().join("2026-11.jsonl");
        let mut text = fs::read(&file).unwrap();
        text.extend_from_slice(
            b"\xff\xfe\n{\"kind\":\"shown\",\"at\":7}\n[]\n{\"kind\":\"eaten\"}\n{\"kind\":\"shown\",\"at\":\"2026",
        );
        fs::write(&file, &text).unwrap();
        fs::write(ledger.folder().join("notes.txt"), "mine").unwrap();
        ledger.add(&of("2026-11-01T02:00:00Z", "b")).unwrap();
        let sessions: Vec<String> = all(&ledger).iter().filter_map(|one| one.session().map(str::to_owned)).collect();
        assert_eq!(sessions, ["a", "b"]);
    }

    #[test]
    fn a_link_named_like_a_month_is_not_followed() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger::new(data.path());
        private::create_folder(ledger.folder()).unwrap();
        let target = data.path().join("target");
        fs::write(&target, "mine\n").unwrap();
        std::os::unix::fs::symlink(&target, ledger.folder().join("2026-11.jsonl")).unwrap();
        assert!(ledger.add(&of("2026-11-01T01:00:00Z", "a")).is_err());
        assert_eq!(fs::read_to_string(target).unwrap(), "mine\n");
    }

    #[test]
    fn records_and_files_are_bounded() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger { max_file: 128 << 10, ..RecallLedger::new(data.path()) };
        let texts: Vec<String> = (0..500).map(|number| format!("{number}\u{1}").repeat(100)).collect();
        ledger.add(&record("2026-11-01T01:00:00Z", "a", &texts)).unwrap();
        let Record::Shown(shown) = all(&ledger).remove(0) else { panic!("it was shown") };
        assert!(shown.pieces.len() > 20 && shown.pieces[0].lines[0].text.chars().count() == MAX_LINE_TEXT + 1);
        let full = (0..100).map(|_| ledger.add(&record("2026-11-01T01:00:00Z", "a", &texts))).find_map(Result::err);
        assert_eq!(full.unwrap().kind(), io::ErrorKind::FileTooLarge);
        assert!(fs::metadata(ledger.folder().join("2026-11.jsonl")).unwrap().len() <= 128 << 10);
        ledger.add(&of("2026-12-01T01:00:00Z", "a")).unwrap();
    }

    #[test]
    fn concurrent_appends_keep_all_records() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger::new(data.path());
        let texts: Vec<String> = (0..30).map(|_| "x".repeat(150)).collect();
        std::thread::scope(|scope| {
            for session in ["a", "b", "c", "d"] {
                let (ledger, texts) = (&ledger, &texts);
                scope.spawn(move || {
                    (0..50).for_each(|_| ledger.add(&record("2026-11-01T01:00:00Z", session, texts)).unwrap());
                });
            }
        });
        assert_eq!(all(&ledger).len(), 200);
    }

    #[test]
    fn any_session_id_gives_a_plain_name() {
        assert_eq!(session_name("0b6a7c1e-0000-4000-8000-000000000001"), "0b6a7c1e-0000-4000-8000-000000000001");
        for id in ["", "../../a b", "\u{1b}[31m", &"x".repeat(65)] {
            assert!(session_name(id).len() == 16 && session_name(&session_name(id)) == session_name(id), "{id:?}");
        }
    }

    #[test]
    fn an_expansion_without_a_session_belongs_to_every_session() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger::new(data.path());
        ledger.add(&of("2026-11-01T01:00:00Z", "a")).unwrap();
        let used = Record::Used(UsedRecord {
            at: "2026-11-01T02:00:00Z".parse().unwrap(),
            session: None,
            how: UseKind::Expanded,
            collection: "vault".into(),
            path: "a.md".into(),
            start_line: 1,
            end_line: 1,
            keys: vec![],
        });
        ledger.add(&used).unwrap();
        assert_eq!(named(&ledger, "a").unwrap().1.len(), 2);
    }
}

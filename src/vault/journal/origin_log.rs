//! The file of origins, beside the journal. It is only ever appended to.

use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use super::{AppendedEntry, Entry, Journal};
use crate::origins::{Author, LineKey, LineOrigin, Origins, Record};
use crate::{MemoryFolder, WriteError};

/// Most bytes that are read, the newest ones: some millions of lines. The origin of an older line then counts as unknown.
const MAX_READ: u64 = 256 << 20;
/// The command of a hook's writes in the journal.
const HOOK: &str = "hook";
/// Commands with which somebody writes a line in their own words.
const OWN_WORDS: [&str; 5] = ["remember", "daily", "feedback", "capture", "chat"];
/// Prefix of the channels of HTTP keys, whose writes are the person's own.
const OF_KEY: &str = "http:";

/// The file of origins of one memory folder.
#[derive(Debug)]
pub(crate) struct OriginLog(Journal);

impl OriginLog {
    /// Returns the file beside this journal.
    pub(crate) fn beside(journal: &Journal) -> Self {
        Self(journal.named_beside("origins"))
    }

    /// Takes over the origins beside a journal that is about to be renamed.
    pub(crate) fn rename(from: &Journal, to: &Journal) -> Result<(), WriteError> {
        let (from, to) = (Self::beside(from).0, Self::beside(to).0);
        if from.path().exists() && !to.path().exists() { from.rename_to(&to) } else { Ok(()) }
    }

    /// Begins the file, if it is missing, with the origins that the journal still knows. It does not know what an agent had read.
    pub(crate) fn begin(&self, journal: &Journal) -> Result<(), WriteError> {
        if std::fs::metadata(self.0.path()).is_ok_and(|metadata| metadata.len() > 0) {
            return Ok(());
        }
        let known: Vec<Record> = journal.entries()?.iter().filter_map(of_entry).collect();
        if !known.is_empty() {
            self.append(&known)?;
        }
        Ok(())
    }

    /// Appends records and syncs them to the disk. The caller holds the lock of the memory folder.
    pub(crate) fn append(&self, records: &[Record]) -> Result<AppendedEntry, WriteError> {
        self.0.append_all(records)
    }

    /// Reads the origins of the lines of `files`, or of all files; a missing file holds none.
    fn read(&self, files: Option<&[&str]>) -> Result<Origins, WriteError> {
        let path = self.0.path();
        let failed = |source| WriteError::Io { path: path.clone(), action: "read", source };
        let mut file = match tars_base::private::open(&path, std::fs::OpenOptions::new().read(true)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Origins::default()),
            opened => opened.map_err(failed)?,
        };
        let length = file.metadata().map_err(failed)?.len();
        let from = length.saturating_sub(MAX_READ);
        file.seek(SeekFrom::Start(from)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(MAX_READ).read_to_end(&mut bytes).map_err(failed)?;
        let mut whole = bytes.as_slice();
        if from > 0 {
            let first = whole.iter().position(|byte| *byte == b'\n').map_or(whole.len(), |end| end + 1);
            whole = &whole[first..];
        }
        Ok(Origins::parse(whole, files))
    }
}

impl Journal {
    /// Returns the origins of the lines of `files`, or of all files of the memory folder.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn origins(&self, files: Option<&[&str]>) -> Result<Origins, WriteError> {
        OriginLog::beside(self).read(files)
    }
}

impl MemoryFolder {
    /// Returns the origins of the lines of the folder, read once; `None` if the folder knows of no data directory.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn origins(&self) -> Result<Option<Arc<Origins>>, WriteError> {
        let Some(data) = &self.data else { return Ok(None) };
        self.origins.get(|| Journal::of(data, self)?.origins(None)).map(Some)
    }

    /// Returns the origins of the lines of these files, read anew; `None` if the folder knows of no data directory.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn origins_of(&self, files: &[&str]) -> Result<Option<Origins>, WriteError> {
        let Some(data) = &self.data else { return Ok(None) };
        Journal::of(data, self)?.origins(Some(files)).map(Some)
    }
}

/// Returns the origin that an entry of the journal tells; `None` if it wrote no line.
fn of_entry(entry: &Entry) -> Option<Record> {
    if entry.undoes.is_some() {
        return None;
    }
    let asked = entry.channel.as_deref().filter(|channel| !channel.starts_with(OF_KEY));
    let by = match entry.command.as_str() {
        "import" => Author::Import,
        HOOK => Author::Unknown,
        _ if asked.is_some() || entry.session.is_some() => Author::Unknown,
        own if OWN_WORDS.contains(&own) || own == "review" => Author::Person,
        _ => Author::Machine,
    };
    let went: Vec<&String> = entry.changes.iter().flat_map(|change| &change.removed).collect();
    let came = entry.changes.iter().flat_map(|change| &change.inserted).filter(|line| !went.contains(line));
    let lines: Vec<LineKey> = came.filter_map(|line| LineKey::of(line)).collect();
    let record = Record {
        id: entry.id,
        time: entry.time,
        command: entry.command.clone(),
        file: entry.file.clone(),
        origin: LineOrigin { by, client: asked.map(str::to_owned), model: None, session: entry.session.clone() },
        lines,
        whole: entry.regenerable_hash(),
        moved_to: entry.moved_to.clone(),
        forgot: Vec::new(),
    };
    (!record.lines.is_empty() || record.whole.is_some() || record.moved_to.is_some()).then_some(record)
}

/// Whether a command writes lines in the words of the person who runs it, instead of carrying lines from elsewhere.
pub(crate) fn is_in_own_words(command: &str) -> bool {
    OWN_WORDS.contains(&command)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{Edit, LineCredit, Origin, Splice, Writer};
    use tars_base::clock::Clock;

    struct Fixture {
        home: tempfile::TempDir,
        folder: MemoryFolder,
    }

    impl Fixture {
        fn new() -> Self {
            let home = tempfile::tempdir().unwrap();
            fs::create_dir(home.path().join("vault")).unwrap();
            let folder = MemoryFolder::new(&home.path().join("vault"), "tars").unwrap();
            Self { home, folder }
        }

        fn data(&self) -> std::path::PathBuf {
            self.home.path().join("data")
        }

        fn writer(&self, command: &str, by: Author) -> Writer<'_> {
            fs::create_dir_all(self.data()).unwrap();
            let origin =
                Origin { by, session: Some("s-1".into()), client: Some("codex".into()), ..Origin::of(command) };
            Writer::open(&self.folder, &self.data(), origin, Clock::default()).unwrap()
        }

        fn put(&self, writer: &mut Writer<'_>, file: &str, text: &str, credits: &[LineCredit]) {
            let insert: Vec<String> = text.lines().map(str::to_owned).collect();
            let edit = |at| Edit {
                splices: vec![Splice { at, remove: 0, insert: insert.clone() }],
                credits: credits.to_vec(),
            };
            assert!(writer.edit_credited(file, |lines| edit(lines.len())).unwrap());
        }

        fn by(&self, file: &str, line: &str) -> Option<Author> {
            let folder = self.folder.clone().with_data(&self.data());
            let one = folder.origins_of(&[file]).unwrap().unwrap().of(file, line).map(|origin| origin.by);
            let all = folder.origins().unwrap().unwrap();
            assert_eq!(all.of(file, line).map(|origin| origin.by), one, "both readings agree");
            one
        }

        fn file(&self) -> std::path::PathBuf {
            let names = fs::read_dir(self.data()).unwrap().map(|entry| entry.unwrap().path());
            names.into_iter().find(|path| path.to_string_lossy().contains("/origins-")).unwrap()
        }
    }

    fn credit(line: &str, by: Author) -> LineCredit {
        LineCredit { line: line.into(), by, model: None }
    }

    #[test]
    fn a_line_keeps_its_origin_through_ticks_moves_and_renames() {
        let fixture = Fixture::new();
        let (line, day) = ("- [ ] 09:20 Open: The relay sticks.", "2026-03-15.md");
        let mut writer = fixture.writer("hook", Author::Machine);
        fixture.put(&mut writer, day, line, &[credit(line, Author::Untrusted)]);
        assert_eq!(fixture.by(day, line), Some(Author::Untrusted));
        assert_eq!(fixture.by(day, "- [x] 09:20 Open: The relay sticks."), Some(Author::Untrusted));
        assert_eq!((fixture.by(day, "- 09:20 Open: Else."), fixture.by("b.md", line)), (None, None));
        drop(writer);
        let mut writer = fixture.writer("tidy", Author::Person);
        fixture.put(&mut writer, "b.md", "- The relay sticks.", &[]);
        assert_eq!(fixture.by("b.md", "- The relay sticks."), Some(Author::Untrusted), "it was only carried");
        assert!(writer.rename(day, "archive/days/2026-03-15.md").unwrap());
        assert_eq!(fixture.by("archive/days/2026-03-15.md", line), Some(Author::Untrusted));
        drop(writer);
        let mut writer = fixture.writer("remember", Author::Person);
        fixture.put(&mut writer, "c.md", "- The relay sticks.", &[]);
        assert_eq!(fixture.by("c.md", "- The relay sticks."), Some(Author::Person), "a person states it");
        drop(writer);
        let mut writer = fixture.writer("remember", Author::Agent);
        fixture.put(&mut writer, "d.md", "- The relay sticks.", &[]);
        assert_eq!(fixture.by("d.md", "- The relay sticks."), Some(Author::Untrusted), "an agent repeats it");
    }

    #[test]
    fn a_later_look_at_the_transcript_corrects_an_author() {
        let fixture = Fixture::new();
        let mut writer = fixture.writer("hook", Author::Machine);
        fixture.put(
            &mut writer,
            "a.md",
            "- one\n- two",
            &[credit("- one", Author::Agent), credit("- two", Author::Unknown)],
        );
        drop(writer);
        let mut writer = fixture.writer("hook", Author::Machine);
        writer.recredit("a.md", &[credit("- one", Author::Untrusted), credit("- two", Author::Agent)]).unwrap();
        drop(writer);
        let mut writer = fixture.writer("hook", Author::Machine);
        writer.recredit("a.md", &[credit("- one", Author::Agent)]).unwrap();
        assert_eq!(fixture.by("a.md", "- one"), Some(Author::Untrusted), "a line of strangers stays one");
        assert_eq!(fixture.by("a.md", "- two"), Some(Author::Agent));
    }

    #[test]
    fn torn_records_and_a_trimmed_journal_lose_no_origin() {
        let fixture = Fixture::new();
        fixture.put(&mut fixture.writer("hook", Author::Agent), "a.md", "- one", &[]);
        let whole = fs::read(fixture.file()).unwrap();
        fs::write(fixture.file(), [&whole[..], b"{\"id\":2,\"time\":\"20", b"\xff"].concat()).unwrap();
        fixture.put(&mut fixture.writer("hook", Author::Agent), "a.md", "- two", &[]);
        assert_eq!(
            (fixture.by("a.md", "- one"), fixture.by("a.md", "- two")),
            (Some(Author::Agent), Some(Author::Agent))
        );
        let journal = Journal::of(&fixture.data(), &fixture.folder).unwrap();
        fs::write(journal.path(), "").unwrap();
        assert_eq!(fixture.by("a.md", "- one"), Some(Author::Agent));
    }

    #[test]
    fn a_first_file_takes_over_what_the_journal_knows() {
        let fixture = Fixture::new();
        fixture.put(&mut fixture.writer("hook", Author::Machine), "a.md", "- by a hook", &[]);
        fixture.put(&mut fixture.writer("import", Author::Import), "b.md", "- imported", &[]);
        fs::remove_file(fixture.file()).unwrap();
        drop(fixture.writer("remember", Author::Person));
        assert_eq!(fixture.by("a.md", "- by a hook"), Some(Author::Unknown));
        assert_eq!(fixture.by("b.md", "- imported"), Some(Author::Import));
    }
}

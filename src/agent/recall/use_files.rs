//! The files beside the months of the ledger: the table of uses, and the time from which on records count.

use std::fs;
use std::io;
use std::path::Path;

use jiff::{Timestamp, ToSpan};

use super::uses::MAX_TABLE;
use super::{MAX_AGE_DAYS, RecallLedger, UseTable, join_uses};
use tars_base::data_files;
use tars_base::private;

const TABLE: &str = "uses.table";
const COUNTS_FROM: &str = "counts-from";
/// Maximum size of the file with the time, in bytes.
const MAX_TIME: u64 = 64;

impl RecallLedger {
    /// Whether a name is that of a file in the ledger's folder.
    pub fn is_own_file(name: &str) -> bool {
        Self::is_file(name) || [TABLE, COUNTS_FROM].contains(&name)
    }

    /// Returns the time from which on records count; `None` if all do.
    ///
    /// # Errors
    /// The file exists but cannot be read, or holds no time.
    pub fn counts_from(&self) -> io::Result<Option<Timestamp>> {
        let path = self.folder().join(COUNTS_FROM);
        let bytes = match private::read(&path, MAX_TIME) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes?,
        };
        let time = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok());
        let refused = || io::Error::new(io::ErrorKind::InvalidData, format!("{} holds no time", path.display()));
        time.map(Some).ok_or_else(refused)
    }

    /// Sets the time from which on records count; `None` counts all of them. No record changes. The table of uses is gone until
    /// [`RecallLedger::update_uses`] derives it again.
    ///
    /// # Errors
    /// The data directory cannot be written.
    pub fn count_from(&self, time: Option<Timestamp>) -> io::Result<()> {
        let path = self.folder().join(COUNTS_FROM);
        match time {
            Some(time) => data_files::replace(&path, format!("{time}\n").as_bytes())?,
            None => remove(&path)?,
        }
        remove(&self.folder().join(TABLE))
    }

    /// Derives the table of uses again from the records that count. Reads them all, so no prompt may wait for it.
    ///
    /// # Errors
    /// The ledger cannot be read, or the table cannot be written.
    pub fn update_uses(&self, now: Timestamp) -> io::Result<()> {
        let oldest = now - (MAX_AGE_DAYS * 24).hours();
        let since = self.counts_from()?.map_or(oldest, |from| from.max(oldest));
        let table = UseTable::of(&join_uses(self.since(since)?), now);
        let path = self.folder().join(TABLE);
        if table.is_empty() && !path.exists() {
            return Ok(());
        }
        data_files::replace(&path, &table.to_bytes())
    }

    /// Returns the table of uses; `None` if none was derived yet, or if another version derived it.
    ///
    /// # Errors
    /// The file exists but cannot be read.
    pub fn uses(&self) -> io::Result<Option<UseTable>> {
        match private::read(&self.folder().join(TABLE), MAX_TABLE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            bytes => Ok(UseTable::from_bytes(&bytes?)),
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LineId, Occasion, Record, ShownLine, ShownPiece, ShownRecord};
    use super::*;
    use tars_base::domain::MemoryType;

    fn shown(at: &str, session: &str) -> Record {
        let line = ShownLine { number: 1, key: "k".into(), text: "text".into(), used: vec![] };
        let piece = ShownPiece {
            collection: "vault".into(),
            path: "a.md".into(),
            start_line: 1,
            end_line: 1,
            heading: String::new(),
            memory_type: MemoryType::Note,
            score: Some(0.5),
            lines: vec![line],
        };
        let (event, question, project) = (Occasion::Prompt, String::new(), None);
        let (at, session, pieces) = (at.parse().unwrap(), session.into(), vec![piece]);
        Record::Shown(ShownRecord { at, session, event, question, project, pieces })
    }

    #[test]
    fn shown_lines_before_a_reset_count_again_after_its_undo() {
        let data = tempfile::tempdir().unwrap();
        let ledger = RecallLedger::new(data.path());
        let now: Timestamp = "2026-11-20T00:00:00Z".parse().unwrap();
        let sessions = || {
            ledger.update_uses(now).unwrap();
            let table = ledger.uses().unwrap()?;
            Some(table.worth(LineId::new("vault", "a.md", "k"), None, 0.2, now)?.sessions)
        };
        assert_eq!(sessions(), None, "no history leaves no table");
        assert!(!ledger.exists());
        for (at, session) in
            [("2026-03-01T00:00:00Z", "old"), ("2026-11-01T00:00:00Z", "a"), ("2026-11-10T00:00:00Z", "b")]
        {
            ledger.add(&shown(at, session)).unwrap();
        }
        assert_eq!(sessions(), Some(2), "old sessions no longer count");
        ledger.count_from(Some("2026-11-05T00:00:00Z".parse().unwrap())).unwrap();
        assert_eq!(ledger.uses().unwrap(), None, "learning may be off, which derives no new table");
        assert_eq!(sessions(), Some(1));
        ledger.count_from(Some(now)).unwrap();
        assert_eq!(sessions(), None);
        ledger.count_from(None).unwrap();
        ledger.count_from(None).unwrap();
        assert_eq!((sessions(), ledger.since(Timestamp::UNIX_EPOCH).unwrap().len()), (Some(2), 3));
        fs::write(ledger.folder().join(COUNTS_FROM), "soon").unwrap();
        assert!(ledger.counts_from().unwrap_err().to_string().contains("counts-from holds no time"));
        fs::write(ledger.folder().join(TABLE), "torn").unwrap();
        assert_eq!(ledger.uses().unwrap(), None);
    }
}

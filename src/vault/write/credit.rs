//! Notes who wrote the lines of a write.

use std::collections::{HashMap, HashSet};

use super::{Lines, Splice, WriteError, Writer};
use crate::journal::{hash, is_in_own_words};
use crate::origins::{Author, LineCredit, LineKey, LineOrigin, Origins, Record};

/// A change of a file's lines, and who wrote those lines that the writer's own origin does not cover.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// The change.
    pub splices: Vec<Splice>,
    /// The authors of inserted lines.
    pub credits: Vec<LineCredit>,
}

impl From<Vec<Splice>> for Edit {
    fn from(splices: Vec<Splice>) -> Self {
        Self { splices, credits: Vec::new() }
    }
}

impl Writer<'_> {
    /// Names the authors of lines that this writer is about to write.
    pub fn credit(&mut self, credits: impl IntoIterator<Item = LineCredit>) {
        self.credits.extend(credits);
    }

    /// Names the client, or the program that an import comes from, and the session of the lines that follow.
    pub fn set_source(&mut self, client: Option<&str>, session: &str) {
        self.source.client = client.map(str::to_owned).or(self.source.client.take());
        self.source.session = Some(session.to_owned());
    }

    /// Credits the lines of a text to the author of this writer, even if other files hold the same lines: somebody stated or accepted them.
    pub fn credit_own(&mut self, text: &str) {
        let (by, model) = (self.source.by, self.source.model.clone());
        self.credits.extend(text.lines().map(|line| LineCredit { line: line.to_owned(), by, model: model.clone() }));
    }

    /// Corrects the authors of lines that this writer's session wrote earlier into a file: a transcript may lag behind the hook that reports
    /// a turn. A line of strangers stays one.
    ///
    /// # Errors
    /// The file of origins cannot be read or written.
    pub fn recredit(&mut self, file: &str, credits: &[LineCredit]) -> Result<(), WriteError> {
        let mut corrected: Vec<Record> = Vec::new();
        for credit in credits {
            let Some(key) = LineKey::of(&credit.line) else { continue };
            let Some(known) = self.known_origins()?.of(file, &credit.line).cloned() else { continue };
            let is_open = matches!(known.by, Author::Agent | Author::Unknown) && known.by != credit.by;
            if is_open && known.session == self.source.session {
                let (id, time) = (self.next.saturating_sub(1), self.clock.timestamp());
                let origin = LineOrigin { by: credit.by, ..known };
                corrected.push(Record { id, time, origin, lines: vec![key], ..self.record(file) });
            }
        }
        if !corrected.is_empty() {
            self.origins.append(&corrected)?;
        }
        Ok(())
    }

    /// Records that a person has taken back these sessions with the writes of this writer, until an undo of these writes.
    ///
    /// # Errors
    /// The file of origins cannot be written.
    pub fn forget_sessions(&mut self, sessions: Vec<String>) -> Result<(), WriteError> {
        if sessions.is_empty() {
            return Ok(());
        }
        let id = self.group.unwrap_or_default();
        let (time, command) = (self.clock.timestamp(), self.origin.command.clone());
        self.origins.append(&[Record { id, time, command, forgot: sessions, ..Record::default() }])?;
        Ok(())
    }

    /// Returns the records of an edit's new lines. A line that was there already keeps its origin.
    pub(super) fn origins_of_edit(
        &mut self,
        file: &str,
        lines: &Lines<'_>,
        Edit { splices, credits }: &Edit,
    ) -> Result<Vec<Record>, WriteError> {
        let removed = splices.iter().flat_map(|splice| splice.at..splice.at + splice.remove);
        let went: HashSet<u64> =
            removed.filter_map(|line| LineKey::of(&lines.line(line))).map(|key| key.whole).collect();
        let came = splices.iter().flat_map(|splice| &splice.insert);
        let came: Vec<(&String, LineKey)> = came.filter_map(|line| Some((line, LineKey::of(line)?))).collect();
        let credits = self.credits.iter().chain(credits);
        let credits: HashMap<u64, LineCredit> =
            credits.filter_map(|credit| Some((LineKey::of(&credit.line)?.words, credit.clone()))).collect();
        let mut found: Vec<(LineOrigin, Vec<LineKey>)> = Vec::new();
        for (line, key) in came.into_iter().filter(|(_, key)| !went.contains(&key.whole)) {
            let origin = self.origin_of_line(line, credits.get(&key.words))?;
            match found.iter_mut().find(|(known, _)| *known == origin) {
                Some((_, keys)) => keys.push(key),
                None => found.push((origin, vec![key])),
            }
        }
        let record = |(origin, lines)| Record { lines, origin, ..self.record(file) };
        Ok(found.into_iter().map(record).collect())
    }

    /// Returns the origin of a new line.
    fn origin_of_line(&mut self, line: &str, credit: Option<&LineCredit>) -> Result<LineOrigin, WriteError> {
        let mut origin = self.source.clone();
        let Some(credit) = credit else {
            let carries = !is_in_own_words(&self.origin.command);
            if !carries && origin.by == Author::Person {
                return Ok(origin);
            }
            return Ok(match self.known_origins()?.of_words(line) {
                // A command of tars that carries a line elsewhere does not make it its own.
                Some(known) if carries => known.clone(),
                Some(known) if known.by == Author::Untrusted => LineOrigin { by: known.by, ..origin },
                _ => origin,
            });
        };
        origin.model = credit.model.clone().or(origin.model);
        // Imported words stay imported, even those that the person said then.
        if origin.by != Author::Import || credit.by == Author::Untrusted {
            origin.by = credit.by;
        }
        // An agent that repeats a line of strangers makes it no better. A person's statement is theirs.
        let is_repeated = |known: &LineOrigin| known.by == Author::Untrusted;
        if origin.by != Author::Person && self.known_origins()?.of_words(line).is_some_and(is_repeated) {
            origin.by = Author::Untrusted;
        }
        Ok(origin)
    }

    /// Returns the record of a whole file.
    pub(super) fn origin_of_file(&self, file: &str, text: &str) -> Record {
        Record { whole: Some(hash(text.as_bytes())), origin: self.source.clone(), ..self.record(file) }
    }

    /// Returns the record of a move.
    pub(super) fn origin_of_move(&self, from: &str, to: &str) -> Record {
        Record { moved_to: Some(to.to_owned()), ..self.record(from) }
    }

    fn record(&self, file: &str) -> Record {
        Record { file: file.to_owned(), command: self.origin.command.clone(), ..Record::default() }
    }

    /// Returns the origins of all lines before this writer's writes.
    fn known_origins(&mut self) -> Result<&Origins, WriteError> {
        if self.known.is_none() {
            self.known = Some(self.journal.origins(None)?);
        }
        Ok(self.known.get_or_insert_default())
    }
}

//! Removes a whole file of the memory folder.

use super::{Entry, Lines, Splice, WriteError, Writer};

impl Writer<'_> {
    /// Removes a file that still holds `content`. The journal keeps its text, so that an undo restores it. Returns `false` if the file is
    /// gone or has changed.
    ///
    /// # Errors
    /// See [`WriteError`]; the file then stays.
    pub fn remove_file(&mut self, file: &str, content: &[u8]) -> Result<bool, WriteError> {
        let Some(place) = self.lock.existing(file)? else { return Ok(false) };
        self.sweep(&place.folder, file)?;
        if self.read_at_rest(&place, file)?.as_deref() != Some(content) {
            return Ok(false);
        }
        let lines = Lines::of(content);
        let all = [Splice { at: 0, remove: lines.len(), insert: Vec::new() }];
        let entry = Entry::new(&self.origin, file, Some(content), None).with_changes(&lines, &all);
        self.write(&place, entry, Some(content), None)
    }
}

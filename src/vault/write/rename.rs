//! Moves a whole file of the memory folder.

use super::{Entry, WriteError, Writer};

impl Writer<'_> {
    /// Moves the file `from` to `to` within the folder, keeping its bytes, mode and times. Returns `false` if `from` does not exist
    /// or `to` already does.
    ///
    /// # Errors
    /// See [`WriteError`]; the file then stays at its old name.
    pub fn rename(&mut self, from: &str, to: &str) -> Result<bool, WriteError> {
        self.rename_as(from, to, None)
    }

    /// Like [`Writer::rename`]; `undoes` names the write that this move undoes, if any.
    pub(crate) fn rename_as(&mut self, from: &str, to: &str, undoes: Option<u64>) -> Result<bool, WriteError> {
        let Some(old) = self.lock.existing(from)? else { return Ok(false) };
        let made = self.folder.outermost_missing_folder(to)?;
        let new = self.place(to)?;
        let Some(content) = self.read_at_rest(&old, from)? else { return Ok(false) };
        if new.read()?.is_some() {
            return Ok(false);
        }
        self.pending = vec![self.origin_of_move(from, to)];
        let appended = self.append_entry(Entry { undoes, made, ..Entry::of_move(&self.origin, from, to, &content) })?;
        match old.folder.move_new(&old.name, &new.folder, &new.name) {
            Ok(()) => {
                self.record_group();
                new.folder.sync();
                old.folder.sync();
                Ok(true)
            }
            // An error does not prove that the move failed: if the file has moved, its entry stays.
            Err(_) if old.read_with_retries()?.is_none() && new.read_with_retries()?.is_some() => {
                self.record_group();
                Ok(true)
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => appended.remove().map(|()| false),
            Err(error) => {
                appended.remove()?;
                Err(old.failed("move")(error))
            }
        }
    }
}

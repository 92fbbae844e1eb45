//! Lets a person edit a copy of the user's file. The file itself is replaced only by a text that loads.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::sources::validate_user_text;
use super::user_file::{HEADER, UserFile};
use super::{ConfigError, file};
use tars_base::private;

/// Prefix of a copy's name. The copy keeps the ending, so that editors know the language.
const PREFIX: &str = "edited-";

/// A copy of the user's file for the editor. It stays until [`EditedText::finish`] or [`EditedText::discard`]; a later edit continues it.
#[derive(Debug)]
pub struct EditedText<'f, 'e> {
    file: &'f UserFile<'e>,
    path: PathBuf,
    /// The text of the file when this edit began.
    before: String,
    /// Whether a former edit has left its text.
    is_continued: bool,
}

impl UserFile<'_> {
    /// Writes a copy of the file beside it, readable by the user alone; if a former edit has left its text, that text stays the copy.
    ///
    /// # Errors
    /// The file cannot be read, or the copy cannot be written.
    pub fn begin_edit<'f>(&'f self) -> Result<EditedText<'f, 'f>, ConfigError> {
        let before = file::read(&self.path)?.unwrap_or_else(|| HEADER.to_owned());
        let mut name = OsString::from(PREFIX);
        name.push(self.path.file_name().unwrap_or_default());
        let path = self.path.with_file_name(name);
        let failed = |source| ConfigError::Write { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            private::create_folder(folder).map_err(failed)?;
        }
        let mut options = fs::OpenOptions::new();
        let is_continued = match private::open(&path, options.write(true).create_new(true)) {
            Ok(mut copy) => copy.write_all(before.as_bytes()).map(|()| false).map_err(failed)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => true,
            Err(error) => return Err(failed(error)),
        };
        Ok(EditedText { file: self, path, before, is_continued })
    }
}

impl EditedText<'_, '_> {
    /// Returns the path of the copy.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the copy holds the text that a former edit has left.
    pub fn is_continued(&self) -> bool {
        self.is_continued
    }

    /// Checks the copy, replaces the file by it, removes it, and returns whether the text has changed. On an error the file and the copy
    /// stay.
    ///
    /// # Errors
    /// The copy is missing or would not load, another program has changed the file meanwhile, or the file cannot be written.
    pub fn finish(&self) -> Result<bool, ConfigError> {
        let missing = || ConfigError::Read { path: self.path.clone(), source: io::ErrorKind::NotFound.into() };
        let after = file::read(&self.path)?.ok_or_else(missing)?;
        validate_user_text(&after, &self.path, self.file.environment)?;
        let is_changed = after != self.before;
        if is_changed {
            let mut is_other = false;
            self.file.change(|now| {
                is_other = now != self.before;
                Ok((!is_other).then(|| after.clone()))
            })?;
            if is_other {
                return Err(ConfigError::Changed { path: self.file.path.clone() });
            }
        }
        self.discard()?;
        Ok(is_changed)
    }

    /// Removes the copy if its text is that of the file, which an editor that could not start has left so.
    ///
    /// # Errors
    /// An error of the system.
    pub fn discard_unchanged(&self) -> Result<(), ConfigError> {
        let is_same = file::read(&self.path).is_ok_and(|text| text.as_ref() == Some(&self.before));
        if is_same { self.discard() } else { Ok(()) }
    }

    /// Removes the copy.
    ///
    /// # Errors
    /// An error of the system.
    pub fn discard(&self) -> Result<(), ConfigError> {
        match fs::remove_file(&self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(ConfigError::Write { path: self.path.clone(), source })
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::TestHome;
    use super::*;

    #[test]
    fn a_text_that_does_not_load_stays_a_copy_until_it_does() {
        let home = TestHome::new().user("# Mine.\n[search]\nlimit = 5\n");
        let file = UserFile::locate(&home.environment).unwrap();
        let edit = file.begin_edit().unwrap();
        assert!(!edit.is_continued());
        fs::write(edit.path(), "[search]\nlimit = \"many\"\n").unwrap();
        let error = edit.finish().unwrap_err().to_string();
        assert!(error.contains("edited-config.toml:2: search.limit: expected a whole number"), "{error}");
        assert_eq!(home.settings().config.search.limit, 5);

        let again = file.begin_edit().unwrap();
        assert!(again.is_continued() && fs::read_to_string(again.path()).unwrap().contains("many"));
        fs::write(again.path(), "[search]\nlimit = 7\n").unwrap();
        fs::write(file.path(), "[search]\nlimit = 6\n").unwrap();
        assert!(matches!(again.finish(), Err(ConfigError::Changed { .. })), "another program was faster");
        let again = file.begin_edit().unwrap();
        assert!(again.finish().unwrap() && !again.path().exists());
        assert_eq!(home.settings().config.search.limit, 7);
        assert!(!file.begin_edit().unwrap().finish().unwrap());
    }
}

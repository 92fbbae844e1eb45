//! Tests of all layers together, on real files in a separate home.

mod documentation;
mod fuzz;
mod layers;
mod project;
mod schedules;
mod tuning;
mod user_file;

use std::fs;
use std::path::{Path, PathBuf};

use super::{ConfigError, Environment, Settings, load};

/// A home with a project below it, and an environment that knows nothing else.
pub(super) struct TestHome {
    folder: tempfile::TempDir,
    pub(super) environment: Environment,
}

impl TestHome {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        // If the temporary folder is a link, the current directory must be its target.
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("home/project/.git")).unwrap();
        let environment = Environment {
            home: Some(root.join("home")),
            directory: Some(root.join("home/project")),
            ..Environment::default()
        };
        Self { folder, environment }
    }

    fn path(&self, below: &str) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join(below)
    }

    fn with(mut self, variable: &str, value: impl AsRef<Path>) -> Self {
        self.environment = self.environment.with(variable, value.as_ref().as_os_str());
        self
    }

    fn write(self, below: &str, text: &str) -> Self {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(super) fn user(self, text: &str) -> Self {
        self.write("home/.config/tars/config.toml", text)
    }

    fn project(self, text: &str) -> Self {
        self.write("home/project/.tars.toml", text)
    }

    fn load(&self, flags: &[(&str, &str)]) -> Result<Settings, ConfigError> {
        let flags: Vec<_> = flags.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        load(&self.environment, &flags)
    }

    pub(super) fn settings(&self) -> Settings {
        self.load(&[]).unwrap()
    }

    fn error(&self) -> String {
        self.load(&[]).unwrap_err().to_string()
    }
}

//! The parts of the process that the configuration may see: variables, home, current directory, memory and clock.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use super::{ConfigError, profile};
use tars_base::clock::Clock;

/// Variable that overrides the path of the user's file.
pub(super) const USER_FILE_VARIABLE: &str = "TARS_CONFIG";

/// Variables, home, current directory, memory and clock. A test can set them.
#[derive(Clone, Default)]
pub struct Environment {
    /// Variables by name. Names that are not UTF-8 are left out, because tars reads none of them.
    pub variables: BTreeMap<String, OsString>,
    /// The user's home, if known. `~` expands to it.
    pub home: Option<PathBuf>,
    /// The current directory, if it still exists.
    pub directory: Option<PathBuf>,
    /// Path of the running program, with links resolved, if known.
    pub program: Option<PathBuf>,
    /// Memory available to the process, in bytes, if known.
    pub memory: Option<u64>,
    /// The clock.
    pub clock: Clock,
}

impl Environment {
    /// Returns the environment of the running process.
    pub fn of_process() -> Self {
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let directory = std::env::current_dir().ok();
        // A package may link to the program from a folder in `PATH`.
        let program = std::env::current_exe().ok().map(|program| program.canonicalize().unwrap_or(program));
        Self { variables, home, directory, program, memory: profile::memory(), clock: Clock::from_environment() }
    }

    /// Returns the environment with one more variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the value of a variable; `None` if it is missing or empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(name).map(OsString::as_os_str).filter(|value| !value.is_empty())
    }

    /// Whether `TARS_DISABLE` disables tars in this session.
    pub fn is_disabled(&self) -> bool {
        self.variable("TARS_DISABLE").is_some_and(|value| value != "0")
    }

    /// Returns the folders of models shipped with tars, relative to the program: `../lib/tars/models`, as in packages, and `models` in
    /// the program's folder. `../share` is left out: for a program in `~/.local/bin`, it holds the person's own models.
    pub fn shipped_models(&self) -> Vec<PathBuf> {
        let Some(folder) = self.program.as_deref().and_then(Path::parent) else { return Vec::new() };
        let beside = folder.parent().map(|above| above.join("lib/tars/models"));
        beside.into_iter().chain([folder.join("models")]).collect()
    }

    /// Returns `$XDG_CONFIG_HOME`, else `~/.config`; `None` if neither is known.
    fn config_home(&self) -> Option<PathBuf> {
        self.base_directory("XDG_CONFIG_HOME", ".config")
    }

    /// Returns `$XDG_DATA_HOME`, else `~/.local/share`; `None` if neither is known.
    pub fn data_home(&self) -> Option<PathBuf> {
        self.base_directory("XDG_DATA_HOME", ".local/share")
    }

    /// Returns the path in `TARS_CONFIG`, else `tars/config.toml` in the configuration folder. Fails if neither is known.
    pub(super) fn user_file(&self) -> Result<PathBuf, ConfigError> {
        match self.variable(USER_FILE_VARIABLE) {
            Some(named) => self.resolve(Path::new(named), self.directory.as_deref()),
            None => {
                let home = self.config_home();
                Ok(home.ok_or_else(|| ConfigError::NoHome { needed_for: "~/.config".into() })?.join("tars/config.toml"))
            }
        }
    }

    /// Relative values are ignored, as the XDG base directory specification requires.
    fn base_directory(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let named = self.variable(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        named.or_else(|| Some(self.home.as_ref()?.join(below_home)))
    }

    /// Returns `path` as an absolute path. `~` expands to the home; a relative path starts at `base`.
    ///
    /// # Errors
    /// The home or the directory is needed and not known.
    pub fn resolve(&self, path: &Path, base: Option<&Path>) -> Result<PathBuf, ConfigError> {
        let absolute = if let Ok(below_home) = path.strip_prefix("~") {
            let home = self.home.as_ref().ok_or_else(|| ConfigError::NoHome { needed_for: path.to_path_buf() })?;
            home.join(below_home)
        } else if path.is_absolute() {
            path.to_path_buf()
        } else {
            let base = base.ok_or_else(|| ConfigError::NoDirectory { needed_for: path.to_path_buf() })?;
            base.join(path)
        };
        // Collecting the components drops `.`. `..` stays, because only the file system can resolve it.
        Ok(absolute.components().collect())
    }
}

/// Shows the names of the variables but not their values, which may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("variables", &self.variables.keys())
            .field("home", &self.home)
            .field("directory", &self.directory)
            .field("program", &self.program)
            .field("memory", &self.memory)
            .field("clock", &self.clock)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment { home: Some("/home/ada".into()), directory: Some("/work".into()), ..Default::default() }
    }

    #[test]
    fn paths_resolve_against_home_or_base() {
        let environment = environment();
        let resolve = |path: &str| environment.resolve(Path::new(path), Some(Path::new("/base"))).unwrap();
        assert_eq!(resolve("~"), Path::new("/home/ada"));
        assert_eq!(resolve("~/notes/"), Path::new("/home/ada/notes"));
        assert_eq!(resolve("./notes/./a"), Path::new("/base/notes/a"));
        assert_eq!(resolve("/notes"), Path::new("/notes"));
        assert_eq!(resolve("~ada"), Path::new("/base/~ada"));
    }

    #[test]
    fn a_path_that_cannot_be_resolved_is_an_error() {
        let bare = Environment::default();
        assert!(matches!(bare.resolve(Path::new("~/a"), None), Err(ConfigError::NoHome { .. })));
        assert!(matches!(bare.resolve(Path::new("a"), None), Err(ConfigError::NoDirectory { .. })));
    }

    #[test]
    fn shipped_models_are_searched_only_near_the_program() {
        let program = |path: &str| Environment { program: Some(path.into()), ..environment() };
        let places = [Path::new("/usr/lib/tars/models"), Path::new("/usr/bin/models")];
        assert_eq!(program("/usr/bin/tars").shipped_models(), places);
        assert_eq!(program("/tars").shipped_models(), [Path::new("/models")]);
        assert!(environment().shipped_models().is_empty());
    }

    #[test]
    fn relative_and_empty_base_directories_are_ignored() {
        let environment = environment().with("XDG_DATA_HOME", "data").with("XDG_CONFIG_HOME", "");
        assert_eq!(environment.data_home().unwrap(), Path::new("/home/ada/.local/share"));
        assert_eq!(environment.config_home().unwrap(), Path::new("/home/ada/.config"));
        assert_eq!(environment.with("XDG_DATA_HOME", "/d").data_home().unwrap(), Path::new("/d"));
    }

    #[test]
    fn debug_output_holds_no_values() {
        let shown = format!("{:?}", environment().with("OPENAI_API_KEY", "sk-secret"));
        assert!(shown.contains("OPENAI_API_KEY") && !shown.contains("sk-secret"));
    }
}

//! The project that a section of a log belongs to.

use tars_agent::project::short_name;

/// The project of a note, as far as the note names it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogProject {
    /// The project's name.
    pub name: Option<String>,
    /// The project's key; `None` for notes of older versions.
    pub key: Option<String>,
}

impl LogProject {
    /// Whether it is the project with this name and key. The names decide only if a key is missing.
    pub fn is(&self, name: &str, key: Option<&str>) -> bool {
        match (&self.key, key) {
            (Some(own), Some(key)) => own == key,
            _ => self.name.as_deref().is_some_and(|own| own == name || own == short_name(name)),
        }
    }

    /// Whether both are one project. Sections that name no project belong together.
    pub fn is_same(&self, other: &Self) -> bool {
        self == other || other.name.as_deref().is_some_and(|name| self.is(name, other.key.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(name: &str, key: Option<&str>) -> LogProject {
        LogProject { name: Some(name.to_owned()), key: key.map(str::to_owned) }
    }

    #[test]
    fn names_decide_only_without_keys() {
        let noted = project("api", None);
        assert!(noted.is("api", Some("11111111")) && noted.is("acme/api", Some("11111111")));
        assert!(!noted.is("acme/web", None));
        let noted = project("acme/api", Some("11111111"));
        assert!(noted.is("acme/api", None) && noted.is("renamed", Some("11111111")));
        assert!(!noted.is("acme/api", Some("22222222")) && !noted.is("api", None));
        assert!(!LogProject::default().is("api", Some("11111111")));
    }
}

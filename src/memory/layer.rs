//! Validates names of topic and timeline files (`context/…`, `timelines/…`).

/// Maximum length of a folder or file name, in characters.
const MAX_NAME_LENGTH: usize = 40;
/// Maximum depth below `context` or `timelines`: `context/work/projects`.
const MAX_DEPTH: usize = 2;
/// The one folder that may be a level deeper: a file per project.
const PROJECTS: &str = "work/projects/";

/// Name of a topic or timeline within the memory folder. It cannot lead out of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerFile(String);

impl LayerFile {
    /// Parses a name from a person or a model: `context/work`, `timelines/current-goals.md`. Path components consist of lower-case
    /// letters, digits and dashes. Returns `None` for other names.
    pub fn parse(named: &str) -> Option<Self> {
        let named = named.trim();
        let named = named.strip_suffix(".md").unwrap_or(named);
        let (folder, rest) = named.split_once('/')?;
        let is_name = |name: &str| {
            let is_plain = |c: char| c.is_lowercase() || c.is_ascii_digit() || c == '-';
            !name.is_empty()
                && !name.starts_with('-')
                && name.chars().count() <= MAX_NAME_LENGTH
                && name.chars().all(is_plain)
        };
        let is_of_project = |name: &str| folder == "context" && !name.contains('/');
        let is_layer = ["context", "timelines"].contains(&folder)
            && (rest.split('/').count() <= MAX_DEPTH || rest.strip_prefix(PROJECTS).is_some_and(is_of_project))
            && rest.split('/').all(is_name);
        is_layer.then(|| Self(format!("{named}.md")))
    }

    /// Returns the name within the memory folder.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_within_a_layer_parse() {
        for (named, file) in [
            ("context/work", "context/work.md"),
            ("context/work/projects.md", "context/work/projects.md"),
            (" timelines/current-goals ", "timelines/current-goals.md"),
            ("context/work/projects/pump", "context/work/projects/pump.md"),
            ("context/küche", "context/küche.md"),
        ] {
            assert_eq!(LayerFile::parse(named).unwrap().as_str(), file);
        }
        for named in [
            "",
            "work",
            "context",
            "context/",
            "context/../Memory",
            "../context/a",
            "/context/a",
            "context//a",
            "context/A",
            "context/a/b/c",
            "context/work/projects/a/b",
            "context/work/projects/",
            "timelines/work/projects/a",
            "context/a.md.md",
            "context/a\\b",
            "context/-a",
            "archive/a",
            "projects/a",
            "context/a\nb",
        ] {
            assert_eq!(LayerFile::parse(named), None, "{named:?}");
        }
    }
}

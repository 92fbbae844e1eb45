//! The notes of a vault by name.

use std::collections::HashMap;

use super::reading::{Reading, name_key};

/// Finds notes by the readings of a name.
#[derive(Debug)]
pub struct NoteNames<'a> {
    paths: Vec<&'a str>,
    by_name: HashMap<String, Vec<usize>>,
}

impl<'a> NoteNames<'a> {
    /// Takes the paths of all notes, relative to their roots. A note is known by its position among them.
    pub fn of(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let paths: Vec<&str> = paths.into_iter().collect();
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, path) in paths.iter().enumerate() {
            by_name.entry(name_key(path)).or_default().push(index);
        }
        Self { paths, by_name }
    }

    /// Returns the notes that the first fitting reading means, among those that `admits` admits: several if the name is ambiguous, none if
    /// no reading fits. A path in full beats one without its extension, and equal case beats other case.
    pub fn find(&self, readings: &[Reading], admits: impl Fn(usize) -> bool) -> Vec<usize> {
        for reading in readings {
            let known = reading.keys().filter_map(|key| self.by_name.get(key)).flatten().copied();
            let fits = known.filter(|index| admits(*index));
            let mut fitting: Vec<_> = fits.filter_map(|index| Some((reading.fit(self.paths[index])?, index))).collect();
            if let Some(best) = fitting.iter().map(|(fit, _)| *fit).min() {
                fitting.retain(|(fit, _)| *fit == best);
                let mut found: Vec<usize> = fitting.into_iter().map(|(_, index)| index).collect();
                found.sort_unstable();
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the only note that a link in the note at `source` means; `None` if there is none, or if there are several.
    pub fn linked(&self, source: &str, target: &str) -> Option<usize> {
        match self.find(&super::link_readings(source, target), |_| true)[..] {
            [only] => Some(only),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::typed_readings;
    use super::*;

    const PATHS: [&str; 8] =
        ["Plan.md", "a/Plan.md", "a/x.md", "b/x.md", "a/U\u{308}ber uns.md", "v1.2.md", "b/only.markdown", "readme.md"];

    fn linked(source: &str, target: &str) -> Option<&'static str> {
        let paths = NoteNames::of(PATHS);
        paths.linked(source, target).map(|index| PATHS[index])
    }

    #[test]
    fn a_link_leads_to_the_note_that_its_writer_saw() {
        assert_eq!(linked("a/n.md", "Plan.md"), Some("a/Plan.md"), "markdown is relative");
        assert_eq!(linked("a/n.md", "Plan"), Some("Plan.md"), "Obsidian starts at the root");
        assert_eq!(linked("a/n.md", "x"), Some("a/x.md"), "the note's own folder decides");
        assert_eq!(linked("n.md", "x"), None, "ambiguous");
        assert_eq!(linked("a/n.md", "../b/x"), Some("b/x.md"));
        assert_eq!(linked("a/n.md", "/b/X.md"), Some("b/x.md"), "other case");
        assert_eq!(linked("a/n.md", "../x.md"), None, "an explicit place that holds nothing");
        assert_eq!(linked("b/n.md", "only"), Some("b/only.markdown"));
        assert_eq!(linked("b/n.md", "only.markdown"), Some("b/only.markdown"));
        assert_eq!(linked("n.md", "v1.2"), Some("v1.2.md"));
        assert_eq!(linked("n.md", "v1"), None);
    }

    #[test]
    fn a_name_without_extension_means_the_note_before_a_canvas() {
        let paths = ["a/Plan.canvas", "a/Plan.md", "b/Plan.PDF", "b/Board.canvas"];
        let names = NoteNames::of(paths);
        let linked = |target: &str| names.linked("n.md", target).map(|index| paths[index]);
        assert_eq!(linked("Plan"), Some("a/Plan.md"));
        assert_eq!(linked("Plan.canvas"), Some("a/Plan.canvas"));
        assert_eq!((linked("plan.pdf"), linked("Board")), (Some("b/Plan.PDF"), Some("b/Board.canvas")));
    }

    #[test]
    fn a_composed_link_leads_to_a_decomposed_file() {
        assert_eq!(linked("n.md", "Über uns"), Some(PATHS[4]));
        assert_eq!(linked("b/n.md", "../a/%C3%9Cber%20uns.md"), Some(PATHS[4]));
        assert_eq!(linked("b/n.md", "über uns"), Some(PATHS[4]));
    }

    #[test]
    fn a_typed_name_is_a_path_then_its_end() {
        let names = NoteNames::of(PATHS);
        let found = |name: &str| names.find(&typed_readings(name), |_| true).len();
        assert_eq!((found("Plan"), found("x"), found("a/x.md"), found("README"), found("none")), (1, 2, 1, 1, 0));
    }
}

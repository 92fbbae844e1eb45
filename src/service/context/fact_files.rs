//! Fact files: the heading over each of their lines, and the project that a line is about.
//!
//! One memory holds facts of several scopes: pages of projects, files of topics, sections with a project's name as their heading. A line is
//! told by the name of its file and by its own heading, never by the heading of another line of the same hit.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::ContextRequest;
use crate::{App, VAULT};
use tars_agent::project::short_name;
use tars_base::domain::{Document, Hit, MemoryType};
use tars_text::markdown;
use tars_text::redact::redact;

/// Factor for the worth of a line about another project than those at hand: it appears only if it answers clearly better.
const OTHER_PROJECT_FACTOR: f64 = 0.5;

/// The folders with a file for each project.
const PROJECT_FOLDERS: [&str; 2] = ["projects/", "context/work/projects/"];

/// The relation of a line to the projects at hand; earlier variants come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FactScope {
    /// It is about a project at hand.
    AtHand,
    /// It is about no project, or no project is at hand.
    General,
    /// It is about another project.
    Other,
}

impl FactScope {
    /// Returns the factor for the worth of such a line.
    pub(super) fn factor(self) -> f64 {
        if self == Self::Other { OTHER_PROJECT_FACTOR } else { 1.0 }
    }
}

/// The fact files that hits come from. Each is read once.
pub(super) struct FactFiles<'a> {
    app: &'a App,
    /// The agent's project and the one that holds it, as [`plain`] names.
    own: Vec<String>,
    /// The question, in the same form.
    question: String,
    projects: OnceCell<Projects>,
    read: RefCell<HashMap<String, Option<Document>>>,
}

/// Names of projects, in plain form.
#[derive(Default)]
struct Projects {
    /// Those with a file in the memory.
    known: Vec<String>,
    /// The agent's own, and those that the question names.
    at_hand: Vec<String>,
}

impl<'a> FactFiles<'a> {
    /// Returns the files for a request and its question. Nothing is read yet.
    pub(super) fn new(app: &'a App, request: &ContextRequest, question: &str) -> Self {
        let names = [request.own(), request.parent()].into_iter().flatten();
        let own = names.flat_map(|(name, _)| [plain(name), plain(short_name(name))]).collect();
        Self { app, own, question: plain(question), projects: OnceCell::new(), read: RefCell::default() }
    }

    /// Whether a hit is in a fact file.
    pub(super) fn is_fact(hit: &Hit) -> bool {
        hit.collection == VAULT && matches!(hit.memory_type, MemoryType::Semantic | MemoryType::Procedural)
    }

    /// Returns the heading path over a line of a hit, and its scope; `None` if the hit is in no fact file.
    pub(super) fn place(&self, hit: &Hit, line: usize) -> Option<(String, FactScope)> {
        let folder = &self.app.settings.config.vault.memory_folder;
        let file = hit.path.strip_prefix(folder.as_str())?.strip_prefix('/').filter(|_| Self::is_fact(hit))?;
        let mut read = self.read.borrow_mut();
        let document = read.entry(file.to_owned()).or_insert_with(|| self.document(file));
        let shown = hit.content.split('\n').nth(line.checked_sub(hit.start_line)?)?;
        // A file that changed a moment ago has other lines than the index.
        let document = document
            .as_ref()
            .filter(|document| document.line(line).is_some_and(|text| text.ends_with(shown.trim_end())));
        let heading = document.map_or_else(
            || hit.heading.clone(),
            |document| {
                let path = document.heading_path(line).into_iter().filter(|text| !text.is_empty());
                path.collect::<Vec<_>>().join(" > ")
            },
        );
        let scope = self.scope(file, &heading);
        Some((heading, scope))
    }

    fn document(&self, file: &str) -> Option<Document> {
        let bytes = self.app.memory_folder().ok()?.read(file).ok()??;
        Some(markdown::parse(file, &redact(&tars_vault::text_of(&bytes)).text))
    }

    /// Returns the scope of a line under this heading.
    fn scope(&self, file: &str, heading: &str) -> FactScope {
        let projects = self.projects.get_or_init(|| self.projects());
        if projects.at_hand.is_empty() {
            return FactScope::General;
        }
        let is_at_hand = |name: &String| projects.at_hand.contains(name);
        let of_file = project_of_file(file).or_else(|| topic_of_file(file).filter(is_at_hand));
        let title = plain(file.strip_suffix(".md").unwrap_or(file));
        // The first heading of Memory.md is its title.
        let headings = heading.split(" > ").map(plain).filter(|name| !name.is_empty() && *name != title);
        let named: Vec<String> = headings.filter(|name| projects.is_project(name)).chain(of_file).collect();
        match named.iter().any(is_at_hand) {
            true => FactScope::AtHand,
            false if named.is_empty() => FactScope::General,
            false => FactScope::Other,
        }
    }

    fn projects(&self) -> Projects {
        let files = self.app.memory_folder().ok().and_then(|folder| folder.files().ok()).unwrap_or_default();
        let known: Vec<String> = files.iter().filter_map(|file| project_of_file(file)).collect();
        let is_named = |name: &&String| format!(" {} ", self.question).contains(&format!(" {name} "));
        let named: Vec<String> = known.iter().filter(is_named).cloned().collect();
        Projects { known, at_hand: self.own.iter().cloned().chain(named).collect() }
    }
}

impl Projects {
    fn is_project(&self, name: &str) -> bool {
        self.known.iter().chain(&self.at_hand).any(|known| known == name)
    }
}

/// Returns the project that a file of the memory folder is about, in plain form.
fn project_of_file(file: &str) -> Option<String> {
    let name = PROJECT_FOLDERS.iter().find_map(|folder| file.strip_prefix(folder))?;
    Some(plain(name.strip_suffix(".md")?)).filter(|name| !name.is_empty())
}

/// Returns the name of a topic's file in the memory folder, in plain form.
fn topic_of_file(file: &str) -> Option<String> {
    let name = file.strip_prefix("context/")?.rsplit('/').next()?;
    Some(plain(name.strip_suffix(".md")?)).filter(|name| !name.is_empty())
}

/// Returns the words of a name in lower case, however it is written: a page is named `owner-web_app`, a heading says `Owner/Web App`.
fn plain(name: &str) -> String {
    let lower = name.to_lowercase();
    lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_in_a_page_a_heading_and_a_question() {
        assert_eq!(project_of_file("projects/owner-web_app.md").as_deref(), Some("owner web app"));
        assert_eq!(project_of_file("context/work/projects/pump.md").as_deref(), Some("pump"));
        assert_eq!(plain("Owner/Web App"), "owner web app");
        assert_eq!((project_of_file("context/work.md"), project_of_file("Memory.md")), (None, None));
        assert_eq!(topic_of_file("context/work/Web-App.md").as_deref(), Some("web app"));
        assert_eq!(topic_of_file("Memory.md"), None);
    }
}

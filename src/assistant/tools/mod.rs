//! The tools that the model is given: what each is called with, what it may do, and its result as a bounded text.

mod arguments;
mod files;
mod memory;
mod soul;

use anyhow::Result;
use serde_json::{Value, json};

use crate::app::VAULT;
use crate::chat::Tool;
use crate::config::{ChatSettings, Permission};
use crate::service::Service;
use crate::service::memory::ProposeLinesRequest;

pub(super) use arguments::{Arguments, short};
pub(super) use files::Shown;

/// Tokens of a result at most.
pub(super) const RESULT: usize = 2_000;
/// Characters of a heading.
const LONGEST_SECTION: usize = 80;

/// What a tool touches, which decides whether the person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touches {
    /// Nothing: it reads.
    Nothing,
    /// The log of the day and the layers.
    Layers,
    /// Memory.md, Procedural.md and the soul.
    Core,
}

/// What the tools work on.
pub(super) struct Workshop<'w, 'a> {
    /// The use cases.
    pub(super) service: &'w Service<'a>,
    /// The collections of which something may be sent to the model.
    pub(super) collections: &'w [String],
    /// What the model has read of files of the memory.
    pub(super) shown: &'w Shown,
}

impl Workshop<'_, '_> {
    /// Returns the collections that may be asked. A request that names none would be one for all of them.
    fn allowed(&self) -> Result<Vec<String>> {
        anyhow::ensure!(
            !self.collections.is_empty(),
            "all collections are private (chat.private_collections), so that none may be sent to a model"
        );
        Ok(self.collections.to_vec())
    }

    /// Fails where the memory folder, which lies in the vault, may not be sent to the model.
    fn check_memory(&self) -> Result<()> {
        let has_memory = self.collections.iter().any(|name| name == VAULT);
        anyhow::ensure!(has_memory, "the memory is private (chat.private_collections): it may not be sent to a model");
        Ok(())
    }
}

/// A tool of tars' own.
pub(super) struct BuiltIn {
    pub(super) name: &'static str,
    description: &'static str,
    /// Its arguments: name, type, description. The first [`BuiltIn::required`] of them must be given.
    arguments: &'static [(&'static str, &'static str, &'static str)],
    required: usize,
    /// Fails where it could not be done, so that nobody is asked about it.
    ready: Option<fn(&Workshop<'_, '_>, &Arguments) -> Result<()>>,
    pub(super) touches: fn(&Arguments) -> Touches,
    run: fn(&Workshop<'_, '_>, &Arguments) -> Result<String>,
    /// Keeps what it would write as a proposal, where nobody can be asked; `None` where that cannot be.
    propose: Option<fn(&Workshop<'_, '_>, &Arguments) -> Result<String>>,
}

impl BuiltIn {
    /// Returns it as a model is told of it.
    pub(super) fn tool(&self) -> Tool {
        let properties = self
            .arguments
            .iter()
            .map(|(name, kind, description)| ((*name).to_owned(), json!({"type": kind, "description": description})));
        let required: Vec<&str> = self.arguments.iter().take(self.required).map(|(name, ..)| *name).collect();
        Tool {
            name: self.name.into(),
            description: self.description.into(),
            parameters: json!({
                "type": "object",
                "properties": Value::Object(properties.collect()),
                "required": required,
                "additionalProperties": false,
            }),
        }
    }

    /// Returns whether it may be done without a question.
    pub(super) fn permission(&self, settings: &ChatSettings, given: &Arguments) -> Permission {
        match (self.touches)(given) {
            Touches::Nothing => Permission::Allow,
            Touches::Layers => settings.layer_writes,
            Touches::Core => settings.core_writes,
        }
    }

    /// Fails where it could not be done, before anybody is asked about it.
    ///
    /// # Errors
    /// The arguments are wrong, or something else is to be done before: the model is told.
    pub(super) fn check(&self, workshop: &Workshop<'_, '_>, given: &Arguments) -> Result<()> {
        given.check(self.arguments.iter().map(|(name, ..)| *name), self.required)?;
        self.ready.map_or(Ok(()), |ready| ready(workshop, given))
    }

    /// Does it.
    ///
    /// # Errors
    /// The service fails: the model is told.
    pub(super) fn run(&self, workshop: &Workshop<'_, '_>, given: &Arguments) -> Result<String> {
        (self.run)(workshop, given)
    }

    /// Keeps it as a proposal.
    ///
    /// # Errors
    /// It cannot be kept.
    pub(super) fn propose(&self, workshop: &Workshop<'_, '_>, given: &Arguments) -> Result<String> {
        match self.propose {
            Some(propose) => propose(workshop, given),
            None => {
                anyhow::bail!("nobody can be asked now: nothing was written. Tell the user what you would have written")
            }
        }
    }
}

/// Keeps the text of a call as a proposal to add it to a file, under its section or `section`.
fn propose_line(workshop: &Workshop<'_, '_>, path: String, given: &Arguments, section: &str) -> Result<String> {
    let text = given.required("text")?.split_whitespace().collect::<Vec<_>>().join(" ");
    let section = given.text("section")?.unwrap_or_else(|| section.to_owned());
    let section = short(section.trim_start_matches(['#', ' ']), LONGEST_SECTION);
    let request = ProposeLinesRequest { path, text: format!("## {section}\n- {text}\n"), append: true };
    Ok(match workshop.service.call(&request)?.proposals.is_empty() {
        true => "It was proposed before, or stands there; the user decides about it.".into(),
        false => "Nobody could be asked: it was put on the list of proposals, about which the user decides.".into(),
    })
}

/// Returns all of them.
pub(super) fn built_in() -> impl Iterator<Item = &'static BuiltIn> {
    memory::TOOLS.iter().chain(files::TOOLS).chain(soul::TOOLS)
}

/// Returns the one of that name.
pub(super) fn named(name: &str) -> Option<&'static BuiltIn> {
    built_in().find(|tool| tool.name == name)
}

//! The tools that the model is given: what each is called with, what it may do, and its result as a bounded text.

mod arguments;
mod files;
mod memory;
mod soul;

use anyhow::Result;
use serde_json::{Value, json};

use crate::chat::Tool;
use crate::config::{ChatSettings, Permission};
use crate::service::Service;

pub(super) use arguments::{Arguments, short};

/// Tokens of a result at most.
pub(super) const RESULT: usize = 2_000;

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
}

impl Workshop<'_, '_> {
    /// Returns the collections that may be asked. A request that names none would be one for all of them.
    fn allowed(&self) -> Result<Vec<String>> {
        anyhow::ensure!(!self.collections.is_empty(), "all collections are private (chat.private_collections)");
        Ok(self.collections.to_vec())
    }
}

/// A tool of tars' own.
pub(super) struct BuiltIn {
    pub(super) name: &'static str,
    description: &'static str,
    /// Its arguments: name, type, description. The first [`BuiltIn::required`] of them must be given.
    arguments: &'static [(&'static str, &'static str, &'static str)],
    required: usize,
    pub(super) touches: fn(&Arguments) -> Touches,
    run: fn(&Workshop<'_, '_>, &Arguments) -> Result<String>,
    /// Keeps what it would write as a proposal, where nobody can be asked; `None` where that cannot be.
    propose: Option<fn(&Workshop<'_, '_>, &Arguments) -> Result<String>>,
}

impl BuiltIn {
    /// Returns it as a model is told of it.
    pub(super) fn tool(&self) -> Tool {
        let properties = self.arguments.iter().map(|(name, kind, description)| {
            let schema = match *kind {
                "strings" => json!({"type": "array", "items": {"type": "string"}, "description": description}),
                kind => json!({"type": kind, "description": description}),
            };
            ((*name).to_owned(), schema)
        });
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

    /// Does it.
    ///
    /// # Errors
    /// The arguments are wrong, or the service fails: the model is told.
    pub(super) fn run(&self, workshop: &Workshop<'_, '_>, given: &Arguments) -> Result<String> {
        given.check(self.arguments.iter().map(|(name, ..)| *name), self.required)?;
        (self.run)(workshop, given)
    }

    /// Keeps it as a proposal.
    ///
    /// # Errors
    /// As [`BuiltIn::run`], and it cannot be kept.
    pub(super) fn propose(&self, workshop: &Workshop<'_, '_>, given: &Arguments) -> Result<String> {
        given.check(self.arguments.iter().map(|(name, ..)| *name), self.required)?;
        match self.propose {
            Some(propose) => propose(workshop, given),
            None => {
                anyhow::bail!("nobody can be asked now: nothing was written. Tell the user what you would have written")
            }
        }
    }
}

/// Returns all of them.
pub(super) fn built_in() -> impl Iterator<Item = &'static BuiltIn> {
    memory::TOOLS.iter().chain(files::TOOLS).chain(soul::TOOLS)
}

/// Returns the one of that name.
pub(super) fn named(name: &str) -> Option<&'static BuiltIn> {
    built_in().find(|tool| tool.name == name)
}

//! The tools for the model: their arguments, their permissions, and their results as bounded text.

mod arguments;
mod cleaned;
mod files;
mod memory;
mod soul;

use serde_json::{Value, json};

use tars_chat::Tool;
use tars_config::{ChatSettings, Permission};
use tars_service::memory::ProposeLinesRequest;
use tars_service::{Result, Service, VAULT};

pub(super) use arguments::{Arguments, visible};
pub(super) use cleaned::cleaned;
pub(super) use files::ReadFiles;
pub(super) use tars_base::domain::one_line;

/// Maximum number of tokens of a result.
pub(super) const RESULT: usize = 2_000;
/// Maximum number of characters of a heading.
const LONGEST_SECTION: usize = 80;

/// The data that a tool writes to, which decides whether the person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolEffect {
    /// Nothing: the tool only reads.
    Nothing,
    /// The daily log and the layers.
    Layers,
    /// Memory.md, Procedural.md and the soul.
    Core,
}

/// The context that tools run in.
pub(super) struct ToolContext<'w, 'a> {
    /// The service.
    pub(super) service: &'w Service<'a>,
    /// The collections that may be sent to the model.
    pub(super) collections: &'w [String],
    /// The parts of memory files that the model has read.
    pub(super) read_files: &'w ReadFiles,
}

impl ToolContext<'_, '_> {
    /// Returns the collections to search. A request without collections would search all of them, including private ones.
    fn allowed(&self) -> Result<Vec<String>> {
        tars_service::ensure!(
            !self.collections.is_empty(),
            "all collections are private (chat.private_collections), so that none may be sent to a model"
        );
        Ok(self.collections.to_vec())
    }

    /// Fails if the memory folder, which is in the vault, may not be sent to the model.
    fn check_memory(&self) -> Result<()> {
        let has_memory = self.collections.iter().any(|name| name == VAULT);
        tars_service::ensure!(
            has_memory,
            "the memory is private (chat.private_collections): it may not be sent to a model"
        );
        Ok(())
    }
}

/// Carries out a call of a tool; an error is for the model.
type Action<T> = fn(&ToolContext<'_, '_>, &Arguments) -> Result<T>;

/// A built-in tool.
pub(super) struct BuiltIn {
    pub(super) name: &'static str,
    description: &'static str,
    /// Its arguments: name, type, description. The first [`BuiltIn::required`] are required.
    arguments: &'static [(&'static str, &'static str, &'static str)],
    required: usize,
    /// Fails if the call cannot succeed, before the person is asked.
    precondition: Option<Action<()>>,
    pub(super) effect: fn(&Arguments) -> ToolEffect,
    run: Action<String>,
    /// Saves the write as a proposal if nobody can be asked; `None` if that is not possible.
    propose: Option<Action<String>>,
}

impl BuiltIn {
    /// A tool that writes nothing and requires its first argument: the defaults of the tables.
    const READ_ONLY: Self = Self {
        name: "",
        description: "",
        arguments: &[],
        required: 1,
        precondition: None,
        effect: |_| ToolEffect::Nothing,
        run: |_, _| Ok(String::new()),
        propose: None,
    };

    /// Returns the tool definition for the model.
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

    /// Returns the permission of a call.
    pub(super) fn permission(&self, settings: &ChatSettings, given: &Arguments) -> Permission {
        match (self.effect)(given) {
            ToolEffect::Nothing => Permission::Allow,
            ToolEffect::Layers => settings.layer_writes,
            ToolEffect::Core => settings.core_writes,
        }
    }

    /// Fails if the call cannot succeed, before the person is asked.
    ///
    /// # Errors
    /// The arguments are wrong, or another call must come first. The model gets the message.
    pub(super) fn check(&self, context: &ToolContext<'_, '_>, given: &Arguments) -> Result<()> {
        given.check(self.arguments.iter().map(|(name, ..)| *name), self.required)?;
        self.precondition.map_or(Ok(()), |precondition| precondition(context, given))
    }

    /// Runs the tool.
    ///
    /// # Errors
    /// The service fails. The model gets the message.
    pub(super) fn run(&self, context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
        (self.run)(context, given)
    }

    /// Saves the call as a proposal.
    ///
    /// # Errors
    /// The proposal is not possible or cannot be saved.
    pub(super) fn propose(&self, context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
        match self.propose {
            Some(propose) => propose(context, given),
            None => {
                tars_service::bail!(
                    "nobody can be asked now: nothing was written. Tell the user what you would have written"
                )
            }
        }
    }
}

/// Saves the text of a call as a proposal to add it to a file, in the given section or in `section`.
fn propose_line(context: &ToolContext<'_, '_>, path: String, given: &Arguments, section: &str) -> Result<String> {
    let text = given.required("text")?.split_whitespace().collect::<Vec<_>>().join(" ");
    let section = given.text("section")?.unwrap_or_else(|| section.to_owned());
    let section = one_line(section.trim_start_matches(['#', ' ']), LONGEST_SECTION);
    let request = ProposeLinesRequest { path, text: format!("## {section}\n- {text}\n"), append: true };
    Ok(match context.service.call(&request)?.proposals.is_empty() {
        true => "It was proposed before, or stands there; the user decides about it.".into(),
        false => "Nobody could be asked: it was put on the list of proposals, about which the user decides.".into(),
    })
}

/// Returns all built-in tools.
pub(super) fn built_in() -> impl Iterator<Item = &'static BuiltIn> {
    memory::TOOLS.iter().chain(files::TOOLS).chain(soul::TOOLS)
}

/// Returns the tool with that name.
pub(super) fn named(name: &str) -> Option<&'static BuiltIn> {
    built_in().find(|tool| tool.name == name)
}

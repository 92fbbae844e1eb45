//! Tools on the soul and the observations of the assistant.

use tars_service::Result;

use super::{Arguments, BuiltIn, ToolContext, ToolEffect};
use tars_service::memory::{ObserveRequest, ResolveObservationRequest, SoulPart, UpdateSoulRequest};

pub(super) const TOOLS: &[BuiltIn] = &[
    BuiltIn {
        name: "update_soul",
        description: "Changes who you are: a line about yourself, an opinion that you came to, or a question that stays open \
            between you and the user. Rarely, and only what the user would want you to be.",
        arguments: &[
            ("text", "string", "The line"),
            ("part", "string", "soul (usual), opinions or unresolved"),
            ("section", "string", "The heading that it goes under"),
            ("replace", "string", "The id or the words of the line whose place it takes"),
        ],
        effect: |_| ToolEffect::Core,
        run: update,
        propose: Some(propose),
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "update_observations",
        description: "Writes down what you noticed about the user or the work and what may matter later: a pattern, a worry, \
            something that does not fit. One sentence.",
        arguments: &[("text", "string", "What you noticed"), ("importance", "integer", "1 to 5")],
        effect: |_| ToolEffect::Layers,
        run: observe,
        ..BuiltIn::READ_ONLY
    },
    BuiltIn {
        name: "resolve_observation",
        description: "Marks something that you noticed as settled.",
        arguments: &[("which", "string", "Its id or words of it"), ("how", "string", "What came of it")],
        effect: |_| ToolEffect::Layers,
        run: resolve,
        ..BuiltIn::READ_ONLY
    },
];

fn part(given: &Arguments) -> Result<SoulPart> {
    Ok(match given.text("part")?.as_deref() {
        None | Some("soul") => SoulPart::Soul,
        Some("opinions") => SoulPart::Opinions,
        Some("unresolved") => SoulPart::Unresolved,
        Some(_) => tars_service::bail!("'part' is soul, opinions or unresolved"),
    })
}

fn update(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let request = UpdateSoulRequest {
        part: part(given)?,
        add: given.required("text")?,
        section: given.text("section")?,
        replace: given.text("replace")?,
    };
    let done = context.service.call(&request)?;
    Ok(if done.known { "It stood there already.".into() } else { format!("It stands in {}.", done.line.path) })
}

fn propose(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    tars_service::ensure!(part(given)? == SoulPart::Soul, "nobody can be asked now: nothing was written");
    tars_service::ensure!(given.text("replace")?.is_none(), "nobody can be asked now: nothing was replaced");
    super::propose_line(context, "soul/soul.md".into(), given, "Who I am")
}

fn observe(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    let importance = given.number("importance", 5)?.and_then(|number| u8::try_from(number).ok());
    let request = ObserveRequest { text: given.required("text")?, importance, ..ObserveRequest::default() };
    let done = context.service.call(&request)?;
    let id = done.observation.id;
    Ok(if done.known { format!("It was noticed before ({id}).") } else { format!("Written down ({id}).") })
}

fn resolve(context: &ToolContext<'_, '_>, given: &Arguments) -> Result<String> {
    // A refusal names observations.
    context.check_memory()?;
    let request = ResolveObservationRequest { which: given.required("which")?, how: given.text("how")? };
    context.service.call(&request)?;
    Ok("It is settled.".into())
}

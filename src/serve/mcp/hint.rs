//! Hints in the words of an agent. The hints of the service name commands of a terminal, which an agent must not need: it has tools.
//!
//! A command that has a tool becomes that tool, and an option becomes an argument. Any other command changes the user's machine, so
//! the agent is sent to the user.

use tars_service::ProblemKind;

/// Commands, and the tools that do the same.
const TOOLS: [(&str, &str); 9] = [
    ("search", "memory_search"),
    ("sgrep", "memory_search with the mode keyword"),
    ("get", "memory_get"),
    ("expand", "memory_get"),
    ("context", "memory_context"),
    ("remember", "memory_remember"),
    ("daily", "memory_daily"),
    ("forget", "memory_forget"),
    ("status", "memory_status"),
];
/// The next step where an agent has none.
const FOR_USER: &str = "only the user can mend this, at a terminal: tell them";

/// Returns the hint of a problem, for an agent.
pub(super) fn for_agent(kind: ProblemKind, hint: &str) -> String {
    let said = without_flags(&with_tools(hint));
    // The other kinds are faults of the call, which the agent can repeat differently.
    let is_fault_of_call = !matches!(kind, ProblemKind::NotReady | ProblemKind::Failed);
    let names_tool = TOOLS.iter().any(|(_, tool)| said.contains(tool));
    match (is_fault_of_call || names_tool) && commands(&said).next().is_none() {
        true => format!("try: {said}"),
        false => FOR_USER.to_owned(),
    }
}

/// Returns a text with the arguments of tools in place of options: `--lines 10-25` becomes `lines 10-25`. Quoted names stay.
pub(super) fn without_flags(text: &str) -> String {
    let mut out = String::new();
    let mut is_quoted = false;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_after_word = out.ends_with(|before: char| before.is_alphanumeric() || before == '-');
        if letter == '\'' && (is_quoted || !is_after_word) {
            is_quoted = !is_quoted;
        }
        let option = rest.strip_prefix("--").filter(|name| name.starts_with(|first: char| first.is_ascii_lowercase()));
        rest = match option.filter(|_| !is_quoted && !is_after_word) {
            Some(name) => name,
            None => {
                out.push(letter);
                &rest[letter.len_utf8()..]
            }
        };
    }
    out
}

/// Returns a hint with the tools in place of their commands.
fn with_tools(hint: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for (at, command) in commands(hint) {
        if let Some((_, tool)) = TOOLS.iter().find(|(name, _)| *name == command) {
            out.push_str(&hint[end..at]);
            out.push_str(tool);
            end = at + PROGRAM.len() + command.len();
        }
    }
    out.push_str(&hint[end..]);
    out
}

const PROGRAM: &str = "tars ";

/// Returns the commands of tars that a text names, with their places.
fn commands(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(PROGRAM).filter_map(|(at, _)| {
        let command = &text[at + PROGRAM.len()..];
        let end = command.find(|letter: char| !letter.is_ascii_lowercase()).unwrap_or(command.len());
        let is_word = !text[..at].ends_with(|letter: char| letter.is_alphanumeric());
        (is_word && end > 0).then(|| (at, &command[..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::embedding::EmbedError;
    use tars_engine::search::SearchError;
    use tars_memory::MemoryError;
    use tars_service::{Error, NoVault, Problem};
    use tars_store::StoreError;
    use tars_vault::WriteError;

    fn hint_of(error: impl Into<Error>) -> String {
        let Problem { kind, hint, .. } = Problem::from(&error.into());
        for_agent(kind, &hint.unwrap_or_default())
    }

    #[test]
    fn a_hint_names_the_tool_instead_of_the_command() {
        let unknown = SearchError::UnknownNote { name: "x".into() };
        assert_eq!(hint_of(unknown), "try: memory_search finds notes; give a path, a [[link]] or an id");
        assert_eq!(hint_of(SearchError::EmptyQuery), "try: memory_search WORDS...");
        let without = SearchError::NoSemantics { reason: "none".into() };
        assert_eq!(hint_of(without), "try: memory_search with the mode keyword searches by words");
        let lines = SearchError::NoSuchLines { path: "a.md".into(), first: 1, last: 2 };
        assert_eq!(hint_of(lines), "try: choose lines within this range");
        let plain = SearchError::AmbiguousNote { name: "x".into(), candidates: Vec::new() };
        assert_eq!(hint_of(plain), "try: give more of its path");
    }

    #[test]
    fn a_hint_that_changes_the_machine_sends_the_agent_to_the_user() {
        let missing = StoreError::Missing { path: "index.db".into() };
        let damaged = StoreError::Corrupt { path: "index.db".into(), detail: "x".into() };
        let folder = WriteError::NotAFolder { path: "notes".into() };
        let errors: [Error; 6] = [
            NoVault.into(),
            SearchError::Store(missing).into(),
            damaged.into(),
            MemoryError::Write(folder).into(),
            EmbedError::MissingKey { variable: "KEY".into() }.into(),
            EmbedError::Gated { repository: "a/b".into(), status: 401 }.into(),
        ];
        for error in errors {
            let text = error.to_string();
            assert_eq!(hint_of(error), FOR_USER, "{text}");
        }
    }

    #[test]
    fn quoted_text_and_dashes_stay() {
        assert_eq!(without_flags("--since 'a --b' is after --until"), "since 'a --b' is after until");
        assert_eq!(without_flags("it doesn't, and a--b --- '--x' – 10-25"), "it doesn't, and a--b --- '--x' – 10-25");
    }

    proptest::proptest! {
        #[test]
        fn no_hint_names_a_command(
            parts in proptest::collection::vec("[a-z ',.]{0,8}|tars |tars index|tars search|--lines|\\PC{0,4}", 0..8),
            is_fault in proptest::bool::ANY,
        ) {
            let kind = if is_fault { ProblemKind::Invalid } else { ProblemKind::Failed };
            let said = for_agent(kind, &parts.concat());
            proptest::prop_assert!(commands(&said).next().is_none(), "{}", said);
        }
    }
}

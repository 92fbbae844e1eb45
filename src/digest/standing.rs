//! What a person says that holds beyond the session: standing preferences, corrections, and decisions about something that lasts.
//!
//! The rules are strict, since nobody looks at what they find before it stands in a note: a sentence counts where it begins with one
//! of a few phrases, or settles something about a port, a name, a convention. Questions, conditions, what holds for today
//! alone, quoted text and pasted text give nothing, and neither does a paragraph that speaks as a system or an agent would.

use super::cues::{self, Cues};
use super::outcome::{OutcomeKind, Speaker, is_certain, kind_of};
use super::own_words::own_words;
use super::sentences::sentences;

/// Words of such a sentence at least, and characters at most.
const WORDS: usize = 3;
const LONGEST: usize = 300;
/// Words that a quotation has at least; fewer are a name in quotation marks.
const QUOTED: usize = 4;

/// What a person begins with who is polite, and which is no part of what is said.
const POLITE: &[&str] = &[
    "please",
    "ok",
    "okay",
    "and",
    "also",
    "so",
    "hey",
    "yes",
    "btw",
    "by the way",
    "note",
    "bitte",
    "und",
    "also",
    "ja",
    "übrigens",
    "s'il te plaît",
    "et",
    "oui",
    "au fait",
    "por favor",
    "y",
    "sí",
];

/// How a standing preference begins.
#[rustfmt::skip]
const STANDING: Cues = [
    &[
        "always", "never", "from now on", "going forward", "in future", "in the future", "i prefer", "i'd prefer", "i always",
        "i never", "we always", "we never", "we prefer", "remember that", "remember:", "keep in mind that", "don't ever",
        "you should always", "you should never", "you must always", "you must never", "our convention is", "my name is",
    ],
    &[
        "immer", "nie", "niemals", "ab jetzt", "ab sofort", "künftig", "in zukunft", "merk dir", "ich mag lieber",
        "ich bevorzuge", "wir bevorzugen", "ich nehme immer", "wir nehmen immer", "ich will immer", "ich möchte immer",
        "denk dran", "denk daran", "bei uns heißt", "unsere konvention ist",
    ],
    &[
        "toujours", "jamais", "désormais", "dorénavant", "à partir de maintenant", "je préfère", "nous préférons",
        "on préfère", "retiens que", "souviens-toi que", "rappelle-toi que", "n'utilise jamais", "utilise toujours",
    ],
    &[
        "siempre", "nunca", "a partir de ahora", "de ahora en adelante", "prefiero", "preferimos", "recuerda que",
        "acuérdate de que", "ten en cuenta que", "usa siempre", "no uses nunca",
    ],
];

/// What begins like a preference and tells of what was or is so.
const TELLING: &[&str] = &[
    "i'd prefer to",
    "never mind",
    "never seen",
    "never saw",
    "never heard",
    "never had",
    "never got",
    "never been",
    "never again",
    "never worked",
    "never happened",
    "never thought",
    "never knew",
    "always been",
    "always had",
    "always the",
    "always this",
    "always a",
    "always when",
    "i always get",
    "i always forget",
    "i always have",
    "i never get",
    "i never know",
    "i never saw",
    "i never had",
    "we always get",
    "we never got",
    "we never had",
    "immer noch",
    "immer wieder",
    "immer das",
    "immer dieser",
    "immer diese",
    "immer wenn",
    "immer mehr",
    "nie gesehen",
    "nie gehört",
    "toujours pas",
    "toujours le",
    "toujours la",
    "toujours les",
    "jamais vu",
    "siempre lo mismo",
    "siempre el",
    "siempre que",
    "nunca he",
    "nunca vi",
];

/// What is used for what: the beginnings, and a word that must follow.
const USES: &[(&[&str], &[&str])] = &[
    (
        &["we use", "i use", "we are using", "this project uses", "this repository uses", "the project uses"],
        &["for", "as", "not"],
    ),
    (
        &["wir nutzen", "wir benutzen", "wir verwenden", "wir nehmen", "ich nutze", "ich verwende"],
        &["für", "als", "zum", "statt"],
    ),
    (&["on utilise", "nous utilisons", "j'utilise", "le projet utilise"], &["pour", "comme"]),
    (&["usamos", "utilizamos", "uso", "el proyecto usa"], &["para", "como"]),
];

/// How a correction begins, and what must follow somewhere behind it.
const CORRECTIONS: &[&str] = &[
    "no, use",
    "no, we use",
    "no, take",
    "no, we",
    "no: use",
    "nope, use",
    "wrong, use",
    "nein, nimm",
    "nein, verwende",
    "nein, benutze",
    "nein, nutze",
    "nein, wir nehmen",
    "nein, wir verwenden",
    "nein, wir nutzen",
    "non, utilise",
    "non, prends",
    "non, on utilise",
    "no, usa",
    "no, usamos",
    "no, utiliza",
];
const CONTRAST: &[&str] = &[
    "not",
    "instead of",
    "rather than",
    "nicht",
    "statt",
    "anstatt",
    "pas",
    "au lieu de",
    "plutôt que",
    "en vez de",
    "en lugar de",
];

/// What holds for now alone, or points at something that only the session shows.
const PASSING: &[&str] = &[
    "this time",
    "for now",
    "just this once",
    "today",
    "tomorrow",
    "this one",
    "that one",
    "the other one",
    "right now",
    "for the moment",
    "in this session",
    "diesmal",
    "dieses mal",
    "heute",
    "morgen",
    "vorerst",
    "erstmal",
    "fürs erste",
    "das andere",
    "den anderen",
    "die andere",
    "cette fois",
    "pour l'instant",
    "aujourd'hui",
    "celui-ci",
    "l'autre",
    "esta vez",
    "por ahora",
    "hoy",
    "el otro",
    "la otra",
];

/// Words that name something which lasts, so that a decision about it is worth knowing later.
const LASTING: &[&str] = &[
    "port",
    "ports",
    "host",
    "hostname",
    "server",
    "version",
    "database",
    "branch",
    "domain",
    "convention",
    "naming",
    "format",
    "indentation",
    "timezone",
    "time zone",
    "currency",
    "units",
    "license",
    "licence",
    "schema",
    "region",
    "encoding",
    "datenbank",
    "konvention",
    "einheiten",
    "zeitzone",
    "währung",
    "lizenz",
    "serveur",
    "base de données",
    "branche",
    "domaine",
    "fuseau",
    "devise",
    "unités",
    "licence",
    "servidor",
    "puerto",
    "versión",
    "rama",
    "dominio",
    "convención",
    "unidades",
    "moneda",
];

/// What somebody begins a line with who speaks as another: a pasted conversation, or text that would command an agent.
const ROLES: &[&str] =
    &["system", "assistant", "user", "human", "developer", "instruction", "instructions", "important instruction"];
/// What a person does not say of themselves, but a text that would command an agent does.
#[rustfmt::skip]
const FOREIGN: &[&str] = &[
    "the user", "this user", "previous instructions", "prior instructions", "all instructions", "system prompt", "ai agents", "to agents",
    "all agents", "ai assistant", "ai assistants", "language model", "your memory", "ki-agenten", "ki-assistenten", "assistants must", "assistants should", "an alle agenten", "long-term memory", "der nutzer", "der benutzer", "l'utilisateur", "el usuario",
];

/// Returns the sentences of a request by which a person says what holds beyond the session, without the words of politeness before
/// them.
pub fn standing(request: &str) -> Vec<String> {
    let own = without_foreign(request);
    sentences(&without_quotations(&own)).iter().filter_map(|sentence| standing_part(sentence)).collect()
}

/// Whether a line speaks as a system or an agent would, or tells of a user's wishes: somebody may have put it into a text in order to
/// be remembered.
pub fn commands_an_agent(line: &str) -> bool {
    let line = cues::plain(line);
    let start = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let speaks_as = |role: &&str| {
        start.strip_prefix(*role).is_some_and(|rest| rest.trim_start_matches([']', '*', '>', ' ']).starts_with(':'))
    };
    ROLES.iter().any(speaks_as) || cues::holds_any(&line, FOREIGN)
}

/// Returns a person's own words of a request, up to the paragraph in which a line commands an agent or begins with a tag: what
/// follows may be of the same paste.
pub fn without_foreign(request: &str) -> String {
    let own = own_words(request);
    let is_foreign = |line: &str| line.trim_start().starts_with('<') || commands_an_agent(line);
    let paragraphs = own.split("\n\n").take_while(|paragraph| !paragraph.lines().any(is_foreign));
    paragraphs.collect::<Vec<_>>().join("\n\n")
}

fn standing_part(sentence: &str) -> Option<String> {
    let said = without_politeness(sentence.trim());
    // "No. Never use mocks here": what was done was wrong, and what is right follows.
    let denied = ["no. ", "No. ", "nein. ", "Nein. "].iter().find_map(|no| said.strip_prefix(no));
    let said = denied.map_or(said, str::trim);
    let plain = cues::plain(said);
    let count = said.split_whitespace().count();
    let is_whole = (WORDS..).contains(&count) && said.chars().count() <= LONGEST;
    let is_quoted = said.contains(['"', '“', '”', '«', '»', '„']);
    let asks = said.ends_with(['?', '？', ':']);
    if !is_whole
        || is_quoted
        || asks
        || !is_certain(&plain)
        || cues::holds_any(&plain, PASSING)
        || commands_an_agent(said)
    {
        return None;
    }
    if is_preference(&plain) || says_what_is_used(&plain) {
        return Some(said.to_owned());
    }
    if let Some(start) = CORRECTIONS.iter().find(|start| begins(&plain, start)) {
        let is_clear = cues::holds_any(&plain[start.len()..], CONTRAST) || cues::holds_any(&plain, LASTING);
        let rest = said.split_once([',', ':']).map(|(_, rest)| capitalized(rest.trim()));
        return rest.filter(|_| is_clear);
    }
    let settles = kind_of(said, Speaker::Person) == Some(OutcomeKind::Decided);
    (settles && cues::holds_any(&plain, LASTING) || statements::states(&plain, said)).then(|| said.to_owned())
}

fn is_preference(plain: &str) -> bool {
    let is_begun = STANDING.iter().flat_map(|phrases| phrases.iter()).any(|phrase| begins(plain, phrase));
    // "Always fails on Mondays" tells of something else than the person.
    let mut words = plain.split_whitespace();
    let tells =
        words.next() == Some("always") && words.next().is_some_and(|verb| verb.ends_with('s') && !verb.ends_with("ss"));
    is_begun && !tells && !TELLING.iter().any(|phrase| begins(plain, phrase))
}

fn says_what_is_used(plain: &str) -> bool {
    USES.iter().any(|(starts, behind)| {
        starts.iter().any(|start| begins(plain, start) && cues::holds_any(&plain[start.len()..], behind))
    })
}

/// Whether a text begins with a phrase that ends there as a word.
fn begins(text: &str, phrase: &str) -> bool {
    let ends = |rest: &str| !phrase.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric);
    text.strip_prefix(phrase).is_some_and(ends)
}

fn without_politeness(sentence: &str) -> &str {
    let mut rest = sentence;
    loop {
        let polite = POLITE.iter().filter_map(|word| {
            let after = rest
                .get(word.len()..)
                .filter(|_| rest.get(..word.len()).is_some_and(|start| cues::plain(start) == **word))?;
            let said = after.trim_start_matches([',', ':', '!', '.', ' ']);
            (said.len() < after.len() && !said.is_empty()).then_some(said)
        });
        match polite.min_by_key(|said| said.len()) {
            Some(said) => rest = said,
            None => return rest,
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Returns a text without its quotations.
fn without_quotations(text: &str) -> String {
    const MARKS: [(char, char); 4] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')];
    let mut text = text.to_owned();
    for (open, close) in MARKS {
        let mut kept = String::new();
        let mut rest = text.as_str();
        while let Some(start) = rest.find(open) {
            let inside = &rest[start + open.len_utf8()..];
            let Some(end) = inside.find(close) else { break };
            kept.push_str(&rest[..start]);
            if inside[..end].split_whitespace().count() < QUOTED {
                kept.push_str(&inside[..end]);
            } else {
                // What stands around a quotation is a sentence that is not whole.
                kept.push(close);
            }
            rest = &inside[end + close.len_utf8()..];
        }
        kept.push_str(rest);
        text = kept;
    }
    text
}

mod statements;
#[cfg(test)]
mod tests;

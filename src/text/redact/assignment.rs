//! Secrets whose name marks them: `api_key = "…"`, `**Password:** …`, `--token …`, "the wifi password is …".
//!
//! The rule keeps the name and redacts the value if a machine or a careful person could have made it. After a sign
//! (`=`, `:`) a password needs letters and digits, letters around a symbol, or six digits; in a sentence ("is") or a
//! table cell it needs more, and right behind the word (`password_words`) more again. The value of any other name must look random. Text with spaces is never a value, because
//! `password: "my dog Rex"` looks like a description of the field. The value may stand on the next line if it is alone
//! there.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::pattern::pattern;
use super::{password_words, sentence, value};

/// Each name starts with one of these or with a word for a password.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "_pass", "pass:", "pass=", "pass =", "pass is ", "pass was ", "pw:", "pw=", "pw of ", "pw for ", "pw is ",
    "secret", "token", "api_key", "api-key", "api key", "apikey", "access_key", "access-key",
    "access key", "accesskey", "auth_key", "auth-key", "authkey", "private_key", "private-key", "privatekey",
    "encryption_key", "encryption-key", "signing_key", "signing-key", "account_key", "credential", "_pat", "pat:", "pat=",
    "pat =",
];

/// The keywords of this rule.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    password_words::WORDS.iter().map(|(word, _)| *word).chain(NAMES.iter().copied())
}

/// The name and the text between it and the value. It stops at a marker, so that redaction is idempotent.
static HEAD: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<String> = password_words::WORDS.iter().map(|(word, ending)| format!("{word}{ending}")).collect();
    let (words, verbs) = (words.join("|"), password_words::VERBS);
    let (links, particles) = (password_words::LINKS, password_words::PARTICLES);
    pattern(
        &[
            &format!(r"\A(?i)(?:(?P<password>{words}|_pass|pass|pw)"),
            r"|(?P<secret>secret)|(?P<token>token|_?pat)|(?P<credential>credential)",
            r"|(?:(?P<private>private)|api|access|auth|encryption|signing|account)[_ -]?key)",
            r#"(?-i:(?P<tail>[A-Za-z0-9_-]{0,24}))["'`*\])\\]{0,4}"#,
            r"(?:(?:[ \t]{1,4}\([^)\n\[]{1,40}\))?",
            &format!(r"(?:[ \t]{{1,4}}(?:{links})[ \t][^\n\[:=|.;]{{1,40}}?)?(?:[ \t]{{1,4}}string)?"),
            &format!(r"(?:(?P<verb>[ \t]{{1,4}}(?P<is>{verbs})(?: now| jetzt)?:?[ \t]{{1,4}})"),
            &format!(r"|(?P<particle>[ \t]{{0,4}}(?:{particles})[ \t]{{0,4}})"),
            r"|(?P<dash>[ \t]{1,4}(?:—|–)[ \t]{1,4})|(?P<cell>[ \t]{0,40}\|[ \t]{0,40})",
            // `<add key="password" value="…"/>`, `- name: PASSWORD` above `value: …`
            r#"|(?P<pair>,?[ \t\r]{0,4}\n?[ \t]{0,40}["']?value["']?[ \t]{0,4}[:=][ \t]{0,8})"#,
            r"|(?P<argument>,[ \t]{0,4})",
            r"|(?P<heading>[ \t#]{0,8}\r?\n(?:[ \t]{0,8}\r?\n)?)",
            r"|[ \t]{0,8}(?::[ \t]{0,2}[&a-z][a-z<>&:' ]{0,30}[ \t]=|:{1,3}=|[?.+|]{1,2}=|=>|->|={1,3}|:|：|→|>)[ \t]{0,8}",
            r"(?:(?:[|>][0-9+-]{0,2}|[*_]{1,3})?[ \t\r]{0,4}\n(?:[ \t]{0,8}\r?\n)?)?)",
            // A code fence, a list marker or a quotation mark.
            r"(?:[ \t]{0,8}```[a-z]{0,12}[ \t\r]{0,4}\n)?[ \t]{0,40}(?:[>*-][ \t]{1,4})?",
            r"|(?P<flag>[ \t]))[*_]{0,3}[ \t]{0,4}",
        ]
        .concat(),
    )
});

/// How a value is joined to its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joint {
    Sign,
    Sentence,
    Cell,
    NextLine,
}

/// Longer values are no credentials.
const MAX_VALUE: usize = 512;

/// Returns the value of the name that starts at `at`.
pub(super) fn find(text: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    adjacent(text, at).or_else(|| {
        let end = at + password_words::length(&text[at..])?;
        let is_word = value::opens_word(text, at) && !is_flag(text, at);
        let span = if is_word { sentence::find(text, end) } else { None };
        span.map(|span| ("password", span))
    })
}

/// Returns the value right behind the name that starts at `at`.
fn adjacent(text: &[u8], at: usize) -> Option<(&'static str, Range<usize>)> {
    let head = HEAD.captures(&text[at..])?;
    if needs_start(&text[at..]) && !value::opens_word(text, at) {
        return None;
    }
    if !names_a_value(head.name("tail").map_or(b"", |tail| tail.as_bytes())) {
        return None;
    }
    let whole = head.get(0)?;
    let (start, end) = (at, at + whole.end());
    let name = head.name("password").map_or(b"".as_slice(), |name| name.as_bytes());
    let is_short = [b"pass".as_slice(), b"pw"].iter().any(|short| name.eq_ignore_ascii_case(short));
    let next_to_it = head.name("flag").is_some() && !is_flag(text, start);
    if next_to_it || head.name("dash").is_some() {
        // `pwd` is a command, and `_pass` part of a name in code.
        let is_word =
            !name.is_empty() && !is_short && ![b"pwd".as_slice(), b"_pass"].contains(&&name.to_ascii_lowercase()[..]);
        let span = if is_word { neighbour(text, end) } else { None };
        return span.map(|span| ("password", span));
    }
    if head.name("is").is_some_and(|verb| !suits(verb.as_bytes(), name)) {
        return None;
    }
    let joint = if head.name("verb").is_some() || head.name("particle").is_some() {
        Joint::Sentence
    } else if head.name("cell").is_some() {
        Joint::Cell
    } else if head.name("pair").is_none() && whole.as_bytes().contains(&b'\n') {
        Joint::NextLine
    } else {
        Joint::Sign
    };
    let quotes = |at: usize| matches!(text.get(at), Some(b'"' | b'\'' | b'`'));
    let joined = (head.name("heading").is_none() || is_heading(text, start))
        && head.name("argument").is_none_or(|comma| quotes(start + comma.start() - 1) && quotes(end));
    if !joined {
        return None;
    }
    let kind = ["password", "secret", "token", "credential"].into_iter().find(|kind| head.name(kind).is_some());
    let kind = kind.unwrap_or(if head.name("private").is_some() { "private-key" } else { "api-key" });
    let span = extent(text, end)?;
    let found = &text[span.clone()];
    let credible = match (kind, joint) {
        // A pass has many meanings.
        ("password", Joint::Sentence) if is_short => value::is_unlike_name(found),
        ("password", Joint::Sign) => value::looks_like_password(found),
        ("password", _) => value::looks_like_password(found) && value::is_unlike_word(found),
        (_, Joint::Sign | Joint::NextLine) => found.len() >= 10 && value::looks_random(found),
        _ => found.len() >= 16 && value::looks_random(found),
    };
    // Quotes say that no code follows.
    let bare = !quotes(span.start - 1);
    let stands_for_one =
        || value::is_placeholder(found) || value::is_reference(found) || value::looks_like_code(found, bare);
    let stands_well = joint != Joint::NextLine || ends_line(text, span.end);
    (credible && stands_well && !stands_for_one()).then_some((kind, span))
}

/// Whether only punctuation stands between `at` and the end of its line.
fn ends_line(text: &[u8], at: usize) -> bool {
    let line = text[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let signs = line.iter().take_while(|byte| b"\"'`,;.:)]}>*_ \t\r".contains(byte)).count();
    signs == line.len() || line[signs..].starts_with(b"</")
}

/// Whether the name at `at` stands in a heading, or in a line that begins in bold.
fn is_heading(text: &[u8], at: usize) -> bool {
    const MAX_NAME: usize = 80;
    let from = at.saturating_sub(MAX_NAME);
    let start = text[from..at].iter().rposition(|byte| *byte == b'\n').map(|line| from + line);
    let start = start.or((from == 0).then_some(0));
    start.is_some_and(|start| matches!(text[start..at].trim_ascii_start(), [b'#', ..] | [b'*', b'*', ..]))
}

/// Whether the name at `at` is part of a command's option, `--db-password`.
fn is_flag(text: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(40);
    let word = text[from..at].iter().rposition(|byte| !byte.is_ascii_alphanumeric() && !matches!(byte, b'-' | b'_'));
    text[word.map_or(from, |word| from + word + 1)..at].starts_with(b"--")
}

/// Whether the name ends other words too, so that it must start one.
fn needs_start(name: &[u8]) -> bool {
    password_words::WHOLE_WORDS.iter().any(|word| {
        let opens = name.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
        opens && name.get(word.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
    })
}

/// Whether a verb belongs to the name: "to" is one behind the Polish word alone.
fn suits(verb: &[u8], name: &[u8]) -> bool {
    let only = password_words::VERBS_OF_ONE.iter().find(|(only, _)| verb.eq_ignore_ascii_case(only.as_bytes()));
    only.is_none_or(|(_, word)| name.eq_ignore_ascii_case(word.as_bytes()))
}

/// Returns the password in the words behind a word for one: the next word, or a later one behind "for" and the like.
fn neighbour(text: &[u8], at: usize) -> Option<Range<usize>> {
    const MAX_WORDS: usize = 5;
    let mut at = at;
    for number in 0..MAX_WORDS {
        let span = extent(text, at)?;
        let word = &text[span.clone()];
        let is_next = number == 0
            && (value::mixes_digits(word)
                || value::looks_random(word)
                || value::ends_in_digits(word) && ends_clause(text, span.end));
        if (is_next || value::is_unlike_name(word)) && !value::is_placeholder(word) && !value::is_reference(word) {
            return Some(span);
        }
        if number == 0 && !password_words::is_link(word) {
            return None;
        }
        let blanks = text[span.end..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if blanks == 0 {
            return None;
        }
        at = span.end + blanks;
    }
    None
}

/// Whether a clause ends at `at`.
fn ends_clause(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| b".,;:!?)\"'`\n\r".contains(byte))
}

/// Last words of names that describe a secret instead of holding it.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "alg", "at", "attempts", "budget", "count", "digest", "dir", "enc", "endpoint", "env", "expiration", "expires",
    "expiry", "field", "file", "format", "hash", "header", "hint", "id", "ids", "index", "label", "length", "len",
    "limit", "manager", "max", "min", "name", "path", "pattern", "policy", "position", "prefix", "provider", "ref",
    "regex", "rules", "size", "store", "ttl", "type", "uri", "url", "usage", "var", "version",
];

/// Whether a name with the ending `tail` holds a secret: it does with `_prod`, `s`, `2` or `Value`, but not with `_id`
/// or `Count`, and `ization` makes it another word.
fn names_a_value(tail: &[u8]) -> bool {
    if tail.first().is_some_and(u8::is_ascii_lowercase) && tail != b"s" && !tail.starts_with(b"s_") {
        return false;
    }
    let mut words = tail.rsplit(|byte| matches!(byte, b'_' | b'-'));
    let last = words.find(|word| !word.is_empty()).unwrap_or_default();
    let hump = last.iter().rposition(u8::is_ascii_uppercase).filter(|_| last.iter().any(u8::is_ascii_lowercase));
    let last = String::from_utf8_lossy(&last[hump.unwrap_or(0)..]).to_ascii_lowercase();
    !ABOUT.contains(&last.as_str())
}

/// Returns the range of the value that starts at `at`, without its quotes.
fn extent(text: &[u8], at: usize) -> Option<Range<usize>> {
    let escaped = text[at..].starts_with(b"\\\"");
    let at = if escaped { at + 1 } else { at };
    let line = &text[at..text.len().min(at + MAX_VALUE + 2)];
    let quote = line.first().copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    if let Some(quote) = quote {
        let close = line[1..].iter().position(|byte| *byte == quote || *byte == b'\n' || escaped && *byte == b'\\')?;
        let value = &line[1..=close];
        let whole = line[close + 1] != b'\n' && !value.iter().any(u8::is_ascii_whitespace);
        return (whole && !value.is_empty()).then(|| at + 1..at + 1 + value.len());
    }
    let ends = |(index, byte): (usize, &u8)| match byte {
        b'"' | b'\'' | b'`' | b'<' | b';' | b'|' => true,
        b'\\' => line.get(index + 1).is_some_and(|next| matches!(next, b'n' | b'r' | b't' | b'"')),
        // The next parameter of an address, or an HTML entity.
        b'&' => {
            let after = line[index + 1..].iter().find(|byte| !byte.is_ascii_alphanumeric() && **byte != b'_');
            after.is_some_and(|byte| matches!(byte, b'=' | b';'))
        }
        // Scripts that put no blank behind the value.
        0xe3..=0xef => index > 0 && line[0].is_ascii(),
        _ => byte.is_ascii_whitespace(),
    };
    let end = line.iter().enumerate().position(|(index, byte)| ends((index, byte)));
    let end = end.or((line.len() <= MAX_VALUE).then_some(line.len()))?;
    let trimmed = line[..end].iter().rposition(|byte| !b".,:)]}>*_".contains(byte))?;
    Some(at..at + trimmed + 1)
}

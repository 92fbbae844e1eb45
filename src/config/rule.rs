//! Rules for the values of keys. A value of any layer is checked against its rule before the merge.

use toml::Value;

use super::size::parse_size;

/// The values that a key accepts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Rule {
    /// Any text without control characters.
    Text,
    /// A path. It is resolved later, relative to the place where it was written.
    Path,
    /// A folder within the vault.
    Folder,
    /// Address of a server.
    Address,
    /// Name of an environment variable. Lower case is refused, because tokens of services often contain lower-case letters, and a token
    /// pasted here by mistake would otherwise stay in the file.
    VariableName,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// True or false.
    Bool,
    /// An integer within these bounds, inclusive.
    Integer(i64, i64),
    /// A number within these bounds, inclusive.
    Number(f64, f64),
    /// A size in bytes, with a unit.
    Size,
    /// File extensions, at least one.
    Extensions,
    /// Patterns in gitignore syntax.
    Globs,
    /// Paths of links in the vault, or absolute ones.
    Links,
    /// A program and its arguments.
    Command,
    /// An IP address and a port.
    Socket,
    /// Host names, with or without a port.
    Hosts,
    /// Origins, as browsers send them.
    Origins,
    /// A list of these words.
    Words(&'static [&'static str]),
    /// Names of collections.
    Names,
}

/// A value violates its rule.
#[derive(Debug, PartialEq)]
pub(super) struct Refused;

const MIN_FILE_SIZE: u64 = 1 << 10;
const MAX_FILE_SIZE: u64 = 1 << 30;

impl Rule {
    /// Normalizes a value from a file. Returns `None` for an empty string, which leaves the key unset.
    pub(super) fn accept(self, value: &Value) -> Result<Option<Value>, Refused> {
        match value {
            Value::String(text) if text.is_empty() && self.is_textual() => {
                Ok(self.takes_empty().then(|| value.clone()))
            }
            _ => self.checked(value).map(Some).ok_or(Refused),
        }
    }

    /// Like [`Rule::accept`], for text from a variable, a flag or a command.
    pub(super) fn accept_text(self, text: &str) -> Result<Option<Value>, Refused> {
        if text.is_empty() {
            return Ok(self.takes_empty().then(|| Value::String(String::new())));
        }
        let word = text.trim();
        let value = match self {
            Self::Bool => match word {
                "true" | "1" => Value::Boolean(true),
                "false" | "0" => Value::Boolean(false),
                _ => return Err(Refused),
            },
            Self::Integer(..) => Value::Integer(word.parse().map_err(|_| Refused)?),
            Self::Number(..) => Value::Float(word.parse().map_err(|_| Refused)?),
            rule if rule.is_list() && word.starts_with('[') && word.ends_with(']') => array_of(word)?,
            Self::Extensions
            | Self::Globs
            | Self::Links
            | Self::Hosts
            | Self::Origins
            | Self::Words(_)
            | Self::Names => Value::Array(word.split(',').map(|part| Value::String(part.trim().to_owned())).collect()),
            Self::Command => Value::Array(word.split_whitespace().map(|part| Value::String(part.to_owned())).collect()),
            // Spaces at the ends are part of a query prefix and of a path.
            Self::Text | Self::Path => Value::String(text.to_owned()),
            _ => Value::String(word.to_owned()),
        };
        self.checked(&value).map(Some).ok_or(Refused)
    }

    /// Whether an empty string is a value. For the name of a variable, it means that no key is sent.
    fn takes_empty(self) -> bool {
        self == Self::VariableName
    }

    fn is_textual(self) -> bool {
        !matches!(self, Self::Bool | Self::Integer(..) | Self::Number(..)) && !self.is_list()
    }

    fn is_list(self) -> bool {
        matches!(
            self,
            Self::Extensions
                | Self::Globs
                | Self::Links
                | Self::Command
                | Self::Hosts
                | Self::Origins
                | Self::Words(_)
                | Self::Names
        )
    }

    /// Whether an error may show a refused value. A refused name or address may be a secret.
    pub(super) fn may_be_shown(self) -> bool {
        !matches!(self, Self::VariableName | Self::Address)
    }

    /// Describes the accepted values, in words that follow "expected".
    pub(super) fn expected(self) -> String {
        match self {
            Self::Text => "text on one line".into(),
            Self::Path => "a path".into(),
            Self::Folder => "a folder inside the vault, such as tars or agents/tars, not hidden".into(),
            Self::Address => "an http:// or https:// address without a user or a password in it".into(),
            Self::VariableName => "the name of an environment variable in capitals, not the secret itself".into(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Bool => "true or false".into(),
            Self::Integer(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Size => "a size from 1 KiB to 1 GiB, such as 5 MiB".into(),
            Self::Extensions => "a list of extensions without the dot, such as [\"md\", \"txt\"]".into(),
            Self::Globs => "a list of patterns in gitignore syntax, such as [\"drafts/\", \"*.tmp.md\"]".into(),
            Self::Links => "a list of linked folders of the vault, such as [\"Shared\", \"Clients/acme\"]".into(),
            Self::Command => "a program and its arguments, such as [\"claude\", \"-p\"]".into(),
            Self::Socket => "an address and a port, such as 127.0.0.1:8746 or [::1]:8746".into(),
            Self::Hosts => "a list of names with or without a port, such as [\"box.example.net\"]".into(),
            Self::Origins => "a list of origins, such as [\"https://app.example.net\"]".into(),
            Self::Words(words) => format!("a list of {}", words.join(", ")),
            Self::Names => "a list of names of collections, such as [\"diary\"]".into(),
        }
    }

    fn checked(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Bool, Value::Boolean(_)) => Some(value.clone()),
            (Self::Integer(least, most), Value::Integer(number)) => {
                (least..=most).contains(number).then(|| value.clone())
            }
            (Self::Number(..), Value::Integer(number)) => self.checked(&Value::Float(*number as f64)),
            (Self::Number(least, most), Value::Float(number)) => (least..=most).contains(number).then(|| value.clone()),
            (Self::Size, Value::Integer(bytes)) => self.checked(&Value::String(bytes.to_string())),
            (Self::Extensions, Value::Array(items)) if !items.is_empty() => strings(items, extension),
            (Self::Globs, Value::Array(items)) => strings(items, glob),
            (Self::Links, Value::Array(items)) => strings(items, link),
            (Self::Command, Value::Array(items)) => strings(items, argument),
            (Self::Hosts, Value::Array(items)) => strings(items, host),
            (Self::Origins, Value::Array(items)) => strings(items, origin),
            (Self::Words(words), Value::Array(items)) => {
                let known = items.iter().all(|item| item.as_str().is_some_and(|word| words.contains(&word)));
                known.then(|| value.clone())
            }
            (Self::Names, Value::Array(items)) => strings(items, name),
            (_, Value::String(text)) => self.checked_text(text).map(Value::String),
            _ => None,
        }
    }

    fn checked_text(self, text: &str) -> Option<String> {
        if text.chars().any(char::is_control) {
            return None;
        }
        match self {
            Self::Text | Self::Path => Some(text.to_owned()),
            Self::Folder => folder(text),
            Self::Address => address(text),
            Self::VariableName => variable_name(text),
            Self::Socket => text.parse::<std::net::SocketAddr>().ok().map(|address| address.to_string()),
            Self::Choice(words) => words.contains(&text).then(|| text.to_owned()),
            Self::Size => {
                let bytes = parse_size(text)?;
                (MIN_FILE_SIZE..=MAX_FILE_SIZE).contains(&bytes).then(|| text.to_owned())
            }
            _ => None,
        }
    }
}

fn array_of(text: &str) -> Result<Value, Refused> {
    let mut table: toml::Table = toml::from_str(&format!("list = {text}")).map_err(|_| Refused)?;
    table.remove("list").ok_or(Refused)
}

fn strings(items: &[Value], one: fn(&str) -> Option<String>) -> Option<Value> {
    items.iter().map(|item| one(item.as_str()?).map(Value::String)).collect::<Option<Vec<_>>>().map(Value::Array)
}

fn extension(text: &str) -> Option<String> {
    let bare = text.strip_prefix('.').unwrap_or(text).to_lowercase();
    (!bare.is_empty() && bare.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))).then_some(bare)
}

fn name(text: &str) -> Option<String> {
    (!text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))).then(|| text.to_owned())
}

/// A pattern of a `.gitignore`: a leading `!` includes files again; a slash at the start anchors it, one at the end matches folders only.
fn glob(text: &str) -> Option<String> {
    let pattern = text.strip_prefix('!').unwrap_or(text).trim_matches('/');
    let valid = !pattern.is_empty() && !pattern.chars().any(char::is_control) && globset::Glob::new(pattern).is_ok();
    valid.then(|| text.to_owned())
}

/// Accepts the path of a link below the vault, or an absolute one. A slash at the end means nothing.
fn link(text: &str) -> Option<String> {
    let path = text.trim_end_matches('/');
    let mut parts = path.strip_prefix('/').unwrap_or(path).split('/');
    let valid = parts.all(|part| !part.is_empty() && part != "." && part != "..");
    (valid && !path.chars().any(char::is_control)).then(|| path.to_owned())
}

/// Accepts an argument without control characters. It may be empty.
fn argument(text: &str) -> Option<String> {
    (!text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// Refuses hidden folders, because the index skips them and nothing remembered there would ever be found.
fn folder(text: &str) -> Option<String> {
    let text = text.strip_suffix('/').unwrap_or(text);
    let valid = text.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && part.trim() == part);
    (valid && !text.contains(['\\', ':'])).then(|| text.to_owned())
}

fn address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let server = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let valid = !server.is_empty() && !server.contains('@') && !text.contains(|c: char| c.is_whitespace() || c == '\\');
    valid.then(|| text.trim_end_matches('/').to_owned())
}

/// Returns a host name as a browser sends it: lower case, without scheme and path.
fn host(text: &str) -> Option<String> {
    let (name, port) = text.rsplit_once(':').unwrap_or((text, "80"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let valid = !name.is_empty() && name.chars().all(is_plain) && port.parse::<u16>().is_ok();
    valid.then(|| text.to_lowercase())
}

fn origin(text: &str) -> Option<String> {
    let server = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    host(server).map(|_| text.to_lowercase())
}

fn variable_name(text: &str) -> Option<String> {
    let starts_well = text.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
    let valid = starts_well && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    valid.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rule: Rule, text: &str) -> Option<Value> {
        rule.accept_text(text).ok().flatten()
    }

    fn strings(items: &[&str]) -> Option<Value> {
        Some(Value::Array(items.iter().map(|item| Value::String((*item).into())).collect()))
    }

    #[test]
    fn text_is_converted_to_the_type_of_the_rule() {
        assert_eq!(text(Rule::Bool, "1"), Some(Value::Boolean(true)));
        assert_eq!(text(Rule::Integer(1, 10), " 7 "), Some(Value::Integer(7)));
        assert_eq!(text(Rule::Number(0.0, 1.0), "1"), Some(Value::Float(1.0)));
        assert_eq!(text(Rule::Text, "query: "), Some(Value::String("query: ".into())));
        assert_eq!(text(Rule::Extensions, ".MD, txt"), strings(&["md", "txt"]));
        assert_eq!(text(Rule::Globs, r#"["a,b", "!c/"]"#), strings(&["a,b", "!c/"]));
        assert_eq!(text(Rule::Globs, "[]"), strings(&[]));
        assert_eq!(text(Rule::Globs, "[ab].md"), strings(&["[ab].md"]));
        assert_eq!(text(Rule::Command, " claude  -p "), strings(&["claude", "-p"]));
        assert_eq!(text(Rule::Command, r#"["a b", ""]"#), strings(&["a b", ""]));
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let refused = |rule: Rule, value: &str| assert_eq!(rule.accept_text(value), Err(Refused), "{rule:?} {value}");
        refused(Rule::Integer(1, 10), "0");
        refused(Rule::Integer(1, 10), "1.5");
        refused(Rule::Number(0.0, 1.0), "1.01");
        refused(Rule::Number(0.0, 1.0), "NaN");
        refused(Rule::Number(0.0, 1.0), "inf");
        refused(Rule::Size, "1 B");
        refused(Rule::Size, "2 GiB");
        refused(Rule::Extensions, "md,,txt");
        refused(Rule::Extensions, "../md");
        refused(Rule::Globs, "a{b");
        refused(Rule::Globs, "[1]");
        refused(Rule::Links, "../outside");
        refused(Rule::Links, "a//b");
        refused(Rule::Links, "/");
        refused(Rule::Text, "a\u{1b}[2J");
    }

    #[test]
    fn the_memory_folder_stays_inside_the_vault() {
        assert_eq!(folder("agents/tars/").unwrap(), "agents/tars");
        for outside in ["/tars", "..", "a/../..", "./a", ".obsidian", "a//b", "C:\\a", "a\\b", "/", " "] {
            assert_eq!(folder(outside), None, "{outside}");
        }
    }

    #[test]
    fn host_names_have_no_scheme_or_path() {
        assert_eq!(host("Box.example.net:8746").unwrap(), "box.example.net:8746");
        assert_eq!(origin("https://app.example.net").unwrap(), "https://app.example.net");
        for wrong in ["", "*", "https://a", "a/b", "a b", "a:b", "a:99999", ":80"] {
            assert_eq!((host(wrong), origin(&format!("ftp://{wrong}"))), (None, None), "{wrong}");
        }
        for wrong in ["*", "null", "app.example.net", "https://a/", "https://"] {
            assert_eq!(origin(wrong), None, "{wrong}");
        }
        assert_eq!(text(Rule::Socket, "[::1]:80"), Some(Value::String("[::1]:80".into())));
        assert_eq!((text(Rule::Socket, "localhost:80"), text(Rule::Socket, "127.0.0.1")), (None, None));
    }

    #[test]
    fn addresses_carry_no_credentials() {
        assert_eq!(address("http://localhost:11434/v1/").unwrap(), "http://localhost:11434/v1");
        for wrong in ["localhost", "ftp://a", "https://", "https://me:secret@host/v1", "https://a b"] {
            assert_eq!(address(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn secrets_are_refused_as_variable_names() {
        assert_eq!(variable_name("OPENAI_API_KEY").unwrap(), "OPENAI_API_KEY");
        for secret in ["sk-proj-abc", "hf_abcDEF123", "1ABC"] {
            assert_eq!(variable_name(secret), None, "{secret}");
        }
    }

    #[test]
    fn empty_text_unsets_a_key_except_a_variable_name() {
        let empty = Value::String(String::new());
        assert_eq!(Rule::Folder.accept(&empty), Ok(None));
        assert_eq!(Rule::VariableName.accept(&empty), Ok(Some(empty.clone())));
        assert_eq!(Rule::Integer(0, 1).accept(&empty), Err(Refused));
    }
}

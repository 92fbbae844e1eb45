//! Parses YAML with scalars as written, and the line of each value.
//!
//! YAML would read `1.10` as the number 1.1 and `no` as false, while the author of a note meant the text. Budgets limit
//! hostile input (alias bombs, deep nesting).

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Location, NonFiniteFloatPolicy, Options, Spanned, UserMessageFormatter};

/// Maximum number of values in one document, with aliases expanded.
const MAX_VALUES: usize = 20_000;

/// A value and its first line, from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) value: Value,
    pub(super) line: usize,
}

/// A YAML value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Empty, `~` or `null`.
    Null,
    /// Any scalar, unquoted.
    Scalar(String),
    /// A list.
    Sequence(Vec<Entry>),
    /// Keys and values, in order.
    Mapping(Vec<(String, Entry)>),
}

/// Parses one YAML document. An error is one line that names the position.
pub(super) fn parse(text: &str) -> Result<Value, String> {
    match serde_saphyr::from_str_with_options::<Option<Spanned<Node>>>(text, options()) {
        Ok(Some(node)) => Ok(Source::of(text).entry(node).value),
        Ok(None) => Ok(Value::Null),
        Err(error) => {
            let message = error.render_with_formatter(&UserMessageFormatter);
            Err(message.split_whitespace().collect::<Vec<_>>().join(" "))
        }
    }
}

fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 32,
            max_nodes: MAX_VALUES,
            max_recorded_anchor_events: MAX_VALUES,
            max_documents: 1,
        },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_VALUES },
        strict_booleans: true,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        with_snippet: false,
    }
}

/// A text and the ends of its lines.
struct Source<'t> {
    text: &'t str,
    ends: Vec<usize>,
}

impl<'t> Source<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, ends: text.match_indices('\n').map(|(end, _)| end).collect() }
    }

    fn entry(&self, node: Spanned<Node>) -> Entry {
        let value = match node.value {
            Node::Null => Value::Null,
            Node::Text(text) => Value::Scalar(text),
            Node::Inferred(parsed) => Value::Scalar(match self.written(node.defined).map(str::trim) {
                Some(written) if !written.is_empty() && !written.contains(['\n', '&', '!']) => written.to_owned(),
                _ => parsed,
            }),
            Node::Sequence(nodes) => Value::Sequence(nodes.into_iter().map(|node| self.entry(node)).collect()),
            Node::Mapping(pairs) => {
                Value::Mapping(pairs.into_iter().map(|(key, node)| (key, self.entry(node))).collect())
            }
        };
        Entry { value, line: self.line(node.referenced) }
    }

    fn written(&self, place: Location) -> Option<&'t str> {
        let span = place.span();
        let start = usize::try_from(span.byte_offset()?).ok()?;
        self.text.get(start..start.checked_add(usize::try_from(span.byte_len()?).ok()?)?)
    }

    /// Returns the line of a location, by `\n` only: in YAML, a lone carriage return ends a line too.
    fn line(&self, place: Location) -> usize {
        let start = place.span().byte_offset().and_then(|start| usize::try_from(start).ok());
        match start {
            Some(start) => self.ends.partition_point(|end| *end < start) + 1,
            None => usize::try_from(place.line()).unwrap_or(1).max(1),
        }
    }
}

enum Node {
    Null,
    Text(String),
    /// A parsed number or boolean, whose spelling in the text may differ.
    Inferred(String),
    Sequence(Vec<Spanned<Node>>),
    Mapping(Vec<(String, Spanned<Node>)>),
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_none<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Inferred(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Inferred(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Inferred(value.to_string()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Node, E> {
        Ok(Node::Inferred(value.to_string()))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Node, E> {
        Ok(Node::Inferred(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Inferred(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = sequence.next_element()? {
            nodes.push(node);
        }
        Ok(Node::Sequence(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut mapping: A) -> Result<Node, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = mapping.next_entry()? {
            pairs.push(pair);
        }
        Ok(Node::Mapping(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalars(text: &str) -> Vec<(String, String, usize)> {
        let Ok(Value::Mapping(entries)) = parse(text) else { panic!("no mapping: {:?}", parse(text)) };
        entries
            .into_iter()
            .map(|(key, entry)| match entry.value {
                Value::Scalar(scalar) => (key, scalar, entry.line),
                other => (key, format!("{other:?}"), entry.line),
            })
            .collect()
    }

    #[test]
    fn scalars_are_kept_as_written() {
        let text =
            "---\na: 1.10\nb: no\nc: True\nd: 007 # x\ne: \"0x1F\"\nf: 2023-05-08\ng: 1_000\nh: .inf\n1: x\ntrue: y";
        let written: Vec<_> = scalars(text).into_iter().map(|(_, scalar, _)| scalar).collect();
        assert_eq!(written, ["1.10", "no", "True", "007", "0x1F", "2023-05-08", "1_000", ".inf", "x", "y"]);
    }

    #[test]
    fn aliases_and_anchors_give_the_value() {
        assert_eq!(scalars("a: &x 1.50\nb: *x"), [("a".into(), "1.50".into(), 1), ("b".into(), "1.50".into(), 2)]);
    }

    #[test]
    fn values_know_their_lines() {
        let Ok(Value::Mapping(entries)) = parse("---\r\na:\r\n  - x\r\n  - 2\r\n") else { panic!() };
        let Value::Sequence(items) = &entries[0].1.value else { panic!() };
        assert_eq!(items.iter().map(|item| item.line).collect::<Vec<_>>(), [3, 4]);
    }

    #[test]
    fn a_lone_carriage_return_ends_no_line() {
        // YAML ends a line there, notes do not.
        assert_eq!(
            scalars("a: x\r\r\r\nb: é\nc: 1"),
            [("a".into(), "x".into(), 1), ("b".into(), "é".into(), 2), ("c".into(), "1".into(), 3),]
        );
        assert_eq!(scalars("a: &x é\r\rb: *x"), [("a".into(), "é".into(), 1), ("b".into(), "é".into(), 1)]);
    }

    #[test]
    fn keys_other_than_scalars_are_errors() {
        assert!(parse("? [a, b]\n: c\n").is_err());
        assert!(parse("a: {{x}}\n").is_err());
    }

    #[test]
    fn nothing_is_null() {
        assert_eq!(parse("---\n"), Ok(Value::Null));
        assert_eq!(parse(""), Ok(Value::Null));
        assert_eq!(parse("# c\n"), Ok(Value::Null));
    }
}

//! Targets of links.

use std::borrow::Cow;

use pulldown_cmark::LinkType;

use crate::names::percent_decoded;

/// Returns the target of a link of the given kind and destination, without its fragment; `None` for links within the same
/// note and for embedded data.
pub(super) fn target(kind: LinkType, destination: &str) -> Option<String> {
    if let LinkType::WikiLink { .. } = kind {
        return wiki_target(destination).map(str::to_owned);
    }
    let destination = destination.trim();
    if has_scheme(destination, "data") {
        return None;
    }
    let address = destination.split('#').next().unwrap_or_default();
    let address = if is_absolute(address) { Cow::Borrowed(address) } else { percent_decoded(address) };
    (!address.is_empty()).then(|| address.into_owned())
}

/// Returns the targets of the wikilinks in `text`, in order.
pub(super) fn wiki_targets(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let inner = &rest[rest.find("[[")? + 2..];
            let end = inner.find(['[', ']', '\n']).unwrap_or(inner.len());
            rest = &inner[end..];
            if rest.starts_with("]]")
                && let Some(target) = wiki_target(&inner[..end])
            {
                return Some(target.to_owned());
            }
        }
    })
}

/// Returns the target of a wikilink with the text `inner` between its brackets.
fn wiki_target(inner: &str) -> Option<&str> {
    let target = inner.split(['|', '#']).next().unwrap_or_default();
    // In a table, the bar is written as `\|`.
    let target = target.trim().trim_end_matches('\\').trim_end();
    (!target.is_empty() && !target.contains(['[', ']', '\n'])).then_some(target)
}

fn is_absolute(address: &str) -> bool {
    let scheme = address.split(':').next().unwrap_or_default();
    let is_scheme_character = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let is_scheme = scheme.len() < address.len() && scheme.len() > 1 && scheme.bytes().all(is_scheme_character);
    (is_scheme && scheme.starts_with(|c: char| c.is_ascii_alphabetic())) || address.starts_with("//")
}

fn has_scheme(address: &str, scheme: &str) -> bool {
    address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
        && address[scheme.len()..].starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(destination: &str) -> Option<String> {
        target(LinkType::Inline, destination)
    }

    #[test]
    fn relative_targets_are_decoded_and_lose_their_fragment() {
        assert_eq!(markdown("My%20note.md#part").as_deref(), Some("My note.md"));
        assert_eq!(markdown("../a%23b%E6%97%A5.md").as_deref(), Some("../a#b日.md"));
        assert_eq!(markdown("100%.md").as_deref(), Some("100%.md"));
        assert_eq!(markdown("%ff.md").as_deref(), Some("%ff.md"));
        assert_eq!(markdown("%").as_deref(), Some("%"));
    }

    #[test]
    fn addresses_are_kept_encoded() {
        assert_eq!(markdown("https://a.b/c%20d?e#f").as_deref(), Some("https://a.b/c%20d?e"));
        assert_eq!(markdown("mailto:a@b.c").as_deref(), Some("mailto:a@b.c"));
        assert_eq!(markdown("//a.b/c%20d").as_deref(), Some("//a.b/c%20d"));
        assert_eq!(markdown("a%20b:c.md").as_deref(), Some("a b:c.md"));
    }

    #[test]
    fn data_and_links_within_the_note_have_no_target() {
        assert_eq!(markdown("data:image/png;base64,AAAA"), None);
        assert_eq!(markdown("DATA:x"), None);
        assert_eq!(markdown("#part"), None);
        assert_eq!(markdown(""), None);
        assert_eq!(wiki_target("#part"), None);
        assert_eq!(wiki_target(" | x"), None);
    }

    #[test]
    fn wikilinks_are_found_in_values() {
        let found: Vec<_> = wiki_targets("[[A#h|x]] and [[ b/C ]], [[d]e]] [[f [[G\\|g]] [[").collect();
        assert_eq!(found, ["A", "b/C", "G"]);
    }
}

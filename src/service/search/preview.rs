//! The stage that adds the text of a hit that people see.

use super::Search;
use crate::{GetRequest, Result, Service, UseCase};
use tars_base::domain::{Hit, sanitize};
use tars_text::markdown::{callout_line, without_comments};

/// Lines of the note to read where a hit contains only headings.
const MAX_FOLLOWING: usize = 12;

/// Adds the previews if the request asks for them.
pub(super) fn add(search: &Search<'_, '_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    if search.request.preview {
        for hit in &mut hits {
            hit.preview = Some(preview(search.service, hit));
        }
    }
    Ok(hits)
}

/// Returns the text of a hit from the matching line or sentence on, without the heading that is already shown. If it contains only headings,
/// because the question matched the title of the note, returns the following text of the note instead. A callout's first line names its kind
/// in words, and comes before a matching line within the callout; a footnote and the line that cites it come together.
fn preview(service: &Service<'_>, hit: &Hit) -> String {
    let text = text(service, hit);
    let mut lines: Vec<String> = text.split('\n').map(plain_callout).collect();
    if text.contains("[^") {
        lines = with_footnotes(service, hit, lines);
    }
    if hit.column == 0
        && let Some(callout) = callout_over(&hit.content, hit.line.saturating_sub(hit.start_line))
    {
        lines.insert(0, sanitize(&callout));
    }
    lines.join("\n")
}

/// Returns a line as it is, but the kind and the title of a callout in words.
fn plain_callout(line: &str) -> String {
    callout_line(line).map_or_else(|| line.to_owned(), |callout| format!("{}{}", callout.marks, callout.words()))
}

/// Returns the first line of the innermost callout that holds line `at` of a text and begins above it.
fn callout_over(content: &str, at: usize) -> Option<String> {
    let depth = |line: &str| line.chars().take_while(|c| matches!(c, '>' | ' ')).filter(|c| *c == '>').count();
    let lines: Vec<&str> = content.split('\n').take(at + 1).collect();
    let mut inner = lines.last().map_or(0, |line| depth(line));
    if callout_line(lines.last()?).is_some() {
        return None;
    }
    for line in lines.iter().rev().skip(1) {
        match (depth(line), callout_line(line)) {
            (0, _) => return None,
            (own, Some(_)) if own <= inner => return Some(plain_callout(line)),
            (own, _) => inner = inner.min(own),
        }
    }
    None
}

/// Puts each footnote that lies elsewhere in the note below the line that cites it, and the line that cites a matching footnote before it.
fn with_footnotes(service: &Service<'_>, hit: &Hit, lines: Vec<String>) -> Vec<String> {
    let get = |lines| {
        let request = GetRequest {
            names: vec![hit.path.clone()],
            lines,
            collections: vec![hit.collection.clone()],
            ..GetRequest::default()
        };
        // The note may have changed or disappeared since: then the hit is shown as it is.
        let found = request.run(service).ok()?.notes.into_iter().next()?;
        (found.text.path == hit.path).then_some(found.text)
    };
    if let Some((label, _)) = lines.first().and_then(|line| line.strip_prefix("[^")?.split_once("]:")) {
        let mark = format!("[^{label}]");
        let cites = |line: &&str| line.contains(&mark) && !line.starts_with(&format!("{mark}:"));
        let citing = |text: &str| text.split('\n').find(cites).map(sanitize);
        let citing = citing(&hit.content).or_else(|| citing(&get(None)?.content));
        return citing.into_iter().chain(lines).collect();
    }
    let Some(text) = get(Some((hit.line, hit.end_line))) else { return lines };
    let mut out = Vec::with_capacity(lines.len());
    let mut notes: Vec<String> =
        text.embeds.into_iter().map(|embed| sanitize(&embed.content)).filter(|text| text.starts_with("[^")).collect();
    for line in lines {
        let cited = |note: &String| note.split_once("]:").is_some_and(|(mark, _)| line.contains(&format!("{mark}]")));
        let (below, others) = notes.into_iter().partition(cited);
        notes = others;
        out.push(line);
        out.extend(below);
    }
    out
}

fn text(service: &Service<'_>, hit: &Hit) -> String {
    let content = sanitize(&hit.content);
    let mut own = shown_lines(&content, hit.line.saturating_sub(hit.start_line));
    let sentence = sanitize(&format!("…{}", hit.from_answer().trim_start()));
    if let Some(first) = own.first_mut().filter(|_| hit.column > 0) {
        *first = sentence.split('\n').next().unwrap_or_default();
    }
    let shown = without_title(&own, hit);
    if has_text(shown) {
        return shown.join("\n");
    }
    let last = hit.line.saturating_add(MAX_FOLLOWING);
    let request = GetRequest {
        names: vec![hit.path.clone()],
        lines: Some((hit.line, last)),
        collections: vec![hit.collection.clone()],
        ..GetRequest::default()
    };
    // The note may have changed or disappeared since: then show the headings.
    let following = request.run(service).ok().and_then(|found| found.notes.into_iter().next());
    let following = following.filter(|found| found.text.path == hit.path).map(|found| sanitize(&found.text.content));
    let lines: Vec<&str> = following.as_deref().unwrap_or_default().split('\n').collect();
    match without_title(&lines, hit) {
        text if has_text(text) => text.join("\n"),
        _ => own.join("\n"),
    }
}

/// Returns the lines from the one at `from` on, without comments, unless that line itself is one.
fn shown_lines(content: &str, from: usize) -> Vec<&str> {
    let bare = without_comments(content);
    let lines = || content.split('\n').zip(bare.split('\n')).skip(from);
    let is_comment = |(line, bare): &(&str, &str)| bare.trim().is_empty() && !line.trim().is_empty();
    let is_meant = lines().next().is_some_and(|first| is_comment(&first));
    lines().filter(|line| is_meant || !is_comment(line)).map(|(line, _)| line).collect()
}

/// Returns lines without the leading blank ones and the heading that repeats the hit's heading or title.
fn without_title<'l, 't>(lines: &'l [&'t str], hit: &Hit) -> &'l [&'t str] {
    let blank = lines.iter().take_while(|line| line.trim().is_empty()).count();
    let lines = &lines[blank..];
    let over = hit.heading.rsplit(" > ").next().unwrap_or_default();
    match lines.split_first() {
        Some((first, rest))
            if heading(first).is_some_and(|text| [over, &hit.title].iter().any(|name| is_same(text, name))) =>
        {
            rest
        }
        _ => lines,
    }
}

fn has_text(lines: &[&str]) -> bool {
    lines.iter().any(|line| line.contains(char::is_alphanumeric) && heading(line).is_none())
}

/// Returns the text of a heading.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start().trim_start_matches('#');
    let level = line.trim_start().len() - text.len();
    ((1..=6).contains(&level) && text.starts_with([' ', '\t'])).then(|| text.trim())
}

/// Returns whether two texts have the same letters and digits: a heading is shown without its markup.
fn is_same(one: &str, other: &str) -> bool {
    let letters = |text: &str| -> String { text.chars().filter(|c| c.is_alphanumeric()).collect() };
    let letters_of_one = letters(one);
    !letters_of_one.is_empty() && letters_of_one == letters(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_callout_is_shown_under_its_kind_and_title() {
        let text = "> plain\n\n> [!warning]- Mind the gap\n> wide\n>> [!tip]\n>> ladders\n> more\n\nend\n> quote";
        let over = |at| callout_over(text, at);
        assert_eq!([over(0), over(2), over(4), over(8), over(9), over(99)], [None, None, None, None, None, None]);
        assert_eq!(
            (over(3), over(6)),
            (Some("> warning: Mind the gap".into()), Some("> warning: Mind the gap".into()))
        );
        assert_eq!(over(5), Some(">> tip".into()));
        assert_eq!(plain_callout(">> [!tip]"), ">> tip");
    }

    #[test]
    fn a_templates_comments_are_not_shown_below_a_hit() {
        let content = "- water #home\n%% do not\nedit %%\n\n<!-- v3 -->\nText <!-- x -->";
        assert_eq!(shown_lines(content, 0), ["- water #home", "", "Text <!-- x -->"]);
        assert_eq!(shown_lines(content, 1), ["%% do not", "edit %%", "", "<!-- v3 -->", "Text <!-- x -->"]);
        assert_eq!(shown_lines("a", 3), Vec::<&str>::new());
    }
}

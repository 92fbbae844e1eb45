//! Parses lines of facts that were extracted from a session: `- 10:42 [extracted] We count minutes.` A review changes the tag.

/// Tag of an extracted line until its review.
pub const EXTRACTED: &str = "[extracted]";

/// Review state of an extracted fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewTag {
    Waiting,
    Promoted,
    Dropped,
}

/// Splits a line's text, without its time, into its review tag and the fact; `None` for other text.
pub(crate) fn tagged_fact(said: &str) -> Option<(ReviewTag, &str)> {
    let tags =
        [(EXTRACTED, ReviewTag::Waiting), ("[promoted]", ReviewTag::Promoted), ("[dropped]", ReviewTag::Dropped)];
    tags.into_iter().find_map(|(mark, tag)| Some((tag, said.strip_prefix(mark)?.trim_start())))
}

/// Whether a line of a log is an extracted fact, reviewed or not.
pub(super) fn is_fact_line(line: &str) -> bool {
    let said = line.strip_prefix("- ").and_then(|said| said.split_once(' '));
    said.is_some_and(|(time, said)| is_time(time) && fact_of(said).is_some())
}

/// Returns the text behind the tag of an extracted fact; `None` for other text.
pub(super) fn fact_of(said: &str) -> Option<&str> {
    tagged_fact(said).map(|(_, fact)| fact)
}

/// Whether a line's text, without its time, is unconfirmed: a fact that waits for its review or was dropped in it.
pub(super) fn is_unconfirmed(said: &str) -> bool {
    tagged_fact(said).is_some_and(|(tag, _)| tag != ReviewTag::Promoted)
}

/// Returns the text of a fact that a review dropped, without time and tag; `None` for other lines.
pub(super) fn dropped_fact(line: &str) -> Option<&str> {
    let (time, said) = line.split_once(' ')?;
    tagged_fact(said).filter(|(tag, _)| *tag == ReviewTag::Dropped && is_time(time)).map(|(_, fact)| fact)
}

/// Returns the time of day at the start of a log line, after its marker and checkbox.
pub fn time_of(line: &str) -> Option<&str> {
    let said = line.trim().strip_prefix("- ")?;
    let said = ["[ ] ", "[x] ", "[X] ", "[-] "].iter().find_map(|mark| said.strip_prefix(mark)).unwrap_or(said);
    said.split_once(' ').map(|(time, _)| time).filter(|time| is_time(time))
}

/// Whether a word is a time of day, `10:42`.
pub(super) fn is_time(word: &str) -> bool {
    word.len() == 5
        && word.bytes().enumerate().all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() })
}

/// Returns a line's text without its time of day.
pub(super) fn without_time(text: &str) -> &str {
    text.split_once(char::is_whitespace).filter(|(time, _)| is_time(time)).map_or(text, |(_, said)| said.trim_start())
}

/// Returns a noted line without the request's words behind its dash.
pub fn without_request(line: &str) -> &str {
    line.split_once(" — ").map_or(line, |(said, _)| said).trim_end()
}

//! Parses lines of facts that were extracted from a session: `- 10:42 [extracted] We count minutes.` A review changes the tag.

/// Tag of an extracted line until its review.
pub const EXTRACTED: &str = "[extracted]";

/// Tags of such a line after its review.
const REVIEWED: [&str; 2] = ["[promoted]", "[dropped]"];

/// Whether a line of a log is an extracted fact, reviewed or not.
pub(super) fn is_fact_line(line: &str) -> bool {
    let said = line.strip_prefix("- ").and_then(|said| said.split_once(' '));
    said.is_some_and(|(time, said)| is_time(time) && fact_of(said).is_some())
}

/// Returns the text behind the tag of an extracted fact; `None` for other text.
pub(super) fn fact_of(said: &str) -> Option<&str> {
    [EXTRACTED, REVIEWED[0], REVIEWED[1]].iter().find_map(|tag| said.strip_prefix(tag)).map(str::trim_start)
}

/// Whether a line's text, without its time, is unconfirmed: a fact that waits for its review or was dropped in it.
pub(super) fn is_unconfirmed(said: &str) -> bool {
    said.starts_with(EXTRACTED) || said.starts_with(REVIEWED[1])
}

/// Returns the text of a fact that a review dropped, without time and tag; `None` for other lines.
pub(super) fn dropped_fact(line: &str) -> Option<&str> {
    let (time, said) = line.split_once(' ')?;
    said.strip_prefix(REVIEWED[1]).filter(|_| is_time(time)).map(str::trim_start)
}

/// Returns the time of day at the start of a log line, after its marker and checkbox.
pub fn time_of(line: &str) -> Option<&str> {
    let said = line.trim().strip_prefix("- ")?;
    let said = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| said.strip_prefix(mark)).unwrap_or(said);
    said.split_once(' ').map(|(time, _)| time).filter(|time| is_time(time))
}

/// Whether a word is a time of day, `10:42`.
pub(super) fn is_time(word: &str) -> bool {
    word.len() == 5
        && word.bytes().enumerate().all(|(at, byte)| if at == 2 { byte == b':' } else { byte.is_ascii_digit() })
}

/// Returns a noted line without the request's words behind its dash.
pub fn without_request(line: &str) -> &str {
    line.split_once(" — ").map_or(line, |(said, _)| said).trim_end()
}

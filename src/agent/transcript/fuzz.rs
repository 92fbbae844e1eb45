//! Fuzzes the reading of transcripts.

use std::io::Cursor;

use super::line_reader::{Backwards, Forwards, Line};
use super::*;
use tars_testing::fuzz::fuzz;

/// Maximum line and block length for small inputs.
const SMALL: usize = 64;

/// Both directions give the lines of the file, within the length limit. Every turn has an id and respects its limits.
/// `last_turn` returns the last turn that a full read finds.
#[test]
fn fuzz_transcript() {
    fuzz("transcript", |bytes| {
        lines_are_those_of_the_file(bytes);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        std::fs::write(&path, bytes).unwrap();
        let mut found: Vec<Turn> = Vec::new();
        let read = turns(&path, &mut |turn| {
            found.push(turn);
            ControlFlow::Continue(())
        });
        // A damaged compressed file.
        let Ok(unread) = read else { return };
        // A line of Gemini CLI may hold a whole conversation.
        let is_lines = AgentClient::of_transcript(bytes) != AgentClient::Gemini;
        assert!(!is_lines || found.len() + unread <= bytes.split(|byte| *byte == b'\n').count());
        found.iter().for_each(turn_keeps_its_bounds);
        let last = last_turn(&path).unwrap();
        last.iter().for_each(turn_keeps_its_bounds);
        assert_eq!(last.map(|turn| turn.id), found.last().map(|turn| turn.id.clone()));
        // A shorter `end` may lie at any place of the file.
        let early = last_turn_before(&path, bytes.len() as u64 / 2).unwrap();
        early.iter().for_each(turn_keeps_its_bounds);
    });
}

fn turn_keeps_its_bounds(turn: &Turn) {
    assert!(!turn.id.is_empty());
    // The limits of `turn_builder`, plus blank lines and truncation marks.
    let slack = 64;
    assert!(turn.request.len() <= (32 << 10) + slack, "{} bytes asked", turn.request.len());
    assert!(turn.answer.len() <= (128 << 10) + slack, "{} bytes answered", turn.answer.len());
    assert!(turn.closing.len() <= turn.answer.len().max(slack));
    assert!(turn.tools.len().max(turn.files.len()).max(turn.commands.len()) <= 500);
}

fn lines_are_those_of_the_file(bytes: &[u8]) {
    let mut expected: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let mut forwards = Forwards::with_max_line(bytes, SMALL);
    let mut count = 0;
    while let Some(line) = forwards.next().unwrap() {
        match line {
            Line::Whole(line) | Line::Torn(line) => assert_eq!(line, expected[count]),
            Line::TooLong => assert!(expected[count].len() > SMALL),
        }
        count += 1;
    }
    assert_eq!(count, expected.len() - usize::from(expected.last().is_some_and(|line| line.is_empty())));
    if expected[0].is_empty() {
        expected.remove(0);
    }
    let mut backwards = Backwards::with_block(Cursor::new(bytes), u64::MAX, u64::MAX, SMALL).unwrap();
    while let Some(line) = backwards.next().unwrap() {
        assert_eq!(Some(line.as_slice()), expected.pop());
    }
    assert!(expected.is_empty());
}

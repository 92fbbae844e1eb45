use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::note_rows::Note;
use super::*;
use tars_base::domain::ApproximateTokens;
use tars_text::markdown::indexed_line;

fn small() -> ChunkOptions {
    ChunkOptions { target_tokens: 20, passage_tokens: 16, window_tokens: 30, ..ChunkOptions::default() }
}

fn note(text: &str) -> Note {
    Note::new("folder/File name.md", text, &ApproximateTokens, &small())
}

#[test]
fn every_chunk_contains_title_aliases_and_file_name() {
    let text = format!("---\ntitle: Given\naliases: [Other]\n---\n{}", long_note("zebra", 4));
    let note = note(&text);
    let rows = note.rows("folder/File name.md");
    assert!(rows.len() > 2);
    for row in &rows {
        for word in ["Given", "Other", "File name", "Note about zebra"] {
            assert!(row.fts_title.contains(word), "{word}: {}", row.fts_title);
        }
        assert!(!row.fts_title.contains("folder"));
    }
}

#[test]
fn every_chunk_of_a_chat_contains_the_persons_words_as_they_are_searched() {
    let answer = "the answer says a lot about other things ".repeat(8);
    let text = format!("**You:**\n\nWhy does the pump hum? <!-- tars:session hidden -->\n\n**AI:**\n\n{answer}\n");
    let rows = note(&text).rows("a.md");
    assert!(rows.len() > 1 && rows.iter().all(|row| row.fts_title.contains("pump")));
    assert!(rows.iter().all(|row| !row.fts_title.contains("hidden")));
}

#[test]
fn every_chunk_contains_tags_and_the_first_contains_properties() {
    let text = format!("---\ntags: [work/db]\nstatus: finished\n---\n{}", long_note("zebra", 4));
    let note = note(&text);
    let rows = note.rows("a.md");
    assert!(rows.iter().all(|row| row.fts_meta.contains("work/db")));
    let holding: Vec<bool> = rows.iter().map(|row| row.fts_meta.contains("finished")).collect();
    assert!(holding[0] && holding[1..].iter().all(|holds| !holds));
}

#[test]
fn a_headings_date_applies_only_to_its_section() {
    let section = |heading: &str| format!("{heading}\n\n{}\n", "some words that fill a chunk ".repeat(4));
    let parts = ["# Log", "## 2024-05-06", "### Morning", "## 2024-05-07", "# Else"].map(section);
    let note = note(&parts.concat());
    let rows = note.rows("log.md");
    let dated = |token: &str| -> Vec<&str> {
        rows.iter().filter(|row| row.fts_meta.contains(token)).map(|row| row.heading.as_str()).collect()
    };
    let mut first = dated("xd20240506");
    first.dedup();
    assert_eq!(first, ["Log > 2024-05-06", "Log > 2024-05-06 > Morning"]);
    let mut second = dated("xd20240507");
    second.dedup();
    assert_eq!(second, ["Log > 2024-05-07"]);
}

#[test]
fn private_notes_have_no_rows() {
    let note = note("---\ntars: private\n---\nText.\n");
    assert!(note.document.private && note.rows("a.md").is_empty());
}

/// Fragments of markdown that combine into arbitrary notes.
fn markdown() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "\n",
        "\n\n",
        "\r\n",
        "# Head\n",
        "## Sub\n",
        "### 2024-05-06\n",
        "- item\n",
        "  - nested\n",
        "1. one\n",
        "```rust\n",
        "```\n",
        "~~~\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "> quote\n",
        "---\n",
        "***\n",
        "words of a sentence. ",
        "Ein längerer Absatz mit Umlauten.\n",
        "日本語の文章です。",
        "<!-- comment -->\n",
        "<div>\n",
        "%%hidden%%\n",
        "[[Link|shown]] ",
        "![[image.png]]\n",
        "    indented\n",
        "\t",
        "#tag ",
        "$x$ ",
        "a-very-long-word-without-any-blank-that-goes-on-and-on-and-on ",
        "===\n",
        "\u{0}",
        "👩‍👧",
    ];
    (any::<bool>(), vec(select(PIECES).prop_map(str::to_owned), 0..40)).prop_map(|(front_matter, parts)| {
        let text = parts.concat();
        if front_matter { format!("---\nstatus: done\ntags: [a]\n---\n{text}") } else { text }
    })
}

proptest! {
    #[test]
    fn chunks_cover_the_whole_note(text in markdown()) {
        // Without the prefix, which repeats some of the text.
        let options = ChunkOptions { context_prefix: false, ..small() };
        let note = Note::new("a.md", &text, &ApproximateTokens, &options);
        let rows = note.rows("a.md");
        prop_assert_eq!(rows.len(), note.chunks.len());
        let document = &note.document;
        let last = document.line_count();
        let says = |number: usize| document.line(number).is_some_and(|line| !indexed_line(line).trim().is_empty());
        let mut body = document.body_line..=last;
        let has_body = body.any(|n| document.line(n).is_some_and(|l| !l.trim().is_empty()));
        if !has_body && document.front_matter_error.is_none() {
            prop_assert_eq!(note.chunks.len(), 1, "a bare title");
            let only = &note.chunks[0];
            prop_assert_eq!((only.start_line, only.end_line, only.content.as_str()), (1, last.max(1), ""));
            return Ok(());
        }
        let first = if has_body { document.body_line } else { 1 };
        prop_assert_eq!(note.chunks.is_empty(), !(first..=last).any(says));
        if let (Some(head), Some(tail)) = (note.chunks.first(), note.chunks.last()) {
            prop_assert_eq!((head.start_line, tail.end_line), (first, last));
        }
        for pair in note.chunks.windows(2) {
            let [start, next] = [&pair[0], &pair[1]].map(|chunk| (chunk.start_line, chunk.start_column));
            prop_assert!(start < next && pair[0].end_line <= pair[1].end_line);
            prop_assert!(pair[1].start_line <= pair[0].end_line + 1);
        }
        let squeeze = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let mut embedded = String::new();
        for chunk in &note.chunks {
            let lines = document.lines(chunk.start_line, chunk.end_line);
            let is_whole = chunk.start_column == 0 && chunk.end_column.is_none();
            let is_of_lines = if is_whole { chunk.content == lines } else { lines.contains(&chunk.content) };
            prop_assert!(is_of_lines);
            prop_assert!((chunk.start_line..=chunk.end_line).any(says), "a chunk is empty");
            embedded.extend(chunk.passages.iter().map(|passage| passage.text.as_str()));
            prop_assert!(chunk.passages.iter().all(|passage| ApproximateTokens.count(&passage.text) <= 30));
        }
        // Overlapping text is embedded only in the earlier chunk.
        let indexed: String = (first..=last)
            .filter_map(|number| document.line(number))
            .map(|line| indexed_line(line).into_owned())
            .collect();
        prop_assert_eq!(squeeze(&embedded), squeeze(&indexed));
    }
}

#[test]
fn each_fact_is_a_passage_with_only_informative_headings() {
    let facts = "## Facts\n- The key hangs behind the meter\n  since winter\n  - in the hall\n- Rent is due on the third\n\n\
                 ## Kitchen\nHow it is used.\n- Flour is weighed\n";
    let passages = |path: &str, facts: bool, text: &str| -> Vec<(usize, String)> {
        let options = ChunkOptions { facts, ..ChunkOptions::default() };
        let note = Note::new(path, text, &ApproximateTokens, &options);
        note.chunks.into_iter().flat_map(|chunk| chunk.passages).map(|passage| (passage.line, passage.text)).collect()
    };
    let memory = format!("# Memory\n\n{facts}");
    let found = passages("tars/Memory.md", true, &memory);
    let texts: Vec<(usize, &str)> = found.iter().map(|(line, text)| (*line, text.as_str())).collect();
    assert_eq!(
        texts,
        [
            (4, "- The key hangs behind the meter\n  since winter\n  - in the hall"),
            (7, "- Rent is due on the third"),
            (9, "Kitchen\n## Kitchen\nHow it is used."),
            (11, "Kitchen\n- Flour is weighed"),
        ]
    );
    assert_eq!(passages("tars/Memory.md", false, &memory).len(), 1);
    // Lists in the style of editors: blank lines between items, other markers. A line after a rule is no heading.
    let loose = "# Memory\n\n## Facts\n\n- One\n\n* Two\n\n1. Three\n\n---\nFour\n\n## Facts\n\n- Five\n";
    let texts: Vec<String> = passages("tars/Memory.md", true, loose).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["- One", "* Two", "1. Three\n\n---", "Four", "- Five"]);
    assert_eq!(passages("tars/projects/Pump.md", true, facts)[1].1, "Pump\n- Rent is due on the third");
}

#[test]
fn nothing_of_opaque_data_is_indexed_and_lines_keep_their_numbers() {
    // Random text: a linear congruential generator over the alphabet of base64.
    let mut state = 7u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[(state >> 26) as usize])
    };
    let data: Vec<String> = (0..40).map(|_| (0..76).map(|_| letter()).collect()).collect();
    let text = format!("# Photo\n\nThe harbour at night.\n\n```\n{}\n```\n\nTaken in June.\n", data.join("\n"));
    let note = Note::new("photo.md", &text, &ApproximateTokens, &ChunkOptions::default());
    assert_eq!(note.document.opaque, [5..=46]);
    let rows = note.rows("photo.md");
    let places: Vec<_> = rows.iter().map(|row| (row.start_line, row.end_line)).collect();
    assert_eq!(places, [(1, 4), (47, 48)]);
    let everything = format!("{rows:?}{:?}", note.chunks);
    assert!(data.iter().all(|line| !everything.contains(&line[..20])));
    assert!(rows[1].content.as_str().contains("Taken in June."));
    assert!(note.document.opaque_bytes() > 40 * 76);
}

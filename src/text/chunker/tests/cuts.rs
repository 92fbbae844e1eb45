use super::*;

#[test]
fn a_note_without_text_has_no_chunks() {
    assert!(cut(&Document::default(), &small()).is_empty());
    assert!(cut(&note(0, &[Piece::Blank(7)], "\n"), &small()).is_empty());
    let mut blanks = note(0, &[Piece::Paragraph(vec!["  \t ".into(), "\u{a0}".into()])], "\r\n");
    assert!(cut(&blanks, &small()).is_empty());
    blanks.private = true;
    assert!(cut(&blanks, &small()).is_empty());
}

#[test]
fn a_note_of_front_matter_alone_is_one_chunk() {
    let document = note(3, &[], "\n");
    let chunks = cut(&document, &small());
    assert_eq!(spans(&chunks), [(1, 3)]);
    assert_eq!(chunks[0].content, "key0: value\nkey1: value\nkey2: value");
    assert_eq!(chunks[0].passages.len(), 1);
    assert_eq!(spans(&cut(&note(3, &[Piece::Blank(4)], "\n"), &small())), [(1, 7)]);
}

#[test]
fn front_matter_is_left_out_if_there_is_a_body() {
    let document = note(3, &[Piece::Blank(1), heading(1, "Head"), Piece::Paragraph(vec!["text".into()])], "\n");
    let chunks = cut(&document, &small());
    assert_eq!(spans(&chunks), [(4, 6)]);
    assert_eq!(chunks[0].headings, ["Head"]);
    assert_eq!(chunks[0].content, document.lines(4, 6));
}

#[test]
fn sections_of_the_target_size_are_cut_at_their_headings() {
    let mut pieces = Vec::new();
    for number in 0..6 {
        pieces.extend([heading(2, &format!("Section {number}")), Piece::Blank(1)]);
        // The blank line after the first paragraph is nearer to the target than the next heading.
        pieces.extend(paragraph("one", 7 + number % 3));
        pieces.extend(paragraph("two", 3));
    }
    let document = note(0, &pieces, "\n");
    let options = ChunkOptions { overlap: 0.1, ..small() };
    let chunks = cut(&document, &options);
    let starts: Vec<usize> = chunks.iter().map(|chunk| chunk.start_line).collect();
    let headings: Vec<usize> = document.headings.iter().map(|heading| heading.line).collect();
    assert_eq!(starts, headings);
    let paths: Vec<String> = chunks.iter().map(Chunk::heading).collect();
    assert_eq!(paths[..2], ["Section 0", "Section 1"]);
}

#[test]
fn among_equal_distances_the_higher_heading_wins() {
    let mut pieces = vec![heading(1, "One")];
    pieces.extend(paragraph("a", 8));
    pieces.push(heading(3, "Three"));
    pieces.extend(paragraph("b", 3));
    pieces.push(heading(2, "Two"));
    pieces.extend(paragraph("c", 12));
    let document = note(0, &pieces, "\n");
    let chunks = cut(&document, &small());
    assert_eq!(chunks[1].start_line, document.headings[2].line);
    assert_eq!(chunks[1].headings, ["One", "Two"]);
}

#[test]
fn running_text_is_cut_near_the_target() {
    let pieces: Vec<Piece> = (0..40).flat_map(|number| paragraph(&format!("p{number}"), 1 + number % 4)).collect();
    let document = note(0, &pieces, "\n");
    for overlap in [0.0, 0.1, 0.5] {
        let chunks = cut(&document, &ChunkOptions { overlap, ..small() });
        let sizes: Vec<usize> = chunks.iter().map(|chunk| tokens(&chunk.content)).collect();
        assert!(sizes[..sizes.len() - 1].iter().all(|size| (51..150).contains(size)), "{overlap}: {sizes:?}");
        for chunk in &chunks[1..] {
            let before = document.line(chunk.start_line - 1).unwrap();
            assert!(overlap > 0.0 || before.is_empty(), "paragraphs stay whole");
            assert!(!document.line(chunk.start_line).unwrap().is_empty(), "no chunk begins with a blank line");
        }
    }
}

#[test]
fn the_overlap_keeps_its_share_and_does_not_cross_sections() {
    let document = note(0, &[Piece::Paragraph(ten_token_lines("line", 30))], "\n");
    let chunks = cut(&document, &ChunkOptions { overlap: 0.2, ..small() });
    assert!(chunks.len() > 2);
    for pair in chunks.windows(2) {
        assert_eq!(pair[0].end_line + 1 - pair[1].start_line, 2, "{:?}", spans(&chunks));
    }
    let mut pieces = Vec::new();
    for number in 0..3 {
        pieces.push(heading(1, &number.to_string()));
        pieces.extend(paragraph("text", 10));
    }
    let chunks = cut(&note(0, &pieces, "\n"), &ChunkOptions { overlap: 0.5, ..small() });
    assert!(chunks.windows(2).all(|pair| pair[0].end_line < pair[1].start_line), "{:?}", spans(&chunks));
}

#[test]
fn a_fence_below_the_hard_limit_stays_whole() {
    for (before, inside, after) in [(1, 17, 10), (4, 13, 20), (4, 14, 2), (9, 17, 0), (0, 18, 18), (5, 15, 30)] {
        let mut pieces = vec![Piece::Paragraph(ten_token_lines("before", before))];
        pieces.push(Piece::Fence(ten_token_lines("code", inside)));
        pieces.push(Piece::Paragraph(ten_token_lines("after", after)));
        let document = note(0, &pieces, "\n");
        let fence = document.blocks[0];
        for overlap in [0.0, 0.3] {
            let chunks = cut(&document, &ChunkOptions { overlap, ..small() });
            let whole = chunks.iter().any(|c| c.start_line <= fence.start_line && fence.end_line <= c.end_line);
            assert!(whole, "{before} {inside} {after} {overlap}: {:?} {fence:?}", spans(&chunks));
        }
    }
}

#[test]
fn a_fence_beyond_the_hard_limit_is_cut() {
    let document = note(0, &[Piece::Fence(ten_token_lines("code", 60))], "\n");
    let chunks = cut(&document, &small());
    assert!(chunks.len() > 3 && chunks.iter().all(|chunk| tokens(&chunk.content) <= 200), "{:?}", spans(&chunks));
}

#[test]
fn an_overlap_before_a_long_line_is_not_a_separate_chunk() {
    let mut lines = ten_token_lines("short", 9);
    lines.push("long ".repeat(300));
    let document = note(0, &[Piece::Paragraph(lines)], "\n");
    let chunks = cut(&document, &ChunkOptions { overlap: 0.3, ..small() });
    assert_eq!(spans(&chunks)[..2], [(1, 9), (7, 10)], "{:?}", spans(&chunks));
    assert!(spans(&chunks)[2..].iter().all(|span| *span == (10, 10)), "{:?}", spans(&chunks));
}

#[test]
fn blank_lines_around_a_long_line_are_not_separate_chunks() {
    let long = || Piece::Paragraph(vec!["long ".repeat(300)]);
    let pieces = [Piece::Blank(2), long(), Piece::Blank(2), long(), Piece::Blank(3)];
    let document = note(2, &pieces, "\n");
    let chunks = cut(&document, &small());
    assert!(chunks.iter().all(|chunk| !chunk.passages.is_empty() && chunk.content.contains("long")));
    assert_eq!((begin(&chunks[0]), end(chunks.last().unwrap())), ((3, 0), (document.line_count(), usize::MAX)));
}

#[test]
fn a_short_remainder_joins_the_last_chunk() {
    let document = note(0, &[Piece::Paragraph(ten_token_lines("line", 12))], "\n");
    assert_eq!(cut(&document, &small()).len(), 1);
}

#[test]
fn the_fingerprint_depends_on_options_and_counter() {
    struct Other;
    impl CountTokens for Other {
        fn count(&self, text: &str) -> usize {
            text.len()
        }
        fn name(&self) -> String {
            "other".into()
        }
    }
    let base = small();
    let changed = [
        ChunkOptions { target_tokens: 101, ..base.clone() },
        ChunkOptions { passage_tokens: 51, ..base.clone() },
        ChunkOptions { window_tokens: 65, ..base.clone() },
        ChunkOptions { overlap: 0.2, ..base.clone() },
        ChunkOptions { context_prefix: false, ..base.clone() },
    ];
    let mut names: Vec<String> = changed.iter().map(|options| options.fingerprint(&ApproximateTokens)).collect();
    names.extend([base.fingerprint(&ApproximateTokens), base.fingerprint(&Other)]);
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 7);
}

#[test]
fn a_transcript_on_one_line_is_cut_at_its_sentences() {
    let said = |number: usize| format!("Speaker {number} tells the others about the harbour and the boats in it. ");
    let line: String = (0..60).map(said).collect();
    let document = note(0, &[heading(1, "Talk"), Piece::Paragraph(vec!["before".into(), line, "behind".into()])], "\n");
    let chunks = cut(&document, &small());
    assert!(chunks.len() > 8, "{:?}", spans(&chunks));
    for chunk in &chunks {
        assert!(tokens(&chunk.content) <= 200 && chunk.headings == ["Talk"], "{chunk:?}");
    }
    for chunk in &chunks[1..] {
        assert!(chunk.content.trim_start().starts_with("Speaker"), "{chunk:?}");
    }
    assert!(chunks[0].content.starts_with("# Talk\nbefore\nSpeaker 0") && chunks[0].end_column.is_some());
    let last = chunks.last().unwrap();
    assert!(last.content.ends_with("\nbehind") && last.end_column.is_none() && last.start_column > 0);
    let sections: usize = chunks.iter().map(|chunk| chunk.sections.len()).sum();
    assert_eq!(sections, 1, "a section begins once");
}

#[test]
fn links_and_pictures_in_a_long_line_stay_whole() {
    let links: String =
        (0..80).map(|n| format!("see [the page of {n}](https://example.org/a/{n}) and [[Note of {n}|it]] ")).collect();
    let data = format!("![x](data:image/png;base64,{}) ", "QUJD".repeat(2000));
    let document = note(0, &[Piece::Paragraph(vec![format!("{links}{data}{links}")])], "\n");
    let indexed = |line: &str| crate::markdown::indexed_line(line).into_owned();
    let chunks = chunk(&document, &indexed, &ApproximateTokens, &small());
    assert!(chunks.len() > 10);
    for chunk in &chunks {
        let count = |mark: &str| chunk.content.matches(mark).count();
        assert_eq!((count("[["), count("](")), (count("]]"), count(")")), "{}", chunk.content);
    }
    assert_eq!(chunks.iter().filter(|chunk| chunk.content.contains(data.trim())).count(), 1);
    assert!(chunks.iter().flat_map(|chunk| &chunk.passages).all(|passage| !passage.text.contains("QUJD")));
}

use super::*;

/// Returns the passages of a chunk without their first lines, which hold the prefix.
fn bodies(chunk: &Chunk) -> String {
    chunk.passages.iter().map(|passage| passage.text.split_once('\n').unwrap().1).collect()
}

#[test]
fn a_passage_begins_with_title_and_headings_of_its_first_line() {
    let mut pieces = vec![heading(1, "Outer")];
    pieces.extend(paragraph("one", 4));
    pieces.push(heading(2, "Inner"));
    pieces.extend(paragraph("two", 4));
    let chunks = cut(&note(0, &pieces, "\n"), &small());
    assert_eq!(chunks.len(), 1);
    let prefixes: Vec<&str> = chunks[0].passages.iter().map(|passage| passage.text.lines().next().unwrap()).collect();
    assert_eq!(prefixes.first(), Some(&"Title > Outer"));
    assert_eq!(prefixes.last(), Some(&"Title > Outer > Inner"));
}

#[test]
fn a_title_equal_to_the_first_heading_occurs_once() {
    let mut document = note(0, &[heading(1, "Head"), Piece::Paragraph(vec!["text".into()])], "\n");
    document.title = "Head".into();
    document.title_source = TitleSource::Heading;
    let chunks = cut(&document, &small());
    assert_eq!(chunks[0].passages[0].text, "Head\n# Head\ntext");
}

#[test]
fn without_prefix_a_passage_is_only_its_text() {
    let document = note(0, &[Piece::Paragraph(vec!["text".into()])], "\n");
    let chunks = cut(&document, &ChunkOptions { context_prefix: false, ..small() });
    assert_eq!(chunks[0].passages[0].text, "text");
    assert_eq!(chunks[0].passages[0].hash, TextHash::of("text"));
}

#[test]
fn long_titles_and_headings_leave_room_for_the_text() {
    let long = "heading of many words ".repeat(20);
    let mut pieces: Vec<Piece> = (1..=6).map(|level| heading(level, &long)).collect();
    pieces.extend(paragraph("text", 12));
    let mut document = note(0, &pieces, "\n");
    let options = small();
    for title in ["short", &long] {
        document.title = title.into();
        for passage in cut(&document, &options).iter().flat_map(|chunk| &chunk.passages) {
            assert!(tokens(&passage.text) <= options.window_tokens);
        }
    }
    document.title = "short".into();
    document.headings.iter_mut().for_each(|heading| heading.text = format!("h{}", heading.level));
    let last = cut(&document, &options).pop().unwrap().passages.pop().unwrap();
    assert!(last.text.starts_with("short > h1 > h2 > h3 > h4 > h5 > h6\n"), "{}", last.text);
    document.headings.iter_mut().for_each(|heading| heading.text = format!("heading {}", heading.level));
    let last = cut(&document, &options).pop().unwrap().passages.pop().unwrap();
    let prefix = last.text.lines().next().unwrap();
    assert!(prefix.starts_with("short > ") && prefix.ends_with(" > heading 6"), "{prefix}");
    assert!(tokens(prefix) <= options.window_tokens / 4);
}

#[test]
fn passages_hold_the_indexed_text_and_chunks_the_original() {
    let document = note(0, &[Piece::Paragraph(vec!["**bold** text".into(), "%%hidden%%".into()])], "\n");
    let indexed = |line: &str| if line.starts_with("%%") { String::new() } else { line.replace("**", "") };
    let chunks = chunk(&document, &indexed, &ApproximateTokens, &small());
    assert_eq!(chunks[0].content, "**bold** text\n%%hidden%%");
    assert_eq!(chunks[0].passages[0].text, "Title\nbold text");
}

#[test]
fn a_rename_keeps_the_lineage_and_changes_the_hash() {
    let mut pieces = vec![heading(2, "Section")];
    pieces.extend(paragraph("text", 20));
    let mut document = note(0, &pieces, "\n");
    let passages = |document: &Document| -> Vec<Passage> {
        cut(document, &small()).into_iter().flat_map(|chunk| chunk.passages).collect()
    };
    let before = passages(&document);
    document.title = "Other".into();
    let after = passages(&document);
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(old.lineage, new.lineage);
        assert_ne!(old.hash, new.hash);
        assert_eq!(new.hash, TextHash::of(&new.text));
    }
    // A title that the author wrote is part of the text.
    document.title_source = TitleSource::FrontMatter;
    assert!(passages(&document).iter().zip(&after).all(|(left, right)| left.lineage != right.lineage));
}

#[test]
fn sentences_that_fit_are_not_cut() {
    let sentence = "This sentence has just about fifteen approximate tokens in it. ";
    let document = note(0, &[Piece::Paragraph(vec![sentence.repeat(20)])], "\n");
    for chunk in cut(&document, &small()) {
        for passage in &chunk.passages {
            assert!(passage.text.ends_with('.'), "{}", passage.text);
        }
    }
}

#[test]
fn a_line_of_a_megabyte_is_cut_into_passages() {
    let options = ChunkOptions::default();
    for unit in ["word and more. ", "x", "水は", "\u{301}"] {
        let line = unit.repeat((1 << 20) / unit.len());
        let document = note(0, &[Piece::Paragraph(vec![line.clone()])], "\n");
        let chunks = cut(&document, &options);
        let passages = || chunks.iter().flat_map(|chunk| &chunk.passages);
        assert!(chunks.iter().all(|chunk| tokens(&chunk.content) <= 2 * options.target_tokens));
        assert!(passages().all(|passage| tokens(&passage.text) <= options.window_tokens));
        let embedded: String = chunks.iter().map(bodies).collect();
        assert!(without_blanks(&embedded) == without_blanks(&line), "text of {unit} was lost");
    }
}

#[test]
fn an_inserted_paragraph_changes_few_passages() {
    let paragraphs = |extra: Option<usize>| {
        let mut pieces = Vec::new();
        for number in 0..120 {
            if extra == Some(number) {
                pieces.extend([Piece::Paragraph(vec!["An afterthought, put in later.".into()]), Piece::Blank(1)]);
            }
            let words = ["garden", "storage", "bread", "train", "winter"][number % 5];
            let text = format!("Paragraph {number} speaks of {words} ").repeat(2 + number * 7 % 5);
            pieces.extend([Piece::Paragraph(vec![text]), Piece::Blank(1)]);
        }
        let chunks = cut(&note(0, &pieces, "\n"), &ChunkOptions::default());
        let hashes = chunks.iter().flat_map(|chunk| &chunk.passages).map(|passage| passage.hash);
        hashes.collect::<std::collections::HashSet<_>>()
    };
    let before = paragraphs(None);
    let changed: Vec<usize> =
        (0..120).step_by(7).map(|place| paragraphs(Some(place)).difference(&before).count()).collect();
    assert!(changed.iter().all(|count| *count <= 6), "{changed:?}");
    assert!(changed.iter().sum::<usize>() <= 2 * changed.len() + changed.len() / 2, "{changed:?}");
}

#[test]
fn a_passage_has_the_callout_over_it_and_the_footnotes_that_it_cites() {
    let (quoted, rest) = (ten_token_lines("gap", 12).join("\n> "), ten_token_lines("rest", 12).join("\n"));
    let source = format!(
        "> [!warning]- Mind the gap\n> {quoted}\n\nBuilt in 1932.[^src]\n\n## Notes\n\n{rest}\n\n[^src]: Harbour chronicle.\n"
    );
    let chunks = cut(&crate::markdown::parse("Title.md", &source), &small());
    let passages: Vec<&str> =
        chunks.iter().flat_map(|chunk| &chunk.passages).map(|passage| passage.text.as_str()).collect();
    let over = "Title > warning: Mind the gap\n";
    assert!(passages.iter().any(|text| text.starts_with(over) && text.contains("> gap 5")), "{passages:#?}");
    assert!(!passages.iter().any(|text| text.starts_with(over) && text.contains("rest")), "{passages:#?}");
    let cites = |text: &&str| text.contains("1932") && text.ends_with("\nHarbour chronicle.");
    assert!(passages.iter().any(cites), "{passages:#?}");
}

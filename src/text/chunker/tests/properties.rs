use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z]{1,9}( [a-z]{1,9}){0,8}\\.?",
        2 => "[ぁ-ん一-龠。]{1,30}",
        1 => "\\PC{1,40}",
        1 => "[a-z]{200,400}",
        1 => "([a-z]{3,7}[.,;]? ){60,120}",
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        2 => (1..=6u8, "[A-Za-z]{1,8}( [a-z]{1,8}){0,3}").prop_map(|(level, text)| Piece::Heading(level, text)),
        4 => vec(line(), 1..6).prop_map(Piece::Paragraph),
        1 => vec(line(), 0..12).prop_map(Piece::Fence),
        1 => vec("[a-z ]{0,20}", 0..12).prop_map(Piece::Table),
        2 => vec(line(), 1..8).prop_map(Piece::List),
        1 => Just(Piece::Rule),
        4 => (1..4usize).prop_map(Piece::Blank),
    ]
}

fn document() -> impl Strategy<Value = Document> {
    (0..4usize, vec(piece(), 0..30), prop_oneof![Just("\n"), Just("\r\n")])
        .prop_map(|(front_matter, pieces, line_end)| note(front_matter, &pieces, line_end))
}

fn options() -> impl Strategy<Value = ChunkOptions> {
    (10..120usize, 5..80usize, 24..90usize, 0..=5u8, any::<[bool; 2]>()).prop_map(
        |(target_tokens, passage_tokens, window_tokens, tenths, [context_prefix, facts])| ChunkOptions {
            target_tokens,
            passage_tokens,
            window_tokens,
            overlap: f64::from(tenths) / 10.0,
            context_prefix,
            facts,
        },
    )
}

/// Returns the first searched line: that of the body, or 1 if the body is blank.
fn first_line(document: &Document) -> usize {
    let says = |number: usize| document.line(number).is_some_and(|line| !line.trim().is_empty());
    if (document.body_line..=document.line_count()).any(says) { document.body_line } else { 1 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn chunks_cover_every_line_in_order(document in document(), options in options()) {
        let chunks = cut(&document, &options);
        let last = document.line_count();
        let says = |first, last| !document.lines(first, last).trim().is_empty();
        prop_assert_eq!(chunks.is_empty(), !says(1, last));
        if let (Some(head), Some(tail)) = (chunks.first(), chunks.last()) {
            prop_assert_eq!((head.start_line, tail.end_line), (first_line(&document), last));
        }
        for chunk in &chunks {
            prop_assert!(chunk.start_line <= chunk.end_line);
            prop_assert_eq!(&chunk.content, &text_between(&document, begin(chunk), end(chunk)));
            prop_assert!(says(chunk.start_line, chunk.end_line), "{:?} says nothing", (chunk.start_line, chunk.end_line));
            let head = (chunk.start_line..).find(|number| says(*number, *number)).unwrap();
            prop_assert_eq!(&chunk.headings, &document.heading_path(head));
        }
        for pair in chunks.windows(2) {
            prop_assert!(begin(&pair[0]) < begin(&pair[1]));
            prop_assert!(begin(&pair[1]) <= behind(&pair[0]), "text between chunks is lost");
            prop_assert!(end(&pair[0]) < end(&pair[1]), "a chunk adds nothing new");
            if options.overlap == 0.0 {
                prop_assert_eq!(begin(&pair[1]), behind(&pair[0]));
            }
        }
        prop_assert_eq!(chunks, cut(&document, &options));
    }

    #[test]
    fn passages_fit_the_window_and_hold_the_whole_text(document in document(), options in options()) {
        for passage in cut(&document, &options).iter().flat_map(|chunk| &chunk.passages) {
            prop_assert!(tokens(&passage.text) <= options.window_tokens, "{}", passage.text);
        }
        // Headings over facts are only embedded as prefixes.
        let options = ChunkOptions { facts: false, ..options };
        let mut embedded = String::new();
        for chunk in cut(&document, &options) {
            for passage in &chunk.passages {
                prop_assert_eq!(passage.hash, TextHash::of(&passage.text));
                // The title is shorter than its share of the window, so every prefix has it.
                let body = match options.context_prefix {
                    true => passage.text.split_once('\n').map(|(_, body)| body),
                    false => Some(passage.text.as_str()),
                };
                embedded.push_str(body.unwrap_or_default());
            }
        }
        // Repeated lines are embedded with the previous chunk.
        let text = document.lines(first_line(&document), document.line_count());
        prop_assert_eq!(without_blanks(&embedded), without_blanks(text));
    }

    #[test]
    fn blocks_below_the_hard_limit_are_not_cut(document in document(), options in options()) {
        let chunks = cut(&document, &options);
        for block in document.blocks.iter().filter(|block| matches!(block.kind, BlockKind::Code | BlockKind::Table)) {
            let size: usize = (block.start_line..=block.end_line).map(|n| tokens(document.line(n).unwrap())).sum();
            if size > 2 * options.target_tokens {
                continue;
            }
            let whole = |chunk: &Chunk| begin(chunk) <= (block.start_line, 0) && (block.end_line, usize::MAX) <= end(chunk);
            prop_assert!(chunks.iter().any(whole), "{block:?} of {size} tokens: {:?}", spans(&chunks));
            // An overlap does not begin inside a block either.
            prop_assert!(chunks.iter().all(|c| c.start_line <= block.start_line || block.end_line < c.start_line));
        }
    }
}

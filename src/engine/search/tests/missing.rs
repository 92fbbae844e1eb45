//! Notes without vectors among notes with vectors.

use super::*;

/// Notes with vectors, and one without.
fn fixture(new: &str) -> Fixture {
    let mut fixture = Fixture::new(&[
        ("garden.md", "# Garden\n\nApples and pears grow beside the shed.\n"),
        ("walk.md", "# Walk\n\nA walk in the morning before the work.\n"),
        ("desk.md", "# Desk\n\nThe lamp on the desk is broken again.\n"),
    ]);
    fixture.put_words("new.md", new);
    fixture
}

#[test]
fn a_new_note_with_the_word_is_not_below_one_with_only_a_vector() {
    let fixture = fixture("# Visitor\n\nA hedgehog sleeps under the leaves.\n");
    for fusion in [Fusion::Adaptive, Fusion::Convex, Fusion::Rrf] {
        let mut options = search_options();
        options.fusion.fusion = fusion;
        for text in ["hedgehog", "where does the hedgehog sleep"] {
            let semantics = VectorSearch::Model(&fixture.embedder);
            let answer = search(&*fixture.reader(), semantics, &query(text), &options).unwrap();
            assert_eq!(answer.hits[0].path, "new.md", "{text} {fusion:?}");
            assert!(answer.hits[0].score > 0.6, "{text} {fusion:?} {}", answer.hits[0].score);
            assert_eq!(answer.degraded.as_deref(), Some("1 of 4 passages are not embedded yet: run 'tars index'"));
        }
    }
}

#[test]
fn a_hit_without_a_vector_does_not_claim_to_be_found_by_meaning() {
    let fixture = fixture("# Visitor\n\nA hedgehog sleeps under the leaves.\n");
    let answer = fixture.ask(&Query { explain: true, ..query("hedgehog") });
    let explanation = answer.hits[0].explanation.as_ref().unwrap();
    assert_eq!(answer.hits[0].matched_by, [tars_base::domain::Retriever::Keyword]);
    assert_eq!(explanation.similarity, None);
    assert!(explanation.meaning > 0.0, "an estimate stands in its place: {explanation:?}");
}

#[test]
fn a_chunk_with_one_embedded_passage_is_judged_as_a_whole() {
    let mut fixture = fixture("# Other\n\nNothing of interest.\n");
    fixture.options = ChunkOptions { target_tokens: 90, ..fixture.options };
    let filling = "The first paragraph tells of things that nobody asks for and that are of no use to anyone here.";
    let chunks =
        fixture.put_words("long.md", &format!("# Visitor\n\n{filling}\n\nA hedgehog sleeps under the leaves.\n"));
    let file = fixture.file("long.md");
    let pending = fixture.reader().pending_passages(file, PendingSelection::All).unwrap();
    assert!(chunks.len() == 1 && pending.len() > 1, "one chunk of several passages");
    fixture.embed("long.md", &chunks, 1);
    assert_eq!(paths(&fixture.ask(&query("hedgehog")).hits)[0], "long.md");
}

//! Ties must not depend on the order of indexing.

use super::*;

/// More notes with the same words than there are candidates.
fn fixture(numbers: impl Iterator<Item = usize>) -> Fixture {
    let mut fixture = Fixture::new(&[]);
    for number in numbers {
        fixture.put(
            &format!("day/{number:03}.md"),
            "# Day\n\nThe walrus has tusks.\n\n## Evening\n\nThe walrus sleeps.\n",
        );
    }
    fixture
}

#[test]
fn equal_notes_are_ordered_by_path_whatever_the_indexing_order() {
    let ways = [fixture(0..90), fixture((0..90).rev()), fixture((0..90).map(|n| n * 37 % 90))];
    for mode in [Mode::Hybrid, Mode::Keyword, Mode::Vector] {
        for text in ["walrus", "what does the walrus do in the evening"] {
            let answers = ways.each_ref().map(|fixture| {
                let answer = fixture.ask(&Query { mode, limit: 20, ..query(text) });
                let hits = answer.hits.into_iter();
                hits.map(|hit| (hit.path, hit.start_line, format!("{:.9}", hit.score))).collect::<Vec<_>>()
            });
            assert_eq!(answers[0].len(), 20);
            assert_eq!(answers[0], answers[1], "{mode:?} {text}");
            assert_eq!(answers[0], answers[2], "{mode:?} {text}");
            assert!(answers[0].iter().all(|(path, ..)| path.as_str() < "day/050.md"), "{:?}", answers[0]);
        }
    }
}

#[test]
fn ranks_do_not_depend_on_row_ids() {
    let ways = [fixture(0..60), fixture((0..60).rev())];
    let ranks = ways.each_ref().map(|fixture| {
        let answer = fixture.ask(&Query { explain: true, ..query("walrus tusks") });
        let rank = |hit: &Hit| hit.explanation.as_ref().map(|told| (told.lexical_rank, told.vector_rank));
        answer.hits.iter().map(rank).collect::<Vec<_>>()
    });
    assert_eq!(ranks[0], ranks[1]);
}

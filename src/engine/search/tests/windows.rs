use super::*;
use crate::search::Breadth;

/// A note of twelve chunks, each a paragraph of three lines, the last of them blank.
fn fixture() -> Fixture {
    let text: String = (0..12).map(paragraph).collect();
    let mut fixture = Fixture::new(&[("short.md", "Only one chunk here.\n")]);
    fixture.options.overlap = 0.0;
    fixture.put("long.md", &text);
    assert_eq!(fixture.chunks("long.md").len(), 12);
    fixture
}

fn paragraph(number: usize) -> String {
    format!(
        "Paragraph {number} has a first line that is long enough.\nAnd the second line of {number} follows it now.\n\n"
    )
}

/// Returns hits on chunks of the long note, best first.
fn hits(fixture: &Fixture, sequences: &[usize]) -> Vec<Hit> {
    let chunks = fixture.chunks("long.md");
    sequences.iter().enumerate().map(|(rank, sequence)| hit(&chunks[*sequence], rank)).collect()
}

fn hit(chunk: &ChunkRow, rank: usize) -> Hit {
    Hit {
        id: chunk.id.clone(),
        path: chunk.path.clone(),
        title: String::new(),
        heading: String::new(),
        collection: "vault".into(),
        memory_type: MemoryType::Note,
        start_line: chunk.start_line,
        start_column: chunk.start_column,
        end_line: chunk.end_line,
        end_column: chunk.end_column,
        line: chunk.start_line,
        column: chunk.start_column,
        date: None,
        score: 1.0 / (rank + 1) as f64,
        content: chunk.content.clone(),
        matched_by: Vec::new(),
        reranked: None,
        explanation: None,
        superseded: None,
        request: None,
        preview: None,
    }
}

fn spans(hits: &[Hit]) -> Vec<(usize, usize)> {
    hits.iter().map(|hit| (hit.start_line, hit.end_line)).collect()
}

fn text(first: usize, last: usize) -> String {
    (first..=last).map(paragraph).collect::<String>().trim_end().to_owned()
}

#[test]
fn a_window_of_zero_changes_nothing() {
    let fixture = fixture();
    let hits = hits(&fixture, &[3, 4]);
    assert_eq!(widen(&*fixture.reader(), hits.clone(), 0).unwrap(), hits);
}

#[test]
fn neighbours_are_shown_with_a_hit() {
    let fixture = fixture();
    let wide = widen(&*fixture.reader(), hits(&fixture, &[5]), 1).unwrap();
    assert_eq!(wide.len(), 1);
    assert_eq!(wide[0].content.trim_end(), text(4, 6));
    assert_eq!(wide[0].start_line, 13);
    let at_the_head = widen(&*fixture.reader(), hits(&fixture, &[0]), 2).unwrap();
    assert_eq!(at_the_head[0].content.trim_end(), text(0, 2));
    let whole = widen(&*fixture.reader(), hits(&fixture, &[5]), u32::MAX).unwrap();
    assert_eq!(whole[0].content.trim_end(), text(0, 11));
}

#[test]
fn touching_hits_merge_at_the_better_rank() {
    let fixture = fixture();
    let wide = widen(&*fixture.reader(), hits(&fixture, &[5, 11, 8]), 1).unwrap();
    // 4 to 6 and 7 to 9 touch. 10 and 11 touch them too, but belong to a better hit.
    assert_eq!(wide[0].score, 1.0);
    let together: String = wide.iter().map(|hit| hit.content.as_str()).collect();
    for number in 4..12 {
        assert_eq!(together.matches(&format!("Paragraph {number} ")).count(), 1, "{:?}", spans(&wide));
    }
}

#[test]
fn hits_apart_stay_apart_and_in_order() {
    let fixture = fixture();
    let mut list = hits(&fixture, &[9, 1]);
    list.insert(1, hit(&fixture.chunks("short.md")[0], 1));
    let wide = widen(&*fixture.reader(), list, 1).unwrap();
    assert_eq!(paths(&wide), ["long.md", "short.md", "long.md"]);
    assert_eq!((wide[0].content.trim_end(), wide[2].content.trim_end()), (&*text(8, 10), &*text(0, 2)));
}

#[test]
fn a_hit_whose_chunk_is_gone_is_left_out() {
    let mut fixture = fixture();
    let list = hits(&fixture, &[5, 1]);
    fixture.remove("long.md");
    assert!(widen(&*fixture.reader(), list, 1).unwrap().is_empty());
}

#[test]
fn hits_are_packed_into_a_budget() {
    let fixture = fixture();
    let list = hits(&fixture, &[0, 3, 6]);
    let size = ApproximateTokens.count(&list[0].content);
    let fitted = |budget| fit(list.clone(), budget, &ApproximateTokens, Breadth::default());
    assert_eq!(fitted(1000), list);
    assert_eq!(fitted(3 * size)[..2], list[..2]);
    assert!(fitted(0).is_empty());
    for budget in 0..3 * size {
        let used: usize = fitted(budget).iter().map(|hit| ApproximateTokens.count(&hit.content)).sum();
        assert!(used <= budget);
    }
}

#[test]
fn a_hit_without_room_for_its_passage_comes_with_the_line_that_answers() {
    let fixture = fixture();
    let list = hits(&fixture, &[0, 3, 6]);
    let size: usize = list.iter().map(|hit| ApproximateTokens.count(&hit.content)).sum();
    let fitted = fit(list.clone(), size - 1, &ApproximateTokens, Breadth::default());
    assert_eq!((fitted.len(), &fitted[..2]), (3, &list[..2]));
    let (line, whole) = (&fitted[2], &list[2]);
    assert_eq!((line.start_line, line.end_line, line.line), (whole.line, whole.line, whole.line));
    assert_eq!(Some(line.content.as_str()), whole.content.lines().next());
}

#[test]
fn the_first_hit_is_cut_at_a_line_end() {
    let fixture = fixture();
    let list = hits(&fixture, &[4]);
    let first_line = list[0].content.lines().next().unwrap().to_owned();
    let cut = fit(list, ApproximateTokens.count(&first_line) + 2, &ApproximateTokens, Breadth::default());
    assert_eq!(cut[0].content, first_line);
    assert_eq!((cut[0].start_line, cut[0].end_line), (13, 13));
}

#[test]
fn a_cut_counts_blank_lines_at_its_head() {
    let fixture = fixture();
    let mut list = hits(&fixture, &[4]);
    list[0].content = "\n\none line\nand a long one that does not fit the budget any more".into();
    list[0].end_line = list[0].start_line + 3;
    let cut = fit(list, 4, &ApproximateTokens, Breadth::default());
    let lines = cut[0].content.split('\n').count();
    assert_eq!(cut[0].end_line + 1 - cut[0].start_line, lines);
    assert!(cut[0].content.ends_with("one line"));
}

#[test]
fn a_smaller_hit_fits_after_a_skipped_larger_one() {
    let fixture = fixture();
    let mut list = hits(&fixture, &[0, 3]);
    let size = ApproximateTokens.count(&list[0].content);
    list.push(hit(&fixture.chunks("short.md")[0], 2));
    let kept = fit(list, size + 6, &ApproximateTokens, Breadth::default());
    assert_eq!(paths(&kept), ["long.md", "short.md"]);
}

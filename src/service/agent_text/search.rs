//! The results of a search for an agent: the lines that answer, each with its place, its score and its id.
//!
//! An agent pays for each token and reads on by itself (`memory_get` takes the id or the place), so a hit shows a few lines from the
//! answering one on. Hits that are not relevant are left out beside relevant ones; if no hit is relevant, the nearest places are named
//! by one short line each.

use crate::{SearchResponse, VAULT};
use tars_agent::context_block::{AnswerLine, Budget, Keep, Piece, Source, block, is_heading, units_for_pieces};
use tars_base::domain::{Hit, Relevance, pluralize};
use tars_rank::share_budget;
use tars_text::analysis::{is_unspaced, terms};
use tars_text::redact::{redact, redact_path};

/// Most lines with text of a hit: a better one shows more.
const MAX_LINES: [(Relevance, usize); 3] = [(Relevance::Relevant, 8), (Relevance::Kinda, 5), (Relevance::Maybe, 3)];
/// Longest lines in characters; a smaller width is tried if the answering line does not fit.
const WIDTHS: [usize; 4] = [600, 300, 150, 75];
/// Most places to name if no hit is relevant, and the longest line of each in characters.
const NEAREST: usize = 3;
const NEAREST_WIDTH: usize = 120;
/// Most tokens of these places.
const NEAREST_BUDGET: usize = 400;
/// Most words of a question to look for in a long line, and most occurrences to compare.
const MAX_WORDS: usize = 12;
const MAX_OCCURRENCES: usize = 500;

/// Returns the results of a search.
pub fn search_results(answer: &SearchResponse, budget: usize) -> String {
    let words = words(&answer.query);
    let relevant: Vec<&Hit> = answer.results.iter().filter(|hit| hit.relevance() != Relevance::Not).collect();
    let mut said: Vec<String> = Vec::new();
    match (answer.results.is_empty(), relevant.is_empty()) {
        (true, _) => said.push("Nothing was found.".into()),
        (_, true) => said.push("Nothing relevant was found. The nearest places:".into()),
        _ => {}
    }
    said.extend(answer.degraded.iter().map(|reason| format!("The answer is less than it could be: {reason}.")));
    said.extend(answer.remarks.iter().cloned());
    if answer.index.pending > 0 && answer.degraded.is_none() {
        said.push(format!("The index is behind by {}.", pluralize(answer.index.pending, "file")));
    }
    let (pieces, budget) = if relevant.is_empty() {
        let nearest = answer.results.iter().take(NEAREST);
        (nearest.filter_map(|hit| excerpt(hit, &words, (1, NEAREST_WIDTH))).collect(), budget.min(NEAREST_BUDGET))
    } else {
        (fitting(&relevant, &words, budget), budget)
    };
    let shown = block(&pieces, true, Budget::of_tokens(budget));
    let missing = relevant.len() - shown.as_ref().map_or(0, |block| block.pieces.len()).min(relevant.len());
    said.extend(shown.map(|block| block.text));
    if missing > 0 {
        let places = pluralize(missing, "more place");
        said.push(format!("{places} would be too long here: ask more narrowly, with paths, or with a larger budget."));
    }
    said.join("\n")
}

/// Returns the excerpts of the hits: of all, or of fewer of the best if the shares of all are too small for an answering line.
fn fitting(hits: &[&Hit], words: &[String], budget: usize) -> Vec<Piece> {
    let mut count = hits.len();
    loop {
        let pieces = shared(&hits[..count], words, budget);
        if pieces.len() == count || count <= 1 {
            return pieces;
        }
        count = (count * 3 / 4).max(1);
    }
}

/// Returns the excerpts of the hits, each within its share of the budget. A better hit has a larger share, and room that a hit does not
/// need goes to the others.
fn shared(hits: &[&Hit], words: &[String], budget: usize) -> Vec<Piece> {
    let wanted = |hit: &&Hit| {
        let cost = excerpt(hit, words, (most_lines(hit), WIDTHS[0])).map_or(0, |piece| piece.cost());
        (cost, (hit.score.max(0.0) * 100.0) as u32)
    };
    let wants: Vec<(usize, u32)> = hits.iter().map(wanted).collect();
    let given = share_budget(&wants, units_for_pieces(Budget::of_tokens(budget)));
    let cut = |(hit, units): (&&Hit, usize)| {
        let narrower = |width: &usize| excerpt(hit, words, (most_lines(hit), *width))?.cut_to(units);
        let cuts: Vec<Piece> = WIDTHS.iter().filter_map(narrower).collect();
        cuts.iter().find(|piece| piece.answer().is_some()).or(cuts.first()).cloned()
    };
    hits.iter().zip(given).filter_map(cut).collect()
}

fn most_lines(hit: &Hit) -> usize {
    MAX_LINES.iter().find(|(relevance, _)| *relevance == hit.relevance()).map_or(1, |(_, most)| *most)
}

/// Returns at most `lines` lines of a hit from the answering one on, up to the next heading, each of at most `width` characters.
fn excerpt(hit: &Hit, words: &[String], (lines, width): (usize, usize)) -> Option<Piece> {
    let (mut left, mut in_code, mut has_text) = (lines, false, false);
    let mark = if hit.column > 0 { "…" } else { "" };
    let from_answer = format!("{mark}{}", hit.from_answer());
    let shown = from_answer.split('\n').take_while(|line| {
        in_code ^= line.trim_start().starts_with("```");
        let is_heading = !in_code && is_heading(line);
        let goes_on = left > 0 && !(is_heading && has_text);
        has_text |= !is_heading && !line.trim().is_empty();
        left = left.saturating_sub(usize::from(!line.trim().is_empty()));
        goes_on
    });
    let mut text: Vec<String> = shown.map(|line| around(line, words, width)).collect();
    if let (Some(first), Some(superseded)) = (text.first_mut(), &hit.superseded) {
        // In front, because a cut must not separate a superseded line from its label.
        first.insert_str(0, &format!("({}) ", redact(&superseded.label).text));
    }
    let source = Source {
        collection: (hit.collection != VAULT).then(|| hit.collection.clone()),
        path: redact_path(&hit.path).into_owned(),
        answer: Some(AnswerLine { line: hit.line, column: 0, heading: hit.heading.clone() }),
        date: hit.date,
        kind: hit.memory_type,
    };
    let piece = Piece::new(source, hit.line, &text.join("\n"), Keep::Start)?;
    // A list of what meets a filter has no scores.
    let piece = match hit.matched_by.is_empty() {
        true => piece,
        false => piece.with_attribute("score", &format!("{:.2} {}", hit.score, hit.relevance().as_str())),
    };
    Some(piece.with_attribute("id", hit.id.short()))
}

/// Returns the words of a question by which a part of a long line is chosen, in lower case.
fn words(query: &str) -> Vec<String> {
    terms(query).iter().map(|term| term.text().to_lowercase()).take(MAX_WORDS).collect()
}

/// Returns a line, or the part of a longer one that holds most of these words: at most `most` characters, with marks for the rest.
fn around(line: &str, words: &[String], most: usize) -> String {
    let letters: Vec<char> = line.chars().collect();
    if letters.len() <= most {
        return line.to_owned();
    }
    let found = occurrences(&letters, words);
    let reach = most * 3 / 4;
    let distinct = |at: usize| {
        let near = found.iter().skip_while(|(place, _)| *place < at).take_while(|(place, _)| *place < at + reach);
        near.fold(0u32, |seen, (_, word)| seen | 1 << word).count_ones()
    };
    let best = found.iter().map(|(place, _)| *place).rev().max_by_key(|place| distinct(*place)).unwrap_or(0);
    let room = most - 2;
    let start = best.saturating_sub(most / 8).min(letters.len() - room);
    // A word is not cut if the next one begins soon.
    let blank = letters[start..best.max(start)].iter().position(|letter| letter.is_whitespace());
    let start = if start == 0 { 0 } else { start + blank.map_or(0, |blank| blank + 1) };
    let end = (start + room).min(letters.len());
    let shown: String = letters[start..end].iter().collect();
    format!("{}{}{}", if start > 0 { "…" } else { "" }, shown.trim_end(), if end < letters.len() { "…" } else { "" })
}

/// Returns where each word begins in a line, with its index, in order. A word counts by its beginning, so that its forms count too.
fn occurrences(letters: &[char], words: &[String]) -> Vec<(usize, usize)> {
    let lower: Vec<char> = letters.iter().map(|letter| letter.to_lowercase().next().unwrap_or(*letter)).collect();
    let mut found = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let all: Vec<char> = word.chars().collect();
        let stem = &all[..all.len().saturating_sub(2).max(all.len().min(4))];
        let is_unspaced = stem.iter().any(|letter| is_unspaced(*letter));
        let begins = |at: &usize| is_unspaced || *at == 0 || !lower[at - 1].is_alphanumeric();
        let places = (0..lower.len()).filter(|at| !stem.is_empty() && lower[*at..].starts_with(stem));
        found.extend(places.filter(begins).map(|at| (at, index)));
    }
    found.sort_unstable();
    found.truncate(MAX_OCCURRENCES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_base::domain::{
        ApproximateTokens, ChunkId, CountTokens, IndexState, MemoryType, Mode, Retriever, SupersededHit,
    };

    fn hit(path: &str, score: f64, content: &str) -> Hit {
        Hit {
            id: ChunkId::from_stored("0123456789abcdef".repeat(ChunkId::LENGTH / 16)),
            path: path.into(),
            title: "A".into(),
            heading: "A > B".into(),
            collection: VAULT.into(),
            memory_type: MemoryType::Note,
            start_line: 3,
            start_column: 0,
            end_line: 3 + content.matches('\n').count(),
            end_column: None,
            line: 4,
            column: 0,
            date: None,
            score,
            content: content.into(),
            matched_by: vec![Retriever::Keyword],
            reranked: None,
            superseded: None,
            explanation: None,
            preview: None,
        }
    }

    fn answer(results: Vec<Hit>) -> SearchResponse {
        SearchResponse {
            query: "boiler valve".into(),
            mode: Mode::Hybrid,
            degraded: None,
            remarks: Vec::new(),
            index: IndexState::default(),
            explanation: None,
            results,
        }
    }

    #[test]
    fn a_result_is_the_line_that_answers_with_place_score_and_id() {
        let text = search_results(&answer(vec![hit("a.md", 0.801, "before\nThe valve leaks.\nafter")]), 1500);
        let source = "<source at=\"a.md:4-5\" line=\"4\" heading=\"A &gt; B\" kind=\"note\" score=\"0.80 relevant\" id=\"0123456789ab\"/>\n";
        assert!(text.contains(&format!("{source}The valve leaks.\nafter\n")) && !text.contains("before"), "{text}");
    }

    #[test]
    fn an_excerpt_ends_at_the_next_heading_and_is_short_for_a_weak_hit() {
        let content = "x\n## Keys\none\n```sh\n# no heading\n```\n\n## Doors\ntwo";
        let text = search_results(&answer(vec![hit("a.md", 0.8, content)]), 1500);
        assert!(text.contains("# no heading\n```") && !text.contains("Doors"), "{text}");
        let text = search_results(&answer(vec![hit("a.md", 0.3, "x\n1\n\n2\n3\n4")]), 1500);
        assert!(text.contains("1\n\n2\n3\n</tars-memory>"), "{text}");
    }

    #[test]
    fn hits_that_are_not_relevant_are_left_out_beside_relevant_ones() {
        let text = search_results(&answer(vec![hit("a.md", 0.6, "x\nyes"), hit("b.md", 0.2, "x\nno")]), 1500);
        assert!(text.contains("a.md:4") && !text.contains("b.md"), "{text}");
    }

    #[test]
    fn where_nothing_is_relevant_three_places_are_named_by_a_line_each() {
        let long = format!("x\n{} boiler {}\nmore", "one ".repeat(400), "two ".repeat(400));
        let hits = (0..10).map(|at| hit(&format!("{at}.md"), 0.2, &long)).collect();
        let text = search_results(&answer(hits), 1500);
        assert!(text.starts_with("Nothing relevant was found."), "{text}");
        assert_eq!((text.matches("<source").count(), text.matches("boiler").count()), (3, 3), "{text}");
        assert!(!text.contains("more") && ApproximateTokens.count(&text) < 400, "{text}");
        assert_eq!(search_results(&answer(Vec::new()), 1500), "Nothing was found.");
    }

    #[test]
    fn every_relevant_hit_keeps_its_answering_line_within_the_budget() {
        let long = format!("x\n{} the valve leaks {}\n{}", "one ".repeat(900), "two ".repeat(900), "more\n".repeat(90));
        let hits: Vec<Hit> = (0..10).map(|at| hit(&format!("{at}.md"), 0.9 - 0.05 * f64::from(at), &long)).collect();
        let text = search_results(&answer(hits), 1500);
        assert_eq!((text.matches("<source").count(), text.matches("the valve leaks").count()), (10, 10), "{text}");
        assert!(ApproximateTokens.count(&text) <= 1500 + 40, "{}", ApproximateTokens.count(&text));
    }

    #[test]
    fn a_small_budget_shows_the_best_hits() {
        let hits = |count: u32| -> Vec<Hit> {
            (0..count)
                .map(|at| hit(&format!("{at}.md"), 0.9, "x\nThe valve of the boiler leaks when it is cold."))
                .collect()
        };
        for budget in [200, 300, 500] {
            let text = search_results(&answer(hits(50)), budget);
            assert!(text.contains("\"0.md:4\"") && text.contains("more places would be too long"), "{budget}: {text}");
            assert!(ApproximateTokens.count(&text) <= budget + 40, "{budget}: {text}");
        }
    }

    #[test]
    fn a_superseded_line_never_appears_without_its_label() {
        let until = jiff::civil::date(2026, 3, 14);
        let mut old = hit("a.md", 0.8, &format!("x\n{}", "The valve leaks. ".repeat(300)));
        let label = "was so until 2026-03-14; now: it is tight".to_owned();
        old.superseded = Some(SupersededHit { since: None, until, by: "b".into(), place: "c".into(), label });
        for budget in [120, 300, 1500] {
            let text = search_results(&answer(vec![old.clone()]), budget);
            assert!(!text.contains("The valve leaks") || text.contains("now: it is tight"), "{text}");
        }
    }

    #[test]
    fn what_meets_a_filter_has_no_score() {
        let listed = Hit { matched_by: Vec::new(), ..hit("a.md", 1.0, "x\ny") };
        assert!(!search_results(&answer(vec![listed]), 1500).contains("score="));
    }

    #[test]
    fn a_long_line_is_shown_around_the_words_of_the_question() {
        let line = format!("{}Boilers have a valve here. {}", "one ".repeat(500), "two ".repeat(500));
        let shown = around(&line, &words("boiler valve"), 150);
        assert!(
            shown.contains("Boilers have a valve") && shown.starts_with("…one ") && shown.ends_with('…'),
            "{shown}"
        );
        let unspaced = format!("{}战国史模式{}", "的".repeat(900), "了".repeat(900));
        assert!(around(&unspaced, &words("战国模式"), 75).contains("战国史模式"));
        assert_eq!(around("short", &words("x"), 75), "short");
    }

    proptest::proptest! {
        #[test]
        fn a_part_of_a_line_has_its_width(line in "\\PC{0,300}", query in "\\PC{0,30}", most in 75..200usize) {
            proptest::prop_assert!(around(&line, &words(&query), most).chars().count() <= most.max(line.chars().count().min(most)));
        }
    }
}

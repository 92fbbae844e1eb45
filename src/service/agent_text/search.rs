//! The results of a search for an agent: the lines that answer, each with its place, its score and its id.
//!
//! An agent pays for each token and reads on by itself (`memory_get` takes the id or the place), so the best hits show their sections, others
//! the line that answers, and a few lines after it where there is room. Hits that are not relevant are left out beside relevant ones; if no hit is relevant, the nearest places are named
//! by one short line each.

use crate::{SearchResponse, VAULT};
use tars_agent::context_block::{AnswerLine, Budget, Keep, Piece, Source, block, is_heading, units_for_pieces};
use tars_base::domain::{Hit, Relevance, pluralize};
use tars_engine::search::{Breadth, answer_lines, by_day, requests_first, with_requests};
use tars_rank::{Form, PackCandidate, PackedHit, Span, pack};
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
    let (found, budget) = if relevant.is_empty() {
        let nearest = answer.results.iter().take(NEAREST);
        let nearest = nearest.filter_map(|hit| Some((hit.clone(), excerpt(hit, &words, (1, NEAREST_WIDTH))?)));
        (nearest.collect(), budget.min(NEAREST_BUDGET))
    } else {
        (fitting(&relevant, &words, budget, Breadth::of(&answer.query)), budget)
    };
    let is_hit = |hit: &Hit| relevant.iter().any(|other| other.id == hit.id && other.line == hit.line);
    let (hits, pieces): (Vec<Hit>, Vec<Piece>) = found.into_iter().unzip();
    let shown = block(&pieces, true, Budget::of_tokens(budget));
    let places = shown.iter().flat_map(|block| &block.pieces).filter(|(index, _)| is_hit(&hits[*index])).count();
    let missing = relevant.len().saturating_sub(places);
    said.extend(shown.map(|block| block.text));
    if missing > 0 {
        let places = pluralize(missing, "more place");
        said.push(format!("{places} would be too long here: ask more narrowly, with paths, or with a larger budget."));
    }
    said.join("\n")
}

/// Returns the excerpts of the hits that fit: with long lines if all fit then, otherwise with lines so short that most fit.
fn fitting(hits: &[&Hit], words: &[String], budget: usize, breadth: Breadth) -> Vec<(Hit, Piece)> {
    let units = units_for_pieces(Budget::of_tokens(budget));
    let hits: Vec<Hit> = hits.iter().map(|hit| (*hit).clone()).collect();
    let hits = breadth.in_turns(hits, |hit| (hit.collection.clone(), hit.path.clone()));
    let hits = &with_requests(hits, breadth.whole, |hit| hit, Some);
    let mut most: Vec<(Hit, Piece)> = Vec::new();
    for width in WIDTHS {
        let pieces = packed(hits, words, width, units, breadth.whole);
        if pieces.len() > most.len() {
            most = pieces;
        }
        if most.len() == hits.len() {
            break;
        }
    }
    if breadth.by_time {
        // Those of one day keep their ranks.
        most.sort_by(|left, right| by_day(left.0.date, right.0.date));
    }
    most
}

/// Fills `units` with the excerpts of the hits, as [`pack`] describes. A line is cut to `width`, except in the sections of the best hits.
fn packed(hits: &[Hit], words: &[String], width: usize, units: usize, most_whole: usize) -> Vec<(Hit, Piece)> {
    let mut forms: Vec<(&Hit, Piece, Piece)> = Vec::new();
    for hit in hits {
        let lines = most_lines(hit);
        let line = excerpt(hit, words, (lines.min(answer_count(hit)), width)).and_then(|piece| piece.cut_to(units));
        let Some(line) = line else { continue };
        // Beyond half of the room, a section says less than the lines of other hits.
        let section = || section(hit).filter(|piece| piece.cost() <= units / 2);
        let whole = if forms.len() < most_whole { section() } else { None };
        let whole = whole.or_else(|| excerpt(hit, words, (lines, width))?.cut_to(units));
        forms.push((hit, line.clone(), whole.unwrap_or(line)));
    }
    // Two hits share no text.
    let span = |piece: &Piece| Span { start: (0, 0), end: (0, 0), size: piece.cost() };
    let candidate = |(file, (_, line, whole)): (usize, &(&Hit, Piece, Piece))| PackCandidate {
        file,
        line: span(line),
        own: span(whole),
        around: None,
    };
    let candidates: Vec<PackCandidate> = forms.iter().enumerate().map(candidate).collect();
    let shown = |packed: PackedHit| {
        let (hit, line, whole) = &forms[packed.candidate];
        ((*hit).clone(), if packed.form == Form::Line { line.clone() } else { whole.clone() })
    };
    requests_first(pack(&candidates, units, most_whole).into_iter().map(shown).collect(), |(hit, _)| hit)
}

/// Returns the number of lines with text from the answering one to the end of what answers.
fn answer_count(hit: &Hit) -> usize {
    let length = (answer_lines(hit).end() + 1).saturating_sub(hit.line);
    hit.from_answer().split('\n').take(length).filter(|line| !line.trim().is_empty()).count().max(1)
}

/// Returns the whole text of a hit under the heading of its answering line; `None` for a weak hit, and for a line that is no longer true,
/// which a label precedes.
fn section(hit: &Hit) -> Option<Piece> {
    if hit.superseded.is_some() || hit.relevance() < Relevance::Kinda {
        return None;
    }
    let lines: Vec<&str> = hit.content.split('\n').collect();
    let at = hit.line.checked_sub(hit.start_line)?;
    let mut in_code = false;
    let mut is_title = |line: &str| {
        in_code ^= line.trim_start().starts_with("```");
        !in_code && is_heading(line)
    };
    let headings: Vec<usize> = (0..lines.len()).filter(|index| is_title(lines[*index])).collect();
    let above = headings.iter().rfind(|heading| **heading <= at);
    let first = above.map_or(0, |heading| if *heading == at { at } else { heading + 1 });
    let end = headings.iter().find(|heading| **heading > at).copied().unwrap_or(lines.len());
    let start = (hit.start_line + first, if first == 0 { hit.start_column } else { 0 });
    let piece = Piece::new(source(hit, hit.column_after(start)), start.0, &lines[first..end].join("\n"), Keep::Start)?;
    piece.says_something().then(|| with_attributes(piece, hit))
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
    let piece = Piece::new(source(hit, 0), hit.line, &text.join("\n"), Keep::Start)?;
    Some(with_attributes(piece, hit))
}

/// Returns the source of a hit whose answer begins after so many characters of its line, as far as the line is shown.
fn source(hit: &Hit, column: usize) -> Source {
    Source {
        collection: (hit.collection != VAULT).then(|| hit.collection.clone()),
        path: redact_path(&hit.path).into_owned(),
        answer: Some(AnswerLine { line: hit.line, column, heading: hit.heading.clone() }),
        date: hit.date,
        kind: hit.memory_type,
    }
}

fn with_attributes(piece: Piece, hit: &Hit) -> Piece {
    // A list of what meets a filter has no scores.
    let piece = match hit.matched_by.is_empty() {
        true => piece,
        false => piece.with_attribute("score", &format!("{:.2} {}", hit.score, hit.relevance().as_str())),
    };
    piece.with_attribute("id", hit.id.short())
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
            request: None,
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
    fn a_result_is_the_section_that_answers_with_place_line_score_and_id() {
        let text = search_results(&answer(vec![hit("a.md", 0.801, "before\nThe valve leaks.\nafter")]), 1500);
        let source = "<source at=\"a.md:3-5\" line=\"4\" heading=\"A &gt; B\" kind=\"note\" score=\"0.80 relevant\" id=\"0123456789ab\"/>\n";
        assert!(text.contains(&format!("{source}before\nThe valve leaks.\nafter\n")), "{text}");
    }

    #[test]
    fn the_best_hits_come_whole_and_of_the_others_the_line_that_answers() {
        let passage =
            format!("Before it.\nThe valve leaks.\n{}", "After it stands a longer line of the same note.\n".repeat(24));
        let hits: Vec<Hit> = (0..12).map(|at| hit(&format!("{at}.md"), 0.9, passage.trim_end())).collect();
        let text = search_results(&answer(hits), 1500);
        assert_eq!((text.matches("The valve leaks.").count(), text.matches("<source").count()), (12, 12), "{text}");
        let whole = text.matches("Before it.").count();
        assert!((1..=tars_rank::WHOLE_PASSAGES).contains(&whole), "{whole}: {text}");
        assert!(ApproximateTokens.count(&text) <= 1500, "{}", ApproximateTokens.count(&text));
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
        assert!(text.contains("a.md:3-4") && !text.contains("b.md"), "{text}");
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
            assert!(
                text.contains("\"0.md:3-4\"") && text.contains("more places would be too long"),
                "{budget}: {text}"
            );
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
    fn filtered_listings_have_no_score() {
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

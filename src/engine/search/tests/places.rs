//! The line that a hit names, the heading over it and its day.

use jiff::civil::Date;

use super::*;
use crate::search::{Breadth, search_reworded};
use tars_base::domain::{DateRange, SearchAnswer};

/// A chunk that begins under one heading and answers under others.
const SETTINGS: &str = "\
# Settings

Everything that can be changed.

## Editor

Line numbers are shown beside the text.

```sh
# Hotkeys of the shell are no heading
tars config set editor.lines on
```

## Hotkeys

Press escape to leave a dialog.

Custom hotkeys
--------------

A chord of two strokes opens the palette.

### 设置 中文

战国无双是一款游戏。
";

fn fixture() -> Fixture {
    let mut fixture = Fixture::new(&[]);
    fixture.options = ChunkOptions { target_tokens: 400, passage_tokens: 24, window_tokens: 60, ..fixture.options };
    fixture.put("Settings.md", SETTINGS);
    assert_eq!(fixture.chunks("Settings.md").len(), 1);
    fixture
}

/// Returns the line of the settings that holds a text, from 1.
fn line_of(text: &str) -> usize {
    SETTINGS.lines().position(|line| line.contains(text)).unwrap() + 1
}

fn place(answer: &SearchAnswer) -> (usize, &str) {
    (answer.hits[0].line, answer.hits[0].heading.as_str())
}

#[test]
fn a_hit_has_the_heading_over_its_line() {
    let fixture = fixture();
    for mode in [Mode::Keyword, Mode::Hybrid] {
        let ask = |text: &str| fixture.ask(&Query { mode, ..query(text) });
        assert_eq!(place(&ask("leave a dialog")), (line_of("Press escape"), "Settings > Hotkeys"), "{mode:?}");
        assert_eq!(place(&ask("line numbers")), (line_of("Line numbers"), "Settings > Editor"));
        assert_eq!(place(&ask("what can be changed")), (line_of("Everything"), "Settings"));
    }
}

#[test]
fn a_comment_in_code_is_no_heading() {
    let fixture = fixture();
    let answer = fixture.ask(&query("tars config editor.lines"));
    assert_eq!(place(&answer), (line_of("tars config"), "Settings > Editor"));
}

#[test]
fn a_heading_that_is_underlined_heads_its_lines() {
    let fixture = fixture();
    assert_eq!(place(&fixture.ask(&query("palette chord"))), (line_of("A chord"), "Settings > Custom hotkeys"));
}

#[test]
fn a_match_in_a_heading_is_that_line_under_itself() {
    let fixture = fixture();
    let by_words = |text: &str| fixture.ask(&Query { mode: Mode::Keyword, ..query(text) });
    assert_eq!(place(&by_words("custom")), (line_of("Custom"), "Settings > Custom hotkeys"));
    assert_eq!(place(&by_words("hotkeys dialog")), (line_of("Press escape"), "Settings > Hotkeys"));
}

#[test]
fn chinese_is_found_in_its_line() {
    let fixture = fixture();
    let answer = fixture.ask(&query("战国无双"));
    assert_eq!(place(&answer), (line_of("战国"), "Settings > Custom hotkeys > 设置 中文"));
}

#[test]
fn without_matching_words_the_nearest_passage_is_named_by_its_first_line() {
    let fixture = fixture();
    // To the hashing embedder, a word with a punctuation mark is another word. To the full text, words that differ in more
    // than their ending are different.
    let near = |text: &str| {
        let vector = fixture.embedder.embed(TextKind::Query, &[text]).unwrap().remove(0);
        let row = fixture.chunks("Settings.md").remove(0);
        fixture.reader().nearest_lines(&vector, fixture.embedder.model(), &[row.row]).unwrap()[&row.row][0].0.clone()
    };
    let answer = fixture.ask(&Query { mode: Mode::Vector, ..query("strokes opens chord two") });
    let lines = near("strokes opens chord two");
    assert!(lines.contains(&place(&answer).0), "{lines:?} {:?}", place(&answer));
    assert_eq!(place(&answer), (line_of("A chord"), "Settings > Custom hotkeys"));
}

#[test]
fn a_match_in_the_title_alone_is_named_by_the_first_line_of_text() {
    let fixture = Fixture::new(&[("Walrus.md", "## Sea\n\nIt sleeps on the ice.\n")]);
    let answer = fixture.ask(&Query { mode: Mode::Keyword, ..query("walrus") });
    assert_eq!(place(&answer), (3, "Sea"));
}

#[test]
fn a_note_listed_by_filters_is_named_by_its_first_line_of_text() {
    let fixture = Fixture::new(&[("a.md", "---\ntags: work\n---\n\n# Plan\n\nText.\n")]);
    assert_eq!(place(&fixture.ask(&query("tag:work"))), (7, "Plan"));
    let fixture = Fixture::new(&[("b.md", "---\ntags: work\n---\n\n# Plan\n")]);
    assert_eq!(place(&fixture.ask(&query("tag:work"))), (5, "Plan"), "a heading if there is no text");
    let template = "---\ntags: work\n---\n%% Template: fill in\nthe day %%\n# {{date}}\n<!-- v3 -->\n- first\n";
    let fixture = Fixture::new(&[("c.md", template)]);
    assert_eq!(place(&fixture.ask(&query("tag:work"))), (8, "{{date}}"), "no comment of a template");
}

#[test]
fn a_note_listed_by_a_tag_is_named_by_the_line_with_the_tag() {
    let text = "%% #chores go below %%\n# Day\n\nTalked to Mara.\n\n```sh\nx #chores\n```\n\n## Home\n\n- water it \
                #Chores/garden\n- #chores\n";
    let fixture = Fixture::new(&[("a.md", text)]);
    for asked in ["tag:chores", "#chores", "#chores/garden"] {
        assert_eq!(place(&fixture.ask(&query(asked))), (12, "Day > Home"), "{asked}");
    }
    let with_words = fixture.ask(&Query { mode: Mode::Keyword, ..query("#chores Mara") });
    assert_eq!(place(&with_words).0, 4, "among words it only narrows the search");
}

#[test]
fn filters_of_the_request_list_without_a_query() {
    let mut fixture =
        Fixture::new(&[("2023-04-01.md", "# April\n\nFirst.\n"), ("b.md", "---\ntags: work\n---\nOther\n")]);
    fixture.put("2023-05-02.md", "# May\n\nSecond.\n");
    let since = Some(DateRange { first: Date::constant(2023, 4, 1), last: Date::constant(2023, 12, 31) });
    let listed = |filter: Filter| fixture.ask(&Query { filter, ..query(" ") });
    let dated = Filter { dates: since, paths: vec!["2023*".into()], ..Filter::default() };
    let hits = listed(dated).hits;
    assert_eq!(hits.iter().map(|hit| hit.path.as_str()).collect::<Vec<_>>(), ["2023-05-02.md", "2023-04-01.md"]);
    assert_eq!(listed(Filter { tags: vec!["#work".into()], ..Filter::default() }).hits[0].path, "b.md");
    let nothing = search(&*fixture.reader(), VectorSearch::Model(&fixture.embedder), &query(""), &search_options());
    assert!(matches!(nothing, Err(SearchError::EmptyQuery)));
}

#[test]
fn a_word_that_only_looks_like_a_tag_is_searched_as_a_word() {
    let fixture = Fixture::new(&[("a.md", "The colour is #ffee00 in `#include <x.h>`.\n")]);
    let answer = fixture.ask(&Query { mode: Mode::Keyword, ..query("#include") });
    assert_eq!((answer.hits.len(), answer.remarks.len()), (1, 1));
}

#[test]
fn the_line_stays_inside_what_is_shown() {
    let fixture = fixture();
    let asked = query("palette chord");
    let hits = fixture.ask(&asked).hits;
    let inside = |hit: &Hit| {
        let text = hit.content.split('\n').nth(hit.line - hit.start_line).unwrap().to_owned();
        assert_eq!((text.as_str(), hit.line), ("A chord of two strokes opens the palette.", line_of("A chord")));
        assert!(hit.line <= hit.end_line);
    };
    inside(&hits[0]);
    inside(&widen(&*fixture.reader(), hits.clone(), 1).unwrap()[0]);
    let cut = fit(hits.clone(), 14, &ApproximateTokens, Breadth::default()).remove(0);
    assert_eq!(cut.start_line, line_of("A chord"), "earlier lines are cut first");
    inside(&cut);
    let rewording = tars_base::domain::Rewording { rewrites: vec!["line numbers".into()], answer: None };
    let reworded = Reworded { query: &asked, rewording: &rewording };
    let semantics = VectorSearch::Model(&fixture.embedder);
    inside(&search_reworded(&*fixture.reader(), semantics, reworded, &search_options()).unwrap().hits[0]);
}

#[test]
fn a_hit_has_the_day_that_its_note_names() {
    let day = |month, day| Some(jiff::civil::date(2023, month, day));
    let fixture = Fixture::new(&[
        ("2023-05-08 Walrus.md", "---\ncreated: 2023-01-01\n---\n# Of 2023-02-02\n\nwalrus one\n"),
        ("log.md", "---\ncreated: 2023-01-01\n---\nwalrus two\n\n## 2 March 2023\n\nwalrus three\n"),
        ("undated.md", "walrus four\n"),
    ]);
    for (text, expected) in [("one", day(5, 8)), ("two", day(1, 1)), ("three", day(3, 2)), ("four", None)] {
        let answer = fixture.ask(&query(&format!("walrus {text}")));
        let hit = answer.hits.iter().find(|hit| hit.content.contains(text)).unwrap();
        assert_eq!(hit.date, expected, "{text}: {hit:?}");
    }
}

#[test]
fn a_question_about_a_day_names_a_line_of_that_day() {
    let mut fixture = Fixture::new(&[]);
    fixture.options.target_tokens = 400;
    let log = "# Log\n\n## 2023-05-07\n\nWalked the dog.\n\n## 2023-05-08\n\nWalked the dog again.\n";
    fixture.put("log.md", log);
    let answer = fixture.ask(&query("dog 8 May 2023"));
    assert_eq!((place(&answer), answer.hits[0].date), ((9, "Log > 2023-05-08"), Some(jiff::civil::date(2023, 5, 8))));
}

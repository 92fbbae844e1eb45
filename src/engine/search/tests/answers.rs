use std::sync::Mutex;

use super::*;
use tars_base::domain::{ModelId, Retriever};
use tars_base::embedding::EmbedError;

fn fixture() -> Fixture {
    Fixture::new(&[
        ("garden.md", "# Garden\n\nApples and pears grow in the garden behind the house.\n"),
        ("storage.md", "# Storage\n\nThe storage engine keeps every row in one file.\n"),
        ("walk.md", "# Walk\n\nA morning walk along the river, past the garden gate.\n"),
        ("work/plan.md", "---\ntags: [work]\n---\n# Plan\n\nDecide about the storage engine.\n"),
    ])
}

const NO_MODEL: VectorSearch<'_> = VectorSearch::Unavailable { reason: "no model", report: true };

#[test]
fn both_retrievers_take_part_in_a_hybrid_search() {
    let fixture = fixture();
    let answer = fixture.ask(&query("garden pears"));
    assert_eq!(answer.hits[0].path, "garden.md");
    assert_eq!(answer.hits[0].matched_by, [Retriever::Keyword, Retriever::Vector]);
    assert_eq!(answer.hits.len(), 4, "vectors have something to say about every note");
    assert_eq!(answer.hits.last().unwrap().matched_by, [Retriever::Vector]);
    assert_eq!((answer.degraded, answer.mode, answer.query.as_str()), (None, Mode::Hybrid, "garden pears"));
    assert_eq!((answer.index.files, answer.index.chunks, answer.index.pending), (4, 4, 0));
    assert!(answer.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
}

#[test]
fn a_hit_says_where_it_stands() {
    let fixture = fixture();
    let hit = fixture.ask(&query("decide")).hits.remove(0);
    assert_eq!((hit.path.as_str(), hit.title.as_str(), hit.heading.as_str()), ("work/plan.md", "Plan", "Plan"));
    assert_eq!((hit.collection.as_str(), hit.memory_type), ("vault", MemoryType::Note));
    assert_eq!((hit.start_line, hit.end_line), (4, 6));
    assert_eq!(hit.content, "# Plan\n\nDecide about the storage engine.");
    assert_eq!(hit.id, fixture.chunks("work/plan.md")[0].id);
}

#[test]
fn a_search_by_words_needs_no_model() {
    let fixture = fixture();
    let asked = Query { mode: Mode::Keyword, ..query("garden") };
    for semantics in [NO_MODEL, VectorSearch::Model(&fixture.embedder)] {
        let answer = search(&*fixture.reader(), semantics, &asked, &search_options()).unwrap();
        assert_eq!(paths(&answer.hits), ["garden.md", "walk.md"]);
        assert!(answer.hits.iter().all(|hit| hit.matched_by == [Retriever::Keyword]));
        assert_eq!(answer.degraded, None, "nothing requested is missing");
    }
}

#[test]
fn a_search_by_meaning_needs_a_model() {
    let fixture = fixture();
    let asked = Query { mode: Mode::Vector, ..query("garden") };
    let answer = fixture.ask(&asked);
    assert!(answer.hits.iter().all(|hit| hit.matched_by == [Retriever::Vector]));
    assert!(["garden.md", "walk.md"].contains(&answer.hits[0].path.as_str()));
    let error = search(&*fixture.reader(), NO_MODEL, &asked, &search_options()).unwrap_err();
    assert!(matches!(&error, SearchError::NoSemantics { reason } if reason == "no model"), "{error}");
}

#[test]
fn a_hybrid_search_without_a_model_says_so_unless_chosen() {
    let fixture = fixture();
    let ask = |wanted| {
        let semantics = VectorSearch::Unavailable { reason: "no model is installed", report: wanted };
        search(&*fixture.reader(), semantics, &query("garden"), &search_options()).unwrap()
    };
    assert_eq!(paths(&ask(true).hits), ["garden.md", "walk.md"]);
    assert!(ask(true).degraded.unwrap().contains("no model is installed"));
    assert_eq!(ask(false).degraded, None);
}

#[test]
fn notes_without_vectors_are_found_by_words_and_counted() {
    let mut fixture = fixture();
    fixture.put_words("new.md", "# New\n\nA garden that was just written.\n");
    let answer = fixture.ask(&query("just written garden"));
    let new = answer.hits.iter().find(|hit| hit.path == "new.md").unwrap();
    assert_eq!(new.matched_by, [Retriever::Keyword]);
    assert_eq!(answer.index.pending, 1);
    assert!(answer.degraded.unwrap().starts_with("1 of 5 passages"));
    let by_words = fixture.ask(&Query { mode: Mode::Keyword, ..query("garden") });
    assert_eq!(by_words.degraded, None);
}

#[test]
fn hits_below_the_minimum_score_or_beyond_the_limit_are_left_out() {
    let fixture = fixture();
    let all = fixture.ask(&query("storage engine rows"));
    assert_eq!(all.hits.len(), 4);
    let least = all.hits[1].score;
    let some = fixture.ask(&Query { min_score: least, ..query("storage engine rows") });
    assert!(some.hits.len() < 4 && some.hits.iter().all(|hit| hit.score >= least));
    assert_eq!(some.hits[..], all.hits[..some.hits.len()]);
    let first = fixture.ask(&Query { limit: 1, ..query("storage engine rows") });
    assert_eq!(first.hits[..], all.hits[..1]);
    assert!(fixture.ask(&Query { limit: 0, ..query("storage") }).hits.is_empty());
}

#[test]
fn filters_hold_for_both_retrievers() {
    let fixture = fixture();
    let filter = Filter { tags: vec!["work".into()], ..Filter::default() };
    for mode in [Mode::Hybrid, Mode::Keyword, Mode::Vector] {
        let answer = fixture.ask(&Query { filter: filter.clone(), mode, ..query("storage engine garden") });
        assert_eq!(paths(&answer.hits), ["work/plan.md"], "{mode:?}");
    }
    let filter = Filter { collections: vec!["none".into()], ..Filter::default() };
    let asked = Query { filter, ..query("storage") };
    let error = search(&*fixture.reader(), NO_MODEL, &asked, &search_options()).unwrap_err();
    assert!(matches!(error, SearchError::Store(_)));
}

#[test]
fn questions_without_words_are_refused() {
    let fixture = fixture();
    let ask = |text| search(&*fixture.reader(), NO_MODEL, &query(text), &search_options()).unwrap_err();
    assert!(matches!(ask("  \n "), SearchError::EmptyQuery));
    assert!(matches!(ask("?! 🎉"), SearchError::NoWords));
}

#[test]
fn an_empty_index_answers_with_nothing() {
    let fixture = Fixture::new(&[]);
    let answer = fixture.ask(&query("garden"));
    assert!(answer.hits.is_empty() && answer.degraded.is_none());
}

/// Records the texts it embeds, and refuses texts longer than its window.
struct Remembering {
    inner: HashingEmbedder,
    asked: Mutex<Vec<String>>,
}

impl Embedder for Remembering {
    fn model(&self) -> &ModelId {
        self.inner.model()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    fn window(&self) -> usize {
        20
    }

    fn tokens(&self) -> &dyn CountTokens {
        self.inner.tokens()
    }

    fn batch_size(&self) -> usize {
        self.inner.batch_size()
    }

    fn embed(&self, kind: TextKind, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        assert_eq!(kind, TextKind::Query);
        for (index, text) in texts.iter().enumerate() {
            let tokens = self.tokens().count(text);
            if tokens > self.window() {
                return Err(EmbedError::TextTooLong { index, tokens, window: self.window() });
            }
        }
        self.asked.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        self.inner.embed(kind, texts)
    }
}

#[test]
fn a_long_question_is_embedded_in_pieces_and_its_end_is_searched_by_words() {
    let fixture = fixture();
    let embedder = Remembering { inner: fixture.embedder.clone(), asked: Mutex::default() };
    let ask = |text: &str| {
        let asked = query(text);
        let answer = search(&*fixture.reader(), VectorSearch::Model(&embedder), &asked, &search_options()).unwrap();
        (answer, std::mem::take(&mut *embedder.asked.lock().unwrap()))
    };
    let (answer, pieces) = ask("short question about the garden");
    assert_eq!((pieces, answer.degraded), (vec!["short question about the garden".to_owned()], None));
    let two = "ten letters ".repeat(12);
    let (answer, pieces) = ask(&two);
    assert_eq!((pieces.len(), answer.degraded), (2, None));
    assert_eq!(pieces.join(" "), two.trim());
    let (answer, pieces) = ask(&"word ".repeat(500));
    assert_eq!(pieces.len(), 4);
    assert!(answer.degraded.unwrap().contains("longer than the model reads"));
    // A page without a blank.
    let (_, pieces) = ask(&"水".repeat(300));
    assert!(pieces.len() == 4 && pieces.iter().all(|piece| piece.chars().count() == 20), "{pieces:?}");
    let (_, pieces) = ask(&format!("a {}", "水".repeat(20)));
    assert_eq!(pieces.concat(), format!("a{}", "水".repeat(20)));
}

#[test]
fn the_mean_of_the_pieces_is_compared() {
    let fixture = fixture();
    let embedder = Remembering { inner: fixture.embedder.clone(), asked: Mutex::default() };
    let text = format!("{} {}", "storage ".repeat(12), "garden ".repeat(12));
    let asked = Query { mode: Mode::Vector, ..query(&text) };
    let answer = search(&*fixture.reader(), VectorSearch::Model(&embedder), &asked, &search_options()).unwrap();
    let mut top = paths(&answer.hits[..2]);
    top.sort_unstable();
    assert!(top.iter().any(|path| path.contains("garden") || path.contains("walk")), "{top:?}");
    assert!(top.iter().any(|path| path.contains("storage") || path.contains("plan")), "{top:?}");
}

#[test]
fn the_section_that_answers_ranks_above_the_session_log_titled_like_the_question() {
    let mut fixture = fixture();
    fixture.memory_type = MemoryType::Daily;
    let day = "# 2023-05-08\n\n## Session 10:00 · pump\n\n- 10:00 Decided: the uploader waits thirty seconds after a timeout\n";
    fixture.put("tars/2023-05-08.md", day);
    let other = "# 2023-05-07\n\n## Session 10:00 · pump\n\n- 10:00 Done: the uploader has a log\n";
    fixture.put("tars/2023-05-07.md", other);
    fixture.memory_type = MemoryType::Episodic;
    let link = "What came of it: [[tars/2023-05-08#Session 10 00 · pump|2023-05-08]]";
    let log = "tars/sessions/2023-05-08T10-00-00-pump.md";
    fixture.put(log, &format!("# what timeout does the uploader use?\n\n{link}\n"));
    let asked = Query { mode: Mode::Keyword, ..query("what timeout does the uploader use?") };
    let answer = fixture.ask(&asked);
    assert_eq!(paths(&answer.hits)[..2], ["tars/2023-05-08.md", log]);
    // A log whose sections are not found keeps its place.
    fixture.remove("tars/2023-05-08.md");
    assert_eq!(paths(&fixture.ask(&asked).hits)[0], log);
}

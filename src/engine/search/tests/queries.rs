//! Operators of queries, and words that no note holds.

use super::*;
use tars_base::domain::SearchAnswer;

fn fixture() -> Fixture {
    Fixture::new(&[
        ("strict.md", "# Linter\n\nTurn strict mode on before the linter runs.\n"),
        ("loose.md", "# Linter notes\n\nThe mode of the linter is strict by nature.\n"),
        ("draft.md", "---\ntags: [draft]\n---\n# Linter draft\n\nA draft about strict mode of the linter.\n"),
        ("old/database.md", "# Storage\n\nThe database keeps every row in one file.\n"),
    ])
}

fn keyword(text: &str) -> Query {
    Query { mode: Mode::Keyword, ..query(text) }
}

fn sorted(answer: &SearchAnswer) -> Vec<&str> {
    let mut paths = paths(&answer.hits);
    paths.sort_unstable();
    paths
}

#[test]
fn a_quoted_phrase_must_stand_in_every_hit() {
    let fixture = fixture();
    for mode in [Mode::Hybrid, Mode::Keyword, Mode::Vector] {
        let answer = fixture.ask(&Query { mode, ..query("\"strict mode\" linter") });
        assert_eq!(sorted(&answer), ["draft.md", "strict.md"], "{mode:?}");
        assert!(answer.remarks.is_empty());
    }
    let sentence = fixture.ask(&keyword("what is \"strict mode\" of the linter?"));
    assert_eq!(sentence.hits.len(), 3, "in a sentence the phrase only adds weight");
    assert!(["draft.md", "strict.md"].contains(&sentence.hits[0].path.as_str()));
}

#[test]
fn a_phrase_that_no_note_holds_is_searched_by_its_words_with_a_remark() {
    let fixture = fixture();
    for mode in [Mode::Hybrid, Mode::Keyword, Mode::Vector] {
        let answer = fixture.ask(&Query { mode, ..query("\"linter strict\"") });
        assert!(!answer.hits.is_empty(), "{mode:?}");
        assert_eq!(answer.remarks, ["no note holds \"linter strict\": looked for the words"], "{mode:?}");
    }
}

#[test]
fn no_hit_holds_an_excluded_word() {
    let fixture = fixture();
    for mode in [Mode::Hybrid, Mode::Keyword, Mode::Vector] {
        let answer = fixture.ask(&Query { mode, ..query("linter -draft") });
        assert!(!answer.hits.is_empty() && answer.hits.iter().all(|hit| hit.path != "draft.md"), "{mode:?}");
        let answer = fixture.ask(&Query { mode, ..query("linter -\"strict mode\"") });
        assert!(sorted(&answer).iter().all(|path| ["loose.md", "old/database.md"].contains(path)), "{mode:?}");
        assert!(sorted(&answer).contains(&"loose.md"));
    }
}

#[test]
fn filters_can_be_typed() {
    let fixture = fixture();
    assert_eq!(sorted(&fixture.ask(&query("strict mode tag:draft"))), ["draft.md"]);
    assert!(!sorted(&fixture.ask(&query("strict mode -tag:draft"))).contains(&"draft.md"));
    assert_eq!(sorted(&fixture.ask(&query("linter path:old"))), ["old/database.md"]);
    assert!(!sorted(&fixture.ask(&query("linter -path:old"))).contains(&"old/database.md"));
    // Notes of the fixture were modified in 1970.
    assert!(fixture.ask(&query("linter after:2023")).hits.is_empty());
    assert_eq!(fixture.ask(&query("linter before:2023")).hits.len(), 4);
    let answer = fixture.ask(&query("linter type:module"));
    assert!(!answer.hits.is_empty() && answer.remarks[0].contains("type:module"));
}

#[test]
fn a_tag_alone_lists_its_notes() {
    let mut fixture = Fixture::new(&[
        ("b.md", "---\ntags: work/tars\ndate: 2023-03-01\n---\nMarch\n"),
        ("2023-04-01.md", "---\ntags: work\n---\n# April\n\nFirst.\n\n# More\n\nSecond.\n"),
        ("c.md", "---\ntags: home\n---\nOther\n"),
    ]);
    fixture.put("a.md", "---\ntags: work\ndate: 2023-03-01\n---\nMarch too\n");
    for mode in [Mode::Keyword, Mode::Vector, Mode::Hybrid] {
        let answer = fixture.ask(&Query { mode, ..query("tag:work") });
        assert_eq!(paths(&answer.hits), ["2023-04-01.md", "a.md", "b.md"], "newest first, a note once");
        assert!(answer.hits.iter().all(|hit| hit.score == 1.0 && hit.matched_by.is_empty()));
    }
    assert_eq!(paths(&fixture.ask(&Query { limit: 2, ..query("tag:work") }).hits), ["2023-04-01.md", "a.md"]);
    assert_eq!(paths(&fixture.ask(&query("tag:work before:2023-04")).hits), ["a.md", "b.md"]);
    assert_eq!(paths(&fixture.ask(&query("-tag:work")).hits), ["c.md"]);
    assert!(fixture.ask(&query("tag:nothing")).hits.is_empty());
}

#[test]
fn exclusions_alone_are_refused() {
    let fixture = fixture();
    for text in ["-draft", "path:old -draft"] {
        let error = search(&*fixture.reader(), VectorSearch::Model(&fixture.embedder), &query(text), &search_options());
        assert!(matches!(error, Err(SearchError::OnlyOperators)), "{text}");
    }
}

#[test]
fn prose_has_no_operators() {
    let fixture = fixture();
    let asked = Query { language: QuerySyntax::Prose, ..keyword("linter -draft tag:none") };
    assert!(paths(&fixture.ask(&asked).hits).contains(&"draft.md"));
}

#[test]
fn a_slip_is_corrected_with_a_remark() {
    let fixture = fixture();
    for (slip, meant) in [("databse", "database"), ("Datbase", "database"), ("adtabase", "database")] {
        let answer = fixture.ask(&keyword(slip));
        assert!(!answer.hits.is_empty(), "{slip}");
        let said = format!("no note holds '{}': looked for '{meant}'", slip.to_lowercase());
        assert_eq!(answer.remarks, [said]);
        let right = fixture.ask(&keyword(meant));
        assert_eq!(paths(&answer.hits), paths(&right.hits));
        assert!(answer.hits[0].score < right.hits[0].score, "a guess lowers the confidence");
    }
    for other in ["zebra", "dat", "data7", "lintr", "linterestingly"] {
        assert!(fixture.ask(&keyword(other)).remarks.is_empty(), "{other}");
    }
}

#[test]
fn a_word_that_the_model_knows_is_no_slip() {
    let fixture = fixture();
    // The embedder of these tests knows words of up to four letters.
    assert!(fixture.ask(&query("lint")).remarks.is_empty());
    assert_eq!(fixture.ask(&query("lniter")).remarks, ["no note holds 'lniter': looked for 'linter'"]);
    assert_eq!(fixture.ask(&query("lnter")).remarks, [""; 0], "short words stay");
}

#[test]
fn a_prefix_finds_words() {
    let fixture = Fixture::new(&[
        ("a.md", "---\ntags: work\n---\nSourdough wants time.\n"),
        ("b.md", "All organizations and their bakeries.\n"),
        ("c.md", "Baking with Käse.\n"),
        ("d.md", "Songs, sung sourly.\n"),
    ]);
    for (text, found) in [
        ("sourd*", &["a.md"][..]),
        ("SOURD*", &["a.md"]),
        ("sour*", &["a.md", "d.md"]),
        ("organiz*", &["b.md"]),
        ("baki*", &["c.md"]),
        ("käs*", &["c.md"]),
        ("kas*", &["c.md"]),
        ("tag:work sourd*", &["a.md"]),
        ("tag:home sourd*", &[]),
        ("zebr*", &[]),
        ("sourd *", &[]),
    ] {
        let answer = fixture.ask(&Query { explain: true, ..keyword(text) });
        assert_eq!(sorted(&answer), found, "{text}");
    }
    let explained = fixture.ask(&Query { explain: true, ..keyword("sour*") }).explanation.unwrap();
    assert_eq!(
        (explained.terms[0].text.as_str(), explained.terms[0].chunks),
        ("sour*", 2),
        "one part, of all its words"
    );
    let prose = Query { language: QuerySyntax::Prose, ..keyword("sourd*") };
    assert!(fixture.ask(&prose).hits.is_empty());
}

#[test]
fn an_explanation_adds_up() {
    let fixture = fixture();
    let answer = fixture.ask(&Query { explain: true, ..query("strict mode of the linter") });
    let question = answer.explanation.unwrap();
    assert!(question.terms.iter().any(|term| term.text == "linter" && term.chunks == 3 && term.weight > 0.0));
    let hits: Vec<_> = answer.hits.iter().map(|hit| (hit.score, hit.explanation.clone().unwrap())).collect();
    let raw = |index: usize| {
        let (_, hit) = &hits[index];
        (hit.words + hit.meaning + hit.neighbour + hit.link) * (1.0 + hit.boost)
    };
    for (index, (score, hit)) in hits.iter().enumerate() {
        assert!((hit.share - raw(index) / raw(0)).abs() < 1e-9);
        assert!((score - question.confidence * hit.share).abs() < 1e-9);
    }
    let ranks: Vec<_> = hits.iter().filter_map(|(_, hit)| hit.lexical_rank).collect();
    assert!(ranks.contains(&1) && hits.iter().all(|(_, hit)| hit.vector_rank.is_some()));
    assert!(hits[0].1.pairs > 0.0, "the first hit holds 'strict mode'");
    assert!(fixture.ask(&query("linter")).explanation.is_none());
}

use std::sync::LazyLock;

use super::*;
use tars_base::embedding::{EmbedError, Reranker};

/// Rates a text by a number in it.
struct ByNumber;

impl Reranker for ByNumber {
    fn relevance(&self, question: &str, texts: &[&str]) -> Result<Vec<f64>, EmbedError> {
        assert_eq!(question, "why");
        let number = |text: &&str| text.split_whitespace().find_map(|word| word.parse().ok());
        Ok(texts.iter().map(|text| number(text).unwrap()).collect())
    }
}

struct Broken;

impl Reranker for Broken {
    fn relevance(&self, _: &str, _: &[&str]) -> Result<Vec<f64>, EmbedError> {
        Err(EmbedError::Cancelled)
    }
}

/// Hits with these scores, their relevance in their text.
fn hits(of: &[(f64, f64)]) -> Vec<Hit> {
    static HIT: LazyLock<Hit> =
        LazyLock::new(|| Fixture::new(&[("a.md", "words\n")]).ask(&query("words")).hits.remove(0));
    let hit = |score, logit| Hit { score, content: format!("logit {logit} here"), ..HIT.clone() };
    of.iter().map(|(score, logit)| hit(*score, *logit)).collect()
}

fn order(hits: &[Hit]) -> Vec<&str> {
    hits.iter().map(|hit| hit.content.split(' ').nth(1).unwrap()).collect()
}

fn logistic(logit: f64) -> f64 {
    1.0 / (1.0 + (-logit).exp())
}

#[test]
fn reranked_hits_are_ordered_by_relevance() {
    let mut hits = hits(&[(0.8, -6.0), (0.7, 2.5), (0.6, 1.0)]);
    rerank(&ByNumber, "why", &mut hits, 20).unwrap();
    assert_eq!(order(&hits), ["2.5", "1", "-6"]);
    let odds = (0.8f64 / 0.2).ln();
    for (hit, logit) in hits.iter().zip([2.5, 1.0, -6.0]) {
        assert!((hit.score - logistic((odds + logit) / 2.0)).abs() < 1e-9);
        assert!((hit.reranked.unwrap() - logistic(logit)).abs() < 1e-9);
    }
    assert!(hits[0].score > 0.8 && hits[2].score < 0.25, "{hits:?}");
}

#[test]
fn later_hits_keep_their_order_and_score_no_higher() {
    let mut hits = hits(&[(0.9, -3.0), (0.8, 1.0), (0.7, 9.0), (0.1, 8.0)]);
    rerank(&ByNumber, "why", &mut hits, 2).unwrap();
    assert_eq!(order(&hits), ["1", "-3", "9", "8"]);
    assert_eq!(hits[2].score, hits[1].score);
    assert_eq!((hits[3].score, hits[3].reranked), (0.1, None));
}

#[test]
fn neither_opinion_alone_gives_certainty() {
    let score = |score: f64, logit: f64| {
        let mut hits = hits(&[(score, logit)]);
        rerank(&ByNumber, "why", &mut hits, 1).unwrap();
        hits[0].score
    };
    assert!(score(0.05, 4.0) < 0.75, "an unanswered question does not become certain");
    assert!(score(0.9, -2.0) > 0.5, "an unsuited reranker does not silence an answered question");
    for (confidence, logit) in [(0.0, -700.0), (1.0, 700.0), (0.0, 700.0), (1.0, -700.0)] {
        assert!((0.0..=1.0).contains(&score(confidence, logit)));
    }
}

#[test]
fn an_empty_list_or_no_reranked_hit_changes_nothing() {
    rerank(&Broken, "why", &mut [], 20).unwrap();
    let before = hits(&[(0.5, 1.0), (0.4, 2.0)]);
    let mut after = before.clone();
    rerank(&Broken, "why", &mut after, 0).unwrap();
    assert!(rerank(&Broken, "why", &mut after, 20).is_err());
    assert_eq!(after, before);
}

proptest::proptest! {
    #[test]
    fn scores_fall_and_stay_within_bounds(
        of in proptest::collection::vec((0.0..=1.0f64, -20.0..20.0f64), 0..12),
        looked_at in 0..14usize,
    ) {
        let mut of = of;
        of.sort_by(|left, right| right.0.total_cmp(&left.0));
        let mut hits = hits(&of);
        rerank(&ByNumber, "why", &mut hits, looked_at).unwrap();
        proptest::prop_assert!(hits.iter().all(|hit| (0.0..=1.0).contains(&hit.score)));
        proptest::prop_assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
        proptest::prop_assert_eq!(hits.iter().filter(|hit| hit.reranked.is_some()).count(), looked_at.min(of.len()));
    }
}

//! Compares the vectors of a prepared model with those of the same weights in 32-bit floats.

use super::cosines;
use super::reference::TEXTS;
use super::weight_source::{WeightSource, vectors};
use crate::bert::embedder::BertEmbedder;
use crate::bert::encoder::Input;
use crate::bert::reranker::BertReranker;
use crate::local::mean;
use crate::{EmbedError, Embedder, Manifest, Pooling, TextKind};

/// Maximum tokens of a compared text, or pair of texts: the exact computation is slow.
const EXACT_TOKENS: usize = 32;
const EXACT_PAIR_TOKENS: usize = 48;

/// Number of reference texts that serve as questions for all others, and number of compared pairs.
const QUESTIONS: usize = 4;
const PAIRS: usize = 16;
/// Number of pairs that are compared if all are long.
const FEWEST_PAIRS: usize = 2;

/// Returns the cosine of each text's two vectors. The inner error is the reason for a refusal.
pub(super) fn of_embedder(
    kernel: &BertEmbedder,
    manifest: &Manifest,
    original: &impl WeightSource,
) -> Result<Result<Vec<f32>, String>, EmbedError> {
    let framed = |text: &'static str| {
        (text, kernel.tokenizer().encode_with_special(&manifest.prefixed(TextKind::Passage, text)))
    };
    let is_short = |(_, tokens): &(&str, Vec<u32>)| tokens.len() <= EXACT_TOKENS.min(manifest.window);
    let (texts, tokens): (Vec<&str>, Vec<Vec<u32>>) = TEXTS.into_iter().map(framed).filter(is_short).unzip();
    let first_token_only = manifest.pooling == Some(Pooling::Cls);
    let inputs: Vec<Input<'_>> = tokens.iter().map(|ids| Input { ids, second: None, first_token_only }).collect();
    let exact = match vectors(original, &inputs) {
        Ok(exact) => exact,
        Err(reason) => return Ok(Err(reason)),
    };
    let hidden = original.shape().hidden;
    let pooled =
        exact.iter().map(|values| mean(&values[..if first_token_only { hidden } else { values.len() }], hidden));
    let whole = pooled.map(|pooled| kernel.head.apply(pooled));
    Ok(Ok(cosines(&kernel.embed(TextKind::Passage, &texts)?, &whole.collect::<Vec<_>>())))
}

/// Returns, for pairs of texts, the cosine of the classifier's inputs. The error is the reason for a refusal.
pub(super) fn of_reranker(
    kernel: &BertReranker,
    manifest: &Manifest,
    original: &impl WeightSource,
) -> Result<Vec<f32>, String> {
    let (tokenizer, classifier) = (kernel.tokenizer(), kernel.classifier());
    let (questions, texts) = TEXTS.split_at(QUESTIONS);
    let pair = |question: &str, text: &str| tokenizer.pair(&tokenizer.encode(question), &tokenizer.encode(text));
    let pairs = questions.iter().flat_map(|question| texts.iter().map(move |text| pair(question, text)));
    let mut fitting: Vec<_> = pairs.filter(|pair| pair.tokens.len() <= manifest.window).collect();
    if fitting.iter().all(|pair| pair.tokens.len() > EXACT_PAIR_TOKENS) {
        // A small vocabulary has no short pair: then the shortest ones are compared.
        fitting.sort_by_key(|pair| pair.tokens.len());
        fitting.truncate(FEWEST_PAIRS);
    } else {
        fitting.retain(|pair| pair.tokens.len() <= EXACT_PAIR_TOKENS);
        fitting.truncate(PAIRS);
    }
    let pairs = fitting;
    let inputs: Vec<Input<'_>> = pairs.iter().map(|pair| BertReranker::input(pair, classifier)).collect();
    let exact = vectors(original, &inputs)?;
    let theirs: Vec<Vec<f32>> = exact.iter().map(|values| classifier.pooled(values)).collect();
    let ours: Vec<Vec<f32>> = pairs.iter().map(|pair| kernel.pooled(pair)).collect();
    Ok(cosines(&ours, &theirs))
}

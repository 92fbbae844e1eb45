//! A linear model: multinomial logistic regression with weights of 8 bits.
//!
//! A model is one file, made by `scripts/quality/train`:
//!
//! - a line of JSON, [`Header`],
//! - the bias of each label, then the step of each label's weights (f32, little endian),
//! - the weights, one i8 for each label and feature, label by label.

use serde::Deserialize;

use super::features::BITS;

/// The first line of a model.
#[derive(Debug, Deserialize)]
struct Header {
    /// Labels in the order of the weights.
    labels: Vec<String>,
    /// 2 to this power is the number of features.
    bits: u32,
    /// Divides the scores before they become probabilities, so that of the answers given with probability p, a share of p is right
    /// (temperature scaling, Guo et al., 2017).
    temperature: f32,
}

/// A linear model.
#[derive(Debug)]
pub(super) struct Linear {
    header: Header,
    biases: Vec<f32>,
    steps: Vec<f32>,
    weights: &'static [u8],
}

impl Linear {
    /// Reads a model that the program contains.
    ///
    /// # Panics
    /// If the model is not in the form above or has other features than this build: a test reads each model.
    #[expect(clippy::unwrap_used, reason = "a model is a constant of the program")]
    pub(super) fn of(model: &'static [u8]) -> Self {
        let end = model.iter().position(|byte| *byte == b'\n').unwrap();
        let header: Header = serde_json::from_slice(&model[..end]).unwrap();
        assert_eq!(header.bits, BITS);
        let count = header.labels.len();
        let (numbers, weights) = model[end + 1..].split_at(2 * 4 * count);
        assert_eq!(weights.len(), count << BITS);
        let numbers: Vec<f32> = numbers.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Self { biases: numbers[..count].to_vec(), steps: numbers[count..].to_vec(), header, weights }
    }

    /// Returns the labels.
    pub(super) fn labels(&self) -> &[String] {
        &self.header.labels
    }

    /// Returns the probability of each label for these features.
    pub(super) fn probabilities(&self, features: &[(u32, f32)]) -> Vec<f32> {
        let score = |label: usize| {
            let weights = &self.weights[label << BITS..(label + 1) << BITS];
            let sum: f32 =
                features.iter().map(|(index, value)| f32::from(weights[*index as usize] as i8) * value).sum();
            (self.biases[label] + self.steps[label] * sum) / self.header.temperature
        };
        let scores: Vec<f32> = (0..self.header.labels.len()).map(score).collect();
        let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let powers: Vec<f32> = scores.iter().map(|score| (score - highest).exp()).collect();
        let sum: f32 = powers.iter().sum();
        powers.iter().map(|power| power / sum).collect()
    }
}

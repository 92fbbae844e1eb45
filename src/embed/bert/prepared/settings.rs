//! The settings of a file, before its vocabulary.

use bytemuck::{Pod, Zeroable};

use super::sections::Sections;
use super::{FLOAT_UNIGRAM, FLOAT_WORD_PIECE, UNIGRAM};
use crate::bert::arithmetic::GatedUnit;
use crate::bert::modern::Modern;

/// Format of a file that starts with [`Settings`].
pub(super) const WITH_SETTINGS: u32 = 5;

/// Settings of a file. Formats before [`WITH_SETTINGS`] imply all but the number of classes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Settings {
    /// Number of classes of the classifier: 1 or 2; 0 without a classifier.
    pub(super) classes: u32,
    /// [`WORD_PIECE_PIECES`], [`UNIGRAM_PIECES`] or [`BYTE_PIECES`].
    pub(super) pieces: u32,
    /// 1 if the network is a ModernBERT; otherwise the following five are 0.
    pub(super) is_modern: u32,
    pub(super) global_every: u32,
    pub(super) reach: u32,
    /// 0 for the Gaussian error linear unit, 1 for the sigmoid linear unit.
    pub(super) unit: u32,
    pub(super) global_theta: f32,
    pub(super) local_theta: f32,
    /// 1 if the classifier reads the mean of all tokens' vectors.
    pub(super) reads_mean: u32,
    /// Number of merges of byte-level pieces.
    pub(super) merges: u32,
    /// Length of the pattern that splits text into words before merging.
    pub(super) pattern: u32,
    /// Sum of [`WHOLE_WORDS`], [`COMPOSED`] and [`TWO_ENDS`], for byte-level pieces.
    pub(super) flags: u32,
}

pub(super) const WORD_PIECE_PIECES: u32 = 0;
pub(super) const UNIGRAM_PIECES: u32 = 1;
pub(super) const BYTE_PIECES: u32 = 2;

/// A word that is a piece is not split, whatever the merges say.
pub(super) const WHOLE_WORDS: u32 = 1;
/// Text is normalised to NFC.
pub(super) const COMPOSED: u32 = 2;
/// Two end tokens are between two texts instead of one.
pub(super) const TWO_ENDS: u32 = 4;

impl Settings {
    /// Reads the settings at the start of a file of this format.
    pub(super) fn read(format: u32, sections: &mut Sections<'_>) -> Option<Self> {
        if format == WITH_SETTINGS {
            return sections.take::<Self>(1)?.first().copied();
        }
        // Formats of floats start with the number of classes.
        let classes = match format {
            FLOAT_WORD_PIECE | FLOAT_UNIGRAM => *sections.take::<u32>(1)?.first()?,
            _ => 0,
        };
        let pieces = if matches!(format, UNIGRAM | FLOAT_UNIGRAM) { UNIGRAM_PIECES } else { WORD_PIECE_PIECES };
        Some(Self { classes, pieces, ..Self::zeroed() })
    }

    /// Whether each setting is one that the kernel knows.
    pub(super) fn is_known(&self) -> bool {
        self.classes <= 2 && self.pieces <= BYTE_PIECES && self.is_modern <= 1 && self.unit <= 1
    }

    /// Returns the settings of the network; `None` for the BERT family.
    pub(super) fn modern(&self) -> Option<Modern> {
        (self.is_modern == 1).then_some(Modern {
            global_every: self.global_every as usize,
            reach: self.reach as usize,
            unit: if self.unit == 1 { GatedUnit::Silu } else { GatedUnit::Gelu },
            global_theta: self.global_theta,
            local_theta: self.local_theta,
        })
    }

    /// Sets the settings of the network.
    pub(super) fn set_modern(&mut self, modern: Modern) {
        self.is_modern = 1;
        (self.global_every, self.reach) = (modern.global_every as u32, modern.reach as u32);
        self.unit = u32::from(modern.unit == GatedUnit::Silu);
        (self.global_theta, self.local_theta) = (modern.global_theta, modern.local_theta);
    }
}

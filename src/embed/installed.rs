//! An installed model and the state of its prepared file.

use std::fmt;
use std::path::PathBuf;

use super::{EmbedError, HAS_ONNX, Manifest, ModelKind, WeightsForm};

/// An installed model with a valid manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct InstalledModel {
    /// Its folder.
    pub dir: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Whether it came with tars. The folder of such a model holds only the prepared file, without its sources, and
    /// tars never writes to it.
    pub shipped: bool,
    /// The file that records which prepared file passed its check. For a shipped model it is in the person's models directory.
    pub(super) stamp: PathBuf,
}

/// State of a model's prepared file.
#[derive(Debug, Clone, PartialEq)]
pub enum Preparation {
    /// The prepared file exists and is usable.
    Ready {
        /// Mean cosine of its vectors with the original's.
        mean_cosine: f32,
        /// The lowest cosine.
        least_cosine: f32,
    },
    /// The model cannot be prepared.
    Refused {
        /// The reason, in a few words.
        reason: String,
    },
    /// The prepared file is missing or unusable.
    Missing {
        /// The reason, in a few words.
        reason: String,
    },
}

impl InstalledModel {
    /// Whether only the kernel can run the model, because it has no file for ONNX Runtime. Every build can prepare such
    /// a model, unless it is a shipped one, which is already prepared.
    pub fn needs_kernel(&self) -> bool {
        self.shipped || self.manifest.form() != WeightsForm::Onnx
    }

    /// Checks the files that the manifest names, like [`Manifest::verify`]. A shipped model does not have these files;
    /// its prepared file is checked whenever it is opened.
    ///
    /// # Errors
    /// As [`Manifest::verify`].
    pub fn verify(&self, deep: bool) -> Result<(), EmbedError> {
        match self.shipped {
            true => Ok(()),
            false => self.manifest.verify(&self.dir, deep),
        }
    }

    /// Checks the files that the manifest names like [`Manifest::verify_cached`]; skips a shipped model, which does not have them.
    ///
    /// # Errors
    /// As [`Manifest::verify`].
    pub(super) fn verify_cached(&self) -> Result<(), EmbedError> {
        match self.shipped {
            true => Ok(()),
            false => self.manifest.verify_cached(&self.dir).map(drop),
        }
    }

    /// Checks that this build of tars can run the model. Without the feature `onnx` it runs only models that need the
    /// kernel and prepared embedding models.
    ///
    /// # Errors
    /// [`EmbedError::CannotRun`] or [`EmbedError::CannotRerank`]; [`EmbedError::NotPrepared`] if the model needs the
    /// kernel and cannot be prepared; [`EmbedError::Shipped`] for a shipped model with a damaged prepared file.
    pub fn check_runnable(&self) -> Result<(), EmbedError> {
        if self.shipped {
            return match self.preparation() {
                Preparation::Ready { .. } => Ok(()),
                Preparation::Missing { reason } | Preparation::Refused { reason } => {
                    Err(EmbedError::Shipped { model: self.manifest.id.clone(), reason })
                }
            };
        }
        if self.needs_kernel() {
            return match self.preparation() {
                Preparation::Ready { .. } | Preparation::Missing { .. } => Ok(()),
                Preparation::Refused { reason } => {
                    Err(EmbedError::NotPrepared { model: self.manifest.id.clone(), reason })
                }
            };
        }
        if HAS_ONNX {
            return Ok(());
        }
        if self.manifest.kind == ModelKind::Reranker {
            return Err(EmbedError::CannotRerank);
        }
        let (model, preparation) = (self.manifest.id.clone(), self.preparation());
        match preparation {
            Preparation::Ready { .. } => Ok(()),
            Preparation::Refused { .. } | Preparation::Missing { .. } => Err(EmbedError::CannotRun {
                model,
                refused: matches!(preparation, Preparation::Refused { .. }),
                state: preparation.to_string(),
            }),
        }
    }

    /// Checks that the model is of this kind.
    ///
    /// # Errors
    /// [`EmbedError::WrongKind`] if it is not.
    pub(super) fn check_kind(&self, kind: ModelKind) -> Result<(), EmbedError> {
        let found = self.manifest.kind;
        match found == kind {
            true => Ok(()),
            false => Err(EmbedError::WrongKind { id: self.manifest.id.clone(), found, wanted: kind }),
        }
    }
}

impl fmt::Display for Preparation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready { .. } => f.write_str("ready"),
            Self::Refused { reason } => write!(f, "refused: {reason}"),
            Self::Missing { reason } => write!(f, "not prepared: {reason}"),
        }
    }
}

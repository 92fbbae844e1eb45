//! A model on this machine, and how it stands with its prepared file.

use std::fmt;
use std::path::PathBuf;

use super::{EmbedError, HAS_ONNX, Manifest, ModelKind, WeightsForm};

/// A model that is installed and whose manifest is valid.
#[derive(Debug, Clone, PartialEq)]
pub struct InstalledModel {
    /// Its folder.
    pub dir: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Whether it came with tars: such a folder holds the prepared file alone, without the files that it was made from, and is
    /// never written to.
    pub shipped: bool,
    /// File that says which prepared file was found sound: of a shipped model it lies in the person's folder of models.
    pub(super) stamp: PathBuf,
}

/// How it stands with a model's prepared file.
#[derive(Debug, Clone, PartialEq)]
pub enum Preparation {
    /// It is there and can be used.
    Ready {
        /// Mean cosine of its vectors with the original's.
        mean_cosine: f32,
        /// The least.
        least_cosine: f32,
    },
    /// The model is none that can be prepared.
    Refused {
        /// Why, in a few words.
        reason: String,
    },
    /// It is not there, or cannot be used.
    Missing {
        /// Why, in a few words.
        reason: String,
    },
}

impl InstalledModel {
    /// Whether tars alone can run it, since ONNX Runtime has no file of it to read. Every build can prepare it, if it did not come
    /// prepared with tars.
    pub fn needs_kernel(&self) -> bool {
        self.shipped || self.manifest.form() != WeightsForm::Onnx
    }

    /// Checks the files that the manifest names like [`Manifest::verify`]. A shipped model is without them; its prepared file is
    /// checked whenever it is opened.
    ///
    /// # Errors
    /// As [`Manifest::verify`].
    pub fn verify(&self, deep: bool) -> Result<(), EmbedError> {
        match self.shipped {
            true => Ok(()),
            false => self.manifest.verify(&self.dir, deep),
        }
    }

    /// Checks the files that the manifest names like [`Manifest::verify_cached`], if it should have them.
    ///
    /// # Errors
    /// As [`Manifest::verify`].
    pub(super) fn verify_cached(&self) -> Result<(), EmbedError> {
        match self.shipped {
            true => Ok(()),
            false => self.manifest.verify_cached(&self.dir).map(drop),
        }
    }

    /// Checks that this build of tars can run the model: without the feature `onnx` it only runs models that need the kernel, and
    /// prepared embedding models.
    ///
    /// # Errors
    /// [`EmbedError::CannotRun`] or [`EmbedError::CannotRerank`]; [`EmbedError::NotPrepared`] for one that needs the kernel and was refused;
    /// [`EmbedError::Shipped`] for a shipped one whose prepared file is damaged.
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
    pub(super) fn require(&self, kind: ModelKind) -> Result<(), EmbedError> {
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

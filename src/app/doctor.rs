//! Whether what tars keeps is sound, and mending it.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::kept::Kept;
use super::{App, ENGINE, IndexScope, Model, Problem, ProblemKind};
use crate::domain::Progress;
use crate::index::{IndexLock, Report};
use crate::store::StoreError;

/// The answer to `tars doctor`, and its JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Examination {
    /// Whether nothing is wrong.
    pub healthy: bool,
    /// The database.
    pub database: PathBuf,
    /// What is wrong; with `--repair` what is still wrong.
    pub problems: Vec<Problem>,
    /// What was mended, a line each.
    pub repaired: Vec<String>,
    /// Damaged indexes that were set aside; they can be deleted.
    pub set_aside: Vec<PathBuf>,
    /// Files of the memory folder that hold one side of a conflict, for a person to merge.
    pub conflicts: Vec<PathBuf>,
}

impl App {
    /// Looks at all that is kept in the data directory; nothing is changed.
    ///
    /// # Errors
    /// There is no index, or it is another program's or a newer tars'.
    pub fn examine(&self) -> Result<Examination> {
        let database = self.database();
        let mut problems = Vec::new();
        match ENGINE.examine(&database) {
            Ok(flaws) => {
                problems.extend(flaws.into_iter().map(|flaw| Problem::new(ProblemKind::Index, &database, flaw.detail)));
            }
            // The next run converts it.
            Err(StoreError::Older { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        problems.extend(self.kept().exposed());
        problems.extend(self.kept().leftovers());
        let set_aside = ENGINE.aside(&database).unwrap_or_default();
        let conflicts = self.conflicts()?;
        Ok(Examination { healthy: problems.is_empty(), database, problems, repaired: Vec::new(), set_aside, conflicts })
    }

    /// Returns the conflict files of the memory folder. The rest is looked at without a vault, and while it is not there.
    fn conflicts(&self) -> Result<Vec<PathBuf>> {
        let Ok(folder) = self.memory_folder() else { return Ok(Vec::new()) };
        Ok(folder.conflicts()?.iter().map(|file| folder.path().join(file)).collect())
    }

    /// Mends what [`App::examine`] finds: a damaged index is set aside and made anew, leftovers are deleted, and what only its
    /// owner should read is only read by its owner. The caller holds `lock`.
    ///
    /// # Errors
    /// As [`App::examine`] and [`App::index`]; or a file cannot be changed.
    pub fn repair(
        &self,
        lock: &IndexLock,
        load: impl FnOnce() -> Model,
        progress: &dyn Progress,
    ) -> Result<(Examination, Option<Report>)> {
        let found = self.examine()?;
        let (mut repaired, mut report) = (Vec::new(), None);
        if found.problems.iter().any(|problem| problem.kind == ProblemKind::Index) && self.is_damaged()? {
            let aside = ENGINE.set_aside(&self.database(), self.environment.clock.timestamp())?;
            let mut made = self.index(lock, &IndexScope::default(), &load(), progress)?;
            repaired.push(format!("the index is made anew; the damaged one is {}", aside.display()));
            made.set_aside = Some(aside);
            report = Some(made);
        }
        for problem in found.problems {
            let Problem { kind, path, .. } = &problem;
            match kind {
                ProblemKind::Index => continue,
                ProblemKind::Leftover => {
                    fs::remove_file(path)?;
                    repaired.push(format!("{} is deleted", path.display()));
                }
                ProblemKind::Permissions => match self.kept().make_private(path) {
                    // The folder is not tars' alone: that stays a problem.
                    Ok(false) => {}
                    Ok(true) => repaired.push(format!("{} is its owner's alone", path.display())),
                    // It is somebody else's: that stays a problem.
                    Err(error) => tracing::debug!(%error, "{} cannot be changed", path.display()),
                },
            }
        }
        Ok((Examination { repaired, ..self.examine()? }, report))
    }

    /// Deletes the index, which the notes make again. The caller holds `lock`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn delete_index(&self, _lock: &IndexLock) -> Result<()> {
        self.discard_copy()?;
        if !self.database().exists() {
            return Ok(());
        }
        // What is set aside whole is not used by a process that has the former one open.
        let aside = ENGINE.set_aside(&self.database(), self.environment.clock.timestamp())?;
        fs::remove_file(&aside).with_context(|| format!("cannot delete {}", aside.display()))?;
        for part in ["-wal", "-shm"] {
            let mut beside = aside.clone().into_os_string();
            beside.push(part);
            let _ = fs::remove_file(beside);
        }
        Ok(())
    }

    pub(super) fn kept(&self) -> Kept<'_> {
        Kept { data: &self.settings.config.data.dir, home: self.environment.home.as_deref() }
    }
}

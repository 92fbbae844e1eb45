//! Checks and repairs the data of tars.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::data_dir_audit::DataDirectory;
use super::{App, ENGINE, IndexScope, Model, Problem, ProblemKind};
use tars_base::domain::Progress;
use tars_engine::index::{IndexLock, Report};
use tars_store::StoreError;

/// The answer to `tars doctor`, and its JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Examination {
    /// Whether there are no problems.
    pub healthy: bool,
    /// The database.
    pub database: PathBuf,
    /// The problems; with `--repair`, those that remain.
    pub problems: Vec<Problem>,
    /// The repairs, a line each.
    pub repaired: Vec<String>,
    /// Damaged indexes that were set aside; they can be deleted.
    pub set_aside: Vec<PathBuf>,
    /// Files of the memory folder that hold one side of a conflict, for a person to merge.
    pub conflicts: Vec<PathBuf>,
}

impl App {
    /// Examines everything in the data directory; nothing is changed.
    ///
    /// # Errors
    /// There is no index; or it belongs to another program or to a newer tars.
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
        problems.extend(self.data_directory().exposed());
        problems.extend(self.data_directory().leftovers());
        let set_aside = ENGINE.set_aside_indexes(&database).unwrap_or_default();
        let conflicts = self.conflicts()?;
        Ok(Examination { healthy: problems.is_empty(), database, problems, repaired: Vec::new(), set_aside, conflicts })
    }

    /// Returns the conflict files of the memory folder; empty without a vault, or while the vault is away.
    fn conflicts(&self) -> Result<Vec<PathBuf>> {
        let Ok(folder) = self.memory_folder() else { return Ok(Vec::new()) };
        Ok(folder.conflicts()?.iter().map(|file| folder.path().join(file)).collect())
    }

    /// Repairs the problems that [`App::examine`] finds: sets a damaged index aside and rebuilds it, deletes leftovers, and
    /// restricts files to their owner. The caller holds `lock`.
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
            repaired.push(format!("the index is rebuilt; the damaged one is {}", aside.display()));
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
                ProblemKind::Permissions => match self.data_directory().make_private(path) {
                    // The folder holds foreign files, so the problem remains.
                    Ok(false) => {}
                    Ok(true) => repaired.push(format!("{} is now accessible to its owner only", path.display())),
                    // It belongs to another user, so the problem remains.
                    Err(error) => tracing::debug!(%error, "{} cannot be changed", path.display()),
                },
            }
        }
        Ok((Examination { repaired, ..self.examine()? }, report))
    }

    /// Deletes the index, which can be rebuilt from the notes. The caller holds `lock`.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn delete_index(&self, _lock: &IndexLock) -> Result<()> {
        self.discard_copy()?;
        if !self.database().exists() {
            return Ok(());
        }
        // Setting the whole index aside first stops processes that have it open from using it further.
        let aside = ENGINE.set_aside(&self.database(), self.environment.clock.timestamp())?;
        fs::remove_file(&aside).with_context(|| format!("cannot delete {}", aside.display()))?;
        for part in ["-wal", "-shm"] {
            let mut beside = aside.clone().into_os_string();
            beside.push(part);
            let _ = fs::remove_file(beside);
        }
        Ok(())
    }

    pub(super) fn data_directory(&self) -> DataDirectory<'_> {
        DataDirectory { data: &self.settings.config.data.dir, home: self.environment.home.as_deref() }
    }
}

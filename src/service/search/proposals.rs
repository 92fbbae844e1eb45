//! The stage that keeps lists of proposals from agents: they quote what notes say, and wait for the person's word or were refused.

use super::Search;
use crate::{App, Result, VAULT};
use tars_base::domain::Hit;
use tars_memory::{PROPOSALS, SETTLED_PROPOSALS};

/// Drops the hits in lists of proposals from an answer for an agent or a budget.
pub(super) fn dropped(search: &Search<'_, '_>, mut hits: Vec<Hit>) -> Result<Vec<Hit>> {
    if search.asked.requests {
        hits.retain(|hit| !is_list(search.service.app, hit));
    }
    Ok(hits)
}

/// Whether a hit is in a list of open or settled proposals, or in the archive of a review.
pub(crate) fn is_list(app: &App, hit: &Hit) -> bool {
    let folder = &app.settings.config.vault.memory_folder;
    let inner = hit.path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/'));
    let is_list = |file: &str| [PROPOSALS, SETTLED_PROPOSALS].contains(&file) || file.starts_with("archive/review-");
    hit.collection == VAULT && inner.is_some_and(is_list)
}

//! The files that pass a filter.

use jiff::civil::Date;

use super::state::{File, State};
use crate::path_filter::{KnownPaths, PathFilter};
use crate::property_filter::{passes, property_key};
use crate::{Scope, StoreError};
use tars_base::domain::{Filter, PropertyCondition};
use tars_text::names::folded;

/// Returns the files that pass a filter.
pub(super) fn scope(state: &State, filter: &Filter) -> Result<Scope, StoreError> {
    let root = |file: &File| state.collection(file.record.collection).root.clone();
    let roots: Vec<String> = state.collections.values().map(|collection| collection.root.clone()).collect();
    let files = || Ok(state.files.values().map(|file| (root(file), file.record.path.clone())).collect());
    let paths = PathFilter::of(filter, &KnownPaths { roots: &roots, files: &files })?;
    let mut known: Vec<&str> = state.collections.values().map(|collection| collection.name.as_str()).collect();
    if let Some(name) = filter.collections.iter().find(|name| !known.contains(&name.as_str())) {
        known.sort_unstable();
        return Err(StoreError::UnknownCollection { name: name.clone(), known: known.join(", ") });
    }
    let admits = |file: &File| {
        let name = &state.collection(file.record.collection).name;
        (filter.collections.is_empty() || filter.collections.contains(name))
            && (filter.memory_types.is_empty() || filter.memory_types.contains(&file.memory_type))
            && filter.tags.iter().all(|tag| carries(file, tag))
            && !filter.without_tags.iter().any(|tag| carries(file, tag))
            && filter.properties.iter().all(|condition| has(file, condition) != condition.is_excluded)
            && filter.dates.is_none_or(|range| {
                let within = |date: &Date| (range.first..=range.last).contains(date);
                if file.dates.is_empty() { within(&file.newest_day()) } else { file.dates.iter().any(within) }
            })
            && paths.admits(&root(file), &file.record.path)
    };
    Ok(Scope { files: state.files.values().filter(|file| admits(file)).map(|file| file.record.id).collect() })
}

fn carries(file: &File, tag: &str) -> bool {
    let tag = folded(tag.trim_start_matches('#'));
    file.tags.iter().any(|one| *one == tag || one.starts_with(&format!("{tag}/")))
}

fn has(file: &File, condition: &PropertyCondition) -> bool {
    let key = property_key(&condition.name);
    file.properties.iter().any(|one| property_key(&one.name) == key && passes(condition, &one.value))
}

//! Runs the indexer over all roots.

use super::backlog::{self, EmbeddingContext};
use super::collection_run::CollectionRun;
use super::{IndexError, IndexOptions, Report, Root};
use tars_base::domain::{Progress, TextHash};
use tars_base::embedding::Embedder;
use tars_store::Store;
use tars_text::{formats, redact};

/// Brings the index up to date with `roots` and removes collections that are no longer among them. An unusable root does not stop
/// the others: it is counted and reported, and none of its notes are removed.
///
/// # Errors
/// See [`IndexError`]; files that cannot be read are warnings in the report.
pub fn run(
    store: &mut dyn Store,
    embedder: Option<&dyn Embedder>,
    roots: &[Root],
    options: &IndexOptions,
    progress: &dyn Progress,
) -> Result<Report, IndexError> {
    check_paths(roots, options)?;
    let mut report = Report::default();
    if let Some(embedder) = embedder.filter(|_| options.part.has_vectors()) {
        store.adopt_model(embedder.model())?;
    }
    let (counter, chunk) = options.chunking(embedder);
    // Every file stores this name, so a hash replaces the long text. It includes the memory folder, which determines the notes of
    // facts.
    let (cut, memory) = (chunk.fingerprint(counter), &options.memory_folder);
    let chunker = format!("{cut} redact={} formats={} memory={memory}", redact::VERSION, formats::VERSION);
    let chunker = TextHash::of(&chunker).short();
    for root in roots.iter().filter(|_| options.part.has_words()) {
        let path = root.path.to_string_lossy();
        let known = store.snapshot()?.collections()?.into_iter().find(|collection| collection.name == root.name);
        let former = known.as_ref().map(|collection| collection.root.as_str()).filter(|former| *former != path);
        let collection = match &known {
            Some(collection) => collection.id,
            None => store.ensure_collection(&root.name, &path)?,
        };
        let run = CollectionRun {
            root,
            collection,
            options,
            counter,
            chunk: &chunk,
            chunker: &chunker,
            embedder,
            progress,
            former,
        };
        match run.index_words(store, &mut report) {
            Err(error @ (IndexError::RootMissing { .. } | IndexError::RootEmpty { .. })) => {
                let hint = error.hint().map(|hint| format!(" (try: {hint})")).unwrap_or_default();
                report.failed += 1;
                report.roots_missing += 1;
                report.missing.push(error.to_string());
                report.warn(format!("{error}{hint}"), progress);
            }
            other => {
                other?;
                store.ensure_collection(&root.name, &path)?;
            }
        }
        if report.interrupted {
            break;
        }
    }
    if options.walk.only.is_empty() && options.part.has_words() && !report.interrupted {
        forget_collections(store, roots)?;
    }
    warn_of_front_matter(progress, &mut report);
    if options.part.has_words() && !report.interrupted {
        progress.searchable(&report.missing);
    }
    if let Some(embedder) = embedder
        && options.part.has_vectors()
        && !report.interrupted
    {
        let backlog = EmbeddingContext { roots, options, counter, chunk: &chunk };
        backlog::embed(store, embedder, &backlog, progress, &mut report)?;
        if store.snapshot()?.statistics()?.pending == 0 {
            store.forget_former_models()?;
        }
    }
    if let Some(remark) = decoded_remark(&report.decoded) {
        report.warn(remark, progress);
    }
    report.pending = if embedder.is_some() { store.snapshot()?.statistics()?.pending } else { 0 };
    Ok(report)
}

/// Says which notes were in another encoding.
fn decoded_remark(decoded: &[String]) -> Option<String> {
    const SHOWN: usize = 5;
    let (first, rest) = decoded.split_at(decoded.len().min(SHOWN));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    let subject = if decoded.len() == 1 { "a note is" } else { "notes are" };
    (!first.is_empty())
        .then(|| format!("{subject} not UTF-8, and read in another encoding: {}{more}", first.join(", ")))
}

fn check_paths(roots: &[Root], options: &IndexOptions) -> Result<(), IndexError> {
    for path in &options.walk.only {
        if !roots.iter().any(|root| path.starts_with(&root.path)) {
            let roots: Vec<String> = roots.iter().map(|root| root.path.display().to_string()).collect();
            return Err(IndexError::OutsideRoots { path: path.clone(), roots: roots.join(", ") });
        }
    }
    Ok(())
}

fn forget_collections(store: &mut dyn Store, roots: &[Root]) -> Result<(), IndexError> {
    let known = store.snapshot()?.collections()?;
    for collection in known {
        if !roots.iter().any(|root| root.name == collection.name) {
            store.remove_collection(collection.id)?;
        }
    }
    Ok(())
}

/// Warns of the notes whose front matter YAML refuses: of each of a few, of many at once. The report names them all.
fn warn_of_front_matter(progress: &dyn Progress, report: &mut Report) {
    const FEW: usize = 3;
    let refused = std::mem::take(&mut report.refused_front_matter);
    match refused.len() {
        0..=FEW => refused.iter().for_each(|message| progress.warn(message)),
        many => progress.warn(&format!("{many} notes have front matter that is no YAML (tars doctor lists them)")),
    }
    report.warnings.extend(refused);
}

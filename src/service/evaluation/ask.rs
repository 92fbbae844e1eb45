//! Asks every question in every system.

use std::collections::{BTreeSet, HashMap};
use std::time::Instant;

use super::counting::count_words;
use super::run::DEPTH;
use super::{First, Measured, Question, Run, System};
use crate::{App, Context, Model, Result, SearchRequest, SecondStage};
use tars_base::domain::{Hit, Mode, Progress, Stage};
use tars_engine::search::SearchError;
use tars_rank::metrics::{Place, RankedResult, measure};
use tars_store::{Reader, Statistics};

/// Maximum number of overlapping chunks that share one line: this many more results are requested per ignored line.
const SHARED: usize = 4;
/// Maximum number of results to request.
const DEEPEST: usize = 200;

/// The system under test.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The settings, and the assembly of answers.
    pub app: &'a App,
    /// A snapshot of the index.
    pub store: &'a dyn Reader,
    /// The model, if there is one.
    pub model: &'a Model,
    /// The second stage after a search, if the settings ask for one.
    pub stage: Option<&'a SecondStage>,
}

/// Results of an evaluation.
#[derive(Debug, Clone, Default)]
pub struct Evaluation {
    /// Contents of the index.
    pub statistics: Statistics,
    /// One run for each system, in the order of [`System::ALL`].
    pub runs: Vec<Run>,
    /// Why systems that need a model were left out, if they were.
    pub unavailable_reason: Option<String>,
    /// Number of questions that name a file that is not indexed. They are measured like the others.
    pub astray: usize,
    /// Paths of those files.
    pub absent: BTreeSet<String>,
    /// Number of questions without a searchable word. They count as unanswered.
    pub empty: usize,
    /// Reasons for degraded answers, and the number of answers for each.
    pub degraded: Vec<(String, usize)>,
    /// Whether it was interrupted; the runs are then incomplete.
    pub interrupted: bool,
}

/// Asks `questions` once in each of `systems`, over one snapshot of the index. Systems that need a model are skipped if none is usable.
///
/// # Errors
/// The index cannot be read, a question is invalid, or the model fails.
pub fn evaluate(
    subject: Subject<'_>,
    questions: &[Question],
    systems: &[System],
    progress: &dyn Progress,
) -> Result<Evaluation> {
    let reason = if systems.iter().any(|system| system.needs_model()) {
        unavailable_reason(subject.store, subject.model)?
    } else {
        None
    };
    let can = |system: &System| systems.contains(system) && (reason.is_none() || !system.needs_model());
    let systems: Vec<System> = System::ALL.into_iter().filter(can).collect();
    let mut found =
        Evaluation { statistics: subject.store.statistics()?, unavailable_reason: reason, ..Evaluation::default() };
    find_absent(subject.store, questions, &mut found)?;
    progress.start(Stage::Asking, systems.len() * questions.len());
    for system in systems {
        let mut measured = Vec::with_capacity(questions.len());
        match system.mode() {
            Some(mode) => {
                // Reset, because every mode asks the same questions.
                found.empty = 0;
                for question in questions.iter().take_while(|_| !progress.cancelled()) {
                    measured.push(ask(subject, question, mode, &mut found)?);
                    progress.advance(1);
                }
            }
            None => {
                for (question, list) in questions.iter().zip(count_words(subject.store, questions)?) {
                    let figures = measure(&list, &question.relevant).rounded();
                    measured.push(Measured { figures, ms: None, first: None });
                }
                progress.advance(questions.len());
            }
        }
        found.runs.push(Run { system, measured });
        if progress.cancelled() {
            found.interrupted = true;
            break;
        }
    }
    progress.finish();
    Ok(found)
}

/// Returns the reason if a search by meaning is not possible.
pub(super) fn unavailable_reason(store: &dyn Reader, model: &Model) -> Result<Option<String>> {
    let Some(embedder) = model.embedder() else {
        return Ok(Some(model.unavailable_reason().unwrap_or_else(|| "embedding.provider is 'none'".into())));
    };
    let model = embedder.model().as_str();
    Ok(match store.meta("model")? {
        Some(known) if known == model => None,
        Some(known) => Some(format!("the notes are embedded with {known}, not with {model}: run 'tars index'")),
        None => Some("the notes are not embedded: run 'tars index'".into()),
    })
}

fn find_absent(store: &dyn Reader, questions: &[Question], found: &mut Evaluation) -> Result<()> {
    let mut known: HashMap<String, Vec<String>> = HashMap::new();
    for collection in store.collections()? {
        for file in store.files(collection.id)? {
            known.entry(file.path).or_default().push(collection.name.clone());
        }
    }
    let is_there = |place: &Place| {
        known.get(&place.path).is_some_and(|names| place.collection.as_ref().is_none_or(|name| names.contains(name)))
    };
    for question in questions {
        let absent: Vec<&Place> = question.relevant.iter().filter(|place| !is_there(place)).collect();
        found.astray += usize::from(!absent.is_empty());
        found.absent.extend(absent.into_iter().map(|place| place.path.clone()));
    }
    Ok(())
}

fn ask(subject: Subject<'_>, question: &Question, mode: Mode, found: &mut Evaluation) -> Result<Measured> {
    let Subject { app, store, model, stage } = subject;
    let request = SearchRequest {
        query: question.text.clone(),
        mode: Some(mode),
        limit: Some((DEPTH + SHARED * question.ignored.len()).min(DEEPEST)),
        language: question.language,
        ..SearchRequest::default()
    };
    let asked = request.asked(app)?;
    let started = Instant::now();
    let stage = stage.map(|stage| stage.prepared(&asked.query));
    let answer = app.answer(store, model, &asked, stage.as_ref());
    let ms = started.elapsed().as_secs_f64() * 1000.0;
    let hits = match answer {
        Ok(answer) => {
            if let Some(reason) = answer.degraded {
                count(&mut found.degraded, reason);
            }
            answer.hits
        }
        Err(SearchError::NoWords | SearchError::OnlyOperators) => {
            found.empty += 1;
            Vec::new()
        }
        Err(error) => return Err(error).with_context(|| format!("question '{}'", question.id)),
    };
    let (scores, shown): (Vec<f64>, Vec<RankedResult>) = shown(hits, question).into_iter().unzip();
    let first = scores.first().zip(shown.first()).map(|(score, first)| First {
        score: *score,
        right: question.relevant.iter().any(|place| place.overlaps(&first.place)),
    });
    Ok(Measured { figures: measure(&shown, &question.relevant).rounded(), ms: Some(ms), first })
}

fn count(reasons: &mut Vec<(String, usize)>, reason: String) {
    match reasons.iter_mut().find(|(known, _)| *known == reason) {
        Some((_, times)) => *times += 1,
        None => reasons.push((reason, 1)),
    }
}

/// Returns the results that count, with their scores.
fn shown(hits: Vec<Hit>, question: &Question) -> Vec<(f64, RankedResult)> {
    let shown = hits.into_iter().map(|hit| {
        (
            hit.score,
            RankedResult {
                characters: hit.content.chars().count(),
                place: Place {
                    collection: Some(hit.collection),
                    path: hit.path,
                    start_line: hit.start_line,
                    end_line: hit.end_line,
                },
            },
        )
    });
    shown.filter(|(_, shown)| question.counts(&shown.place)).take(DEPTH).collect()
}

impl Question {
    /// Whether a result at `place` counts at all.
    pub(super) fn counts(&self, place: &Place) -> bool {
        !self.ignored.iter().any(|ignored| ignored.overlaps(place))
    }
}

//! Measures how well the index answers questions with known answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize, Serializer};

use crate::evaluation::{
    Band, Compared, Evaluation, Question, Record, Run, SampleOptions, SelfQuestions, SelfQuestionsSource, Subject,
    System, Timing, compare, evaluate, read_questions, read_records,
};
use crate::{App, CatchUp, FreshIndex, Interrupted, Model, Refusal, Result, Service, StageRequest, UseCase};
use tars_base::domain::pluralize;
use tars_engine::search::SearchError;
use tars_rank::metrics::Figures;

/// Valid numbers of questions to generate from notes.
const SAMPLE_SIZES: std::ops::RangeInclusive<u16> = 1..=10_000;
/// Below this number of questions, a warning says that there are few.
const FEW_QUESTIONS: usize = 20;

/// Asks every question in every mode, on one state of the index, and measures the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvalRequest {
    /// The file of questions (see [`crate::evaluation`]); `None` generates questions from the notes.
    pub queries: Option<PathBuf>,
    /// Maximum number of generated questions, 1 to 10,000.
    pub sample: u16,
    /// The seed of the sample: another number generates other questions.
    pub seed: u64,
    /// The modes to measure; empty measures all.
    pub modes: Vec<System>,
    /// A file with the records of an earlier run, to compare this run with.
    pub against: Option<PathBuf>,
}

impl Default for EvalRequest {
    fn default() -> Self {
        Self { queries: None, sample: 200, seed: 0, modes: Vec::new(), against: None }
    }
}

/// The figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvalResponse {
    /// Number of questions.
    pub questions: usize,
    /// Number of notes in the index.
    pub files: usize,
    /// Number of chunks in the index.
    pub chunks: usize,
    /// Why the modes that need a model were left out, if they were.
    pub left_out: Option<String>,
    /// Number of questions that name a file that is not indexed.
    pub astray: usize,
    /// Those files, by path.
    pub absent: Vec<String>,
    /// Number of questions without a searchable word.
    pub empty: usize,
    /// The reasons for degraded answers, each with the number of answers; JSON has only the reasons.
    #[serde(serialize_with = "reasons")]
    pub degraded: Vec<(String, usize)>,
    /// The figures of each mode, in the order of [`System::ALL`].
    pub modes: Vec<ModeFigures>,
    /// Each figure beside that of the earlier run, if one was named; empty if the runs share no question.
    pub against: Option<Vec<Compared>>,
    /// The result of each question in each mode, to keep for a later comparison.
    #[serde(skip)]
    pub records: Vec<Record>,
}

/// The figures of one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModeFigures {
    /// The mode.
    pub mode: System,
    /// How long questions took; `None` if they were not asked one by one.
    pub ms: Option<Timing>,
    /// Over all questions; six decimals in JSON.
    #[serde(serialize_with = "rounded")]
    pub overall: Figures,
    /// How often first results are right, by the relevance that they are labelled with.
    pub reliability: Vec<Band>,
    /// The figures of each category, by name.
    pub categories: Vec<CategoryFigures>,
}

/// The figures of one category in one mode.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CategoryFigures {
    /// Its name.
    pub category: String,
    /// How many questions it has.
    pub questions: usize,
    /// The figures; six decimals in JSON.
    #[serde(flatten, serialize_with = "rounded")]
    pub figures: Figures,
}

impl UseCase for EvalRequest {
    type Response = EvalResponse;

    fn run(&self, service: &Service<'_>) -> Result<EvalResponse> {
        if !SAMPLE_SIZES.contains(&self.sample) {
            let message = format!("sample is {}, not {} to {}", self.sample, SAMPLE_SIZES.start(), SAMPLE_SIZES.end());
            return Err(Refusal { message, hint: "a number of questions, such as 200".into() }.into());
        }
        let earlier = self.against.as_deref().map(read_records).transpose()?;
        let (questions, found) = match &self.queries {
            Some(file) => self.ask(service, read_questions(file)?)?,
            None => self.ask_self_questions(service)?,
        };
        if found.interrupted {
            return Err(Interrupted.into());
        }
        if found.runs.is_empty()
            && let Some(reason) = &found.unavailable_reason
        {
            return Err(SearchError::NoSemantics { reason: reason.clone() }.into());
        }
        let records: Vec<Record> = found.runs.iter().flat_map(|run| run.records(&questions)).collect();
        let categories = categories(&questions);
        Ok(EvalResponse {
            questions: questions.len(),
            files: found.statistics.files,
            chunks: found.statistics.chunks,
            modes: found.runs.iter().map(|run| ModeFigures::new(run, &questions, &categories)).collect(),
            left_out: found.unavailable_reason,
            astray: found.astray,
            absent: found.absent.into_iter().collect(),
            empty: found.empty,
            degraded: found.degraded,
            against: earlier.map(|earlier| compare(&earlier, &records)),
            records,
        })
    }
}

impl EvalRequest {
    fn systems(&self) -> &[System] {
        if self.modes.is_empty() { &System::ALL } else { &self.modes }
    }

    fn model(&self, app: &App, workers: usize) -> Model {
        if self.systems().iter().any(|system| system.needs_model()) { app.model(workers) } else { Model::Off }
    }

    fn ask(&self, service: &Service<'_>, questions: Vec<Question>) -> Result<(Vec<Question>, Evaluation)> {
        let Service { app, observer, .. } = service;
        let (model, opened) = app.open_fresh(|| self.model(app, 1), CatchUp::Words, |_, _| None::<()>);
        let FreshIndex { store, freshness, .. } = opened?;
        if freshness.pending > 0 {
            observer.warn(&format!("the index is behind by {} (tars index)", pluralize(freshness.pending, "note")));
        }
        let stage = app.second_stage(StageRequest::default())?;
        let index = store.snapshot()?;
        let subject = Subject { app, store: &*index, model: &model, stage: stage.as_ref() };
        let found = evaluate(subject, &questions, self.systems(), *observer)?;
        Ok((questions, found))
    }

    fn ask_self_questions(&self, service: &Service<'_>) -> Result<(Vec<Question>, Evaluation)> {
        let Service { app, observer, .. } = service;
        let options = SampleOptions { size: self.sample.into(), seed: self.seed };
        // The index is used as it is, without an update.
        let (_, opened) = app.open_fresh(|| Model::Off, CatchUp::Nothing, |_, _| None::<()>);
        let store = opened?.store;
        let source = SelfQuestionsSource { app, store: &*store, model: &self.model(app, app.workers()) };
        let own = SelfQuestions::make(source, options, *observer)?;
        let SelfQuestions { folder: _folder, questions, app, store, changed } = own.ok_or(Interrupted)?;
        if changed > 0 {
            let notes = pluralize(changed, "note");
            observer.warn(&format!(
                "passed over: {notes} that changed since the last index or cannot be read (tars index)"
            ));
        }
        // With as many threads as a search uses.
        let (model, stage) = (self.model(&app, 1), app.second_stage(StageRequest::default())?);
        let index = store.snapshot()?;
        let subject = Subject { app: &app, store: &*index, model: &model, stage: stage.as_ref() };
        let found = evaluate(subject, &questions, self.systems(), *observer)?;
        if questions.len() < FEW_QUESTIONS {
            observer.warn(&format!("no more than {}: the figures say little", pluralize(questions.len(), "question")));
        }
        Ok((questions, found))
    }
}

impl ModeFigures {
    fn new(run: &Run, questions: &[Question], categories: &[&str]) -> Self {
        let category = |name: &&str| CategoryFigures {
            category: (*name).to_owned(),
            questions: questions.iter().filter(|one| one.category.as_deref() == Some(name)).count(),
            figures: run.mean(questions, Some(name)),
        };
        Self {
            mode: run.system,
            ms: run.timing(),
            overall: run.mean(questions, None),
            reliability: run.reliability(questions, None),
            categories: categories.iter().map(category).collect(),
        }
    }
}

fn categories(questions: &[Question]) -> Vec<&str> {
    let mut names: Vec<&str> = questions.iter().filter_map(|question| question.category.as_deref()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn rounded<S: Serializer>(figures: &Figures, serializer: S) -> Result<S::Ok, S::Error> {
    figures.rounded().serialize(serializer)
}

fn reasons<S: Serializer>(degraded: &[(String, usize)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(degraded.iter().map(|(reason, _)| reason))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Backend;
    use tars_config::Environment;

    #[test]
    fn json_has_figures_with_six_decimals_and_reasons_without_counts() {
        let figures = Figures::of(|_| Ok::<f64, ()>(1.0 / 3.0)).unwrap();
        let category = CategoryFigures { category: "people".into(), questions: 3, figures };
        let printed = serde_json::to_value(&category).unwrap();
        assert_eq!((&printed["category"], &printed["mrr@10"]), (&json!("people"), &json!(0.333_333)));
        let response = EvalResponse {
            questions: 3,
            files: 2,
            chunks: 2,
            left_out: None,
            astray: 0,
            absent: Vec::new(),
            empty: 0,
            degraded: vec![("no model".into(), 3)],
            modes: Vec::new(),
            against: None,
            records: Vec::new(),
        };
        let printed = serde_json::to_value(&response).unwrap();
        assert_eq!(printed["degraded"], json!(["no model"]));
        assert!(printed.get("records").is_none(), "{printed}");
    }

    #[test]
    fn a_sample_size_out_of_range_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let place = Some(home.path().to_owned());
        let environment = Environment { home: place.clone(), directory: place, ..Environment::default() };
        let app = App::new(environment, &[]).unwrap();
        for sample in [0, 10_001] {
            let error = Service::new(&app, Backend::Local).call(&EvalRequest { sample, ..EvalRequest::default() });
            assert_eq!(error.unwrap_err().to_string(), format!("sample is {sample}, not 1 to 10000"));
        }
    }
}

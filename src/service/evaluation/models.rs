//! Compares two installed models on a person's own notes.
//!
//! Both models answer the same questions, derived from names in the notes, each over an index that it made of all notes. The vault and
//! its index are only read.

use serde::{Deserialize, Serialize};

use super::{Compared, Evaluation, Record, SampleOptions, SelfQuestions, SelfQuestionsSource, Subject, System};
use super::{compare, evaluate};
use crate::{App, CatchUp, Interrupted, Model, Refusal, Result, Service, StageRequest, UseCase};
use tars_base::domain::pluralize;
use tars_config::Provider;
use tars_embed::ModelKind;
use tars_rank::metrics::{Difference, Metric};

/// The modes that a model affects. The first one decides.
const MODES: [System; 2] = [System::Hybrid, System::Vector];
/// The figure that decides.
const DECIDING: Metric = Metric::Ndcg;
/// Valid numbers of questions.
const SAMPLE_SIZES: std::ops::RangeInclusive<u16> = 1..=10_000;

/// Measures two installed embedding models on the notes, and says which one to take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareModelsRequest {
    /// Id of the first model.
    pub first: String,
    /// Id of the second model.
    pub second: String,
    /// Maximum number of questions, 1 to 10,000.
    #[serde(default = "usual_sample")]
    pub sample: u16,
    /// The seed of the sample: another number generates other questions.
    #[serde(default)]
    pub seed: u64,
}

fn usual_sample() -> u16 {
    200
}

/// The figures of both models.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CompareModelsResponse {
    /// The models, in the order of the request.
    pub models: [ComparedModel; 2],
    /// Number of questions.
    pub questions: usize,
    /// Every figure of the first model (`before`) and the second (`now`), with the difference and its interval.
    pub figures: Vec<Compared>,
    /// The model to take.
    pub verdict: Verdict,
}

/// A model in a comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedModel {
    /// Its id.
    pub id: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Size of its files, in bytes.
    pub bytes: u64,
    /// Median duration of a hybrid search, in milliseconds.
    pub ms: f64,
}

/// The model to take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// Its id.
    pub take: String,
    /// Why.
    pub reason: Reason,
}

/// Why a model is the one to take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It finds more: the interval of the difference excludes 0.
    FindsMore,
    /// The questions show no difference, and its files are smaller, or its vectors if the files are of one size.
    Smaller,
}

impl UseCase for CompareModelsRequest {
    type Response = CompareModelsResponse;

    fn run(&self, service: &Service<'_>) -> Result<CompareModelsResponse> {
        if !SAMPLE_SIZES.contains(&self.sample) {
            let message = format!("sample is {}, not {} to {}", self.sample, SAMPLE_SIZES.start(), SAMPLE_SIZES.end());
            return Err(Refusal { message, hint: "a number of questions, such as 200".into() }.into());
        }
        if self.first == self.second {
            let message = format!("'{}' was to be compared with itself", self.first);
            return Err(Refusal { message, hint: "tars models list, for another model".into() }.into());
        }
        // Both are checked before the first one embeds anything.
        let (first, second) = (with_model(service.app, &self.first)?, with_model(service.app, &self.second)?);
        let (one, before) = self.measure(service, &first)?;
        let (other, now) = self.measure(service, &second)?;
        let figures = compare(&before, &now);
        let deciding = figures.iter().find(|each| each.system == MODES[0] && each.metric == DECIDING);
        let verdict = verdict([&one, &other], deciding.map(|each| each.difference));
        let questions = deciding.map_or(0, |each| each.questions);
        Ok(CompareModelsResponse { models: [one, other], questions, figures, verdict })
    }
}

impl CompareModelsRequest {
    fn measure(&self, service: &Service<'_>, app: &App) -> Result<(ComparedModel, Vec<Record>)> {
        let observer = service.observer;
        let installed = app.catalog().get(&app.settings.config.embedding.model)?;
        if app.needs_preparation() {
            app.prepare(&installed.manifest.id, false)?;
        }
        let ready = |workers: usize| match app.model(workers) {
            Model::Missing(error) => Err(error),
            model => Ok(model),
        };
        let options = SampleOptions { size: self.sample.into(), seed: self.seed };
        // The index only names the notes. It is used as it is.
        let (_, opened) = service.app.open_fresh(|| Model::Off, CatchUp::Nothing, |_, _| None::<()>);
        let store = opened?.store;
        let source = SelfQuestionsSource { app, store: &*store, model: &ready(app.workers())? };
        let own = SelfQuestions::make_with_own_index(source, options, observer)?.ok_or(Interrupted)?;
        let SelfQuestions { folder: _folder, questions, app, store, changed } = own;
        if changed > 0 {
            let notes = pluralize(changed, "note");
            observer.warn(&format!(
                "passed over: {notes} that changed since the last index or cannot be read (tars index)"
            ));
        }
        // With as many threads as a search uses.
        let (model, stage) = (ready(1)?, app.second_stage(StageRequest::default())?);
        let index = store.snapshot()?;
        let subject = Subject { app: &app, store: &*index, model: &model, stage: stage.as_ref() };
        let Evaluation { runs, interrupted, .. } = evaluate(subject, &questions, &MODES, observer)?;
        if interrupted {
            return Err(Interrupted.into());
        }
        let compared = ComparedModel {
            id: installed.manifest.id.clone(),
            dimensions: installed.manifest.dimensions,
            bytes: installed.size(),
            ms: runs.first().and_then(super::Run::timing).map_or(0.0, |timing| timing.median),
        };
        Ok((compared, runs.iter().flat_map(|run| run.records(&questions)).collect()))
    }
}

/// Returns the settings with another local model. Its prefixes are its own: those of the settings were made for the configured model.
fn with_model(app: &App, id: &str) -> Result<App> {
    let found = app.catalog().get(id)?;
    if found.manifest.kind != ModelKind::Embedding {
        let message = format!("'{id}' is a reranker, and the comparison is between embedding models");
        return Err(Refusal { message, hint: "tars models list, for another model".into() }.into());
    }
    found.check_runnable()?;
    let mut app = App::of(app.environment.clone(), app.settings.clone());
    let embedding = &mut app.settings.config.embedding;
    if embedding.provider != Provider::Onnx || embedding.model != id {
        (embedding.query_prefix, embedding.passage_prefix) = (None, None);
    }
    (embedding.provider, embedding.model) = (Provider::Onnx, id.to_owned());
    Ok(app)
}

/// Returns the model that finds more, if the interval of the difference excludes 0, and otherwise the smaller one.
fn verdict(models: [&ComparedModel; 2], difference: Option<Difference>) -> Verdict {
    let [first, second] = models;
    // A model and its cut have files of one size.
    let size = |model: &ComparedModel| (model.bytes, model.dimensions);
    let (taken, reason) = match difference {
        Some(difference) if difference.low > 0.0 => (second, Reason::FindsMore),
        Some(difference) if difference.high < 0.0 => (first, Reason::FindsMore),
        _ => (if size(second) < size(first) { second } else { first }, Reason::Smaller),
    };
    Verdict { take: taken.id.clone(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str, bytes: u64) -> ComparedModel {
        ComparedModel { id: id.into(), dimensions: 384, bytes, ms: 1.0 }
    }

    #[test]
    fn the_better_model_is_taken_and_of_equal_ones_the_smaller() {
        let (large, small) = (model("large", 2), model("small", 1));
        let take = |low: f64, high: f64| {
            let difference = Difference { mean: f64::midpoint(low, high), low, high, p: 0.5 };
            verdict([&large, &small], Some(difference))
        };
        assert_eq!(take(0.01, 0.05), Verdict { take: "small".into(), reason: Reason::FindsMore });
        assert_eq!(take(-0.05, -0.01), Verdict { take: "large".into(), reason: Reason::FindsMore });
        assert_eq!(take(-0.05, 0.01), Verdict { take: "small".into(), reason: Reason::Smaller });
        assert_eq!(verdict([&small, &large], None).take, "small");
        let cut = ComparedModel { dimensions: 256, ..model("cut", 2) };
        assert_eq!(verdict([&large, &cut], None).take, "cut");
    }
}

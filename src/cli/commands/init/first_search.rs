//! The last questions, while the embedding runs in the background: the first one to the notes, answered by words at once, and the author of
//! notes.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::{Interaction, answer, line, steps};
use crate::args::Init;
use crate::commands::next::quoted;
use crate::format::{self, HitDisplay, pluralize};
use crate::progress::Bar;
use crate::terminal::{print_note, sanitize_line};
use crate::times::format_duration;
use crate::{Outcome, interrupt};
use tars_base::domain::{Mode, Progress, Stage};
use tars_config::Provider;
use tars_engine::index::RunPart;
use tars_service::setup::{FirstQuestionRequest, SetupRecord};
use tars_service::{
    App, Backend, Daemon, IndexRequest, IndexResponse, Interrupted, Result, SearchRequest, Service, failure,
};

/// Interval of progress checks.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);
/// Most hits of the first answer.
const MAX_HITS: usize = 3;

/// Indexes the text of the notes; answers a question and chooses the author of notes while they are embedded.
pub(super) fn run(app: &App, init: &Init, interaction: &Interaction) -> Result<Outcome> {
    if init.no_search || (init.search.is_none() && !interaction.asks && !interaction.yes) {
        steps::notes(app, init, interaction)?;
        line("next", "tars index")?;
        return Ok(Outcome::Done);
    }
    if !app.database().exists() {
        SetupRecord::change(app, |record| record.index = true)?;
    }
    let bar = Bar::new(false);
    let service = Service::new(app, Backend::Local).with_observer(&bar);
    let by_words = service.call(&IndexRequest { part: RunPart::Words, ..IndexRequest::default() })?;
    let IndexResponse { report, degraded, seconds, .. } = &by_words;
    if report.interrupted {
        print_note("interrupted: tars index continues from here");
        return Ok(Outcome::Interrupted);
    }
    let failed = report.failed > 0;
    line("words", &format!("{} can be searched, after {seconds:.1} s", pluralize(report.files, "note")))?;
    let embeds = degraded.is_none() && app.settings.config.embedding.provider != Provider::None;
    let background = Background::default();
    thread::scope(|scope| -> Result<()> {
        let running = embeds.then(|| {
            scope.spawn(|| {
                let service = Service::new(app, Backend::Local).with_observer(&background);
                service.call(&IndexRequest { part: RunPart::Vectors, ..IndexRequest::default() })
            })
        });
        let asked = ask(app, init, interaction).and_then(|()| steps::notes(app, init, interaction));
        if asked.is_err() {
            background.ends.store(true, Ordering::SeqCst);
        }
        asked?;
        running.map_or(Ok(()), |running| follow(app, running, &background))
    })?;
    if interrupt::is_requested() {
        print_note("interrupted: tars index continues from here");
        return Ok(Outcome::Interrupted);
    }
    line("next", "tars search QUESTION, tars status, tars --help; tars init --undo reverts all of this")?;
    Ok(if failed { Outcome::Partial } else { Outcome::Done })
}

/// Answers a question by words only, and shows the hits.
fn ask(app: &App, init: &Init, interaction: &Interaction) -> Result<()> {
    let service = Service::new(app, Backend::Local);
    let made = || Ok::<_, tars_service::Error>(service.call(&FirstQuestionRequest {})?.question);
    let question = match (&init.search, interaction.asks) {
        (Some(question), _) => Some(question.clone()),
        (None, false) => made()?,
        (None, true) => {
            let made = made()?;
            let proposal = made.as_ref().map_or(String::new(), |made| format!(" (Enter: {})", sanitize_line(made)));
            Some(answer(&format!("What do you want to find in your notes?{proposal}"))?)
                .filter(|typed| !typed.is_empty())
                .or(made)
        }
    };
    let Some(question) = question else { return Ok(()) };
    let started = Instant::now();
    // The notes were just read, so no sync is needed.
    let request = SearchRequest {
        query: question.clone(),
        mode: Some(Mode::Keyword),
        limit: Some(MAX_HITS),
        sync: false,
        preview: true,
        ..SearchRequest::default()
    };
    let found = Service::new(app, Backend::Local).call(&request)?;
    let took = started.elapsed();
    let mut out = anstream::stdout().lock();
    let typed = quoted(question.as_ref());
    writeln!(out, "\n$ tars search {}", sanitize_line(&typed))?;
    format::hits(&mut out, &found.results, HitDisplay { query: &question, whole: false })?;
    if found.results.is_empty() {
        writeln!(out, "No note contains these words.")?;
    }
    writeln!(out, "\n{}", sanitize_line(&format!("Answered by words in {} ms.", took.as_millis())))?;
    Ok(())
}

/// Shows the progress of the embedding to its end. A running watcher takes over instead.
fn follow(app: &App, running: ScopedJoinHandle<'_, Result<IndexResponse>>, background: &Background) -> Result<()> {
    let is_watched = Daemon::of(app).running().is_some();
    if is_watched && !running.is_finished() {
        let left = background
            .left()
            .map(|left| format!(", about {} left", format_duration(left.as_secs().max(1))))
            .unwrap_or_default();
        background.ends.store(true, Ordering::SeqCst);
        line("meaning", &format!("{}{left}; the watcher continues", background.state()))?;
        return match running.join().map_err(|_| failure!("the embedding failed"))? {
            // The watcher was already embedding and held the lock.
            Err(error) if error.is::<Interrupted>() => Ok(()),
            ended => ended.map(drop),
        };
    }
    let bar = Bar::new(false);
    let (mut shown, mut total) = (0, 0);
    while !running.is_finished() {
        let (done, all) = background.counts();
        if all != total {
            bar.finish();
            bar.start(Stage::Embedding, all);
            (shown, total) = (0, all);
        }
        bar.advance(done.saturating_sub(shown));
        shown = done.max(shown);
        thread::sleep(CHECK_INTERVAL);
    }
    bar.finish();
    let report = running.join().map_err(|_| failure!("the embedding failed"))??.report;
    match (report.interrupted, report.pending) {
        (true, pending) | (false, pending @ 1..) => {
            line("meaning", &format!("{} still to be embedded", pluralize(pending, "passage")))
        }
        (false, 0) => line(
            "meaning",
            &format!("{} embedded: questions in other words find them too", pluralize(report.embedded, "passage")),
        ),
    }
}

/// The progress of the embedding, hidden until the person has an answer.
#[derive(Default)]
struct Background {
    done: AtomicUsize,
    total: AtomicUsize,
    /// Whether the embedding should stop; finished work stays.
    ends: AtomicBool,
    began: std::sync::OnceLock<Instant>,
}

impl Background {
    fn counts(&self) -> (usize, usize) {
        (self.done.load(Ordering::SeqCst), self.total.load(Ordering::SeqCst))
    }

    fn state(&self) -> String {
        let (done, total) = self.counts();
        format!("{done} of {} embedded", pluralize(total, "passage"))
    }

    /// Returns the estimated remaining time; `None` before the first progress.
    fn left(&self) -> Option<Duration> {
        let (done, total) = self.counts();
        let elapsed = self.began.get()?.elapsed();
        (done > 0).then(|| elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64))
    }
}

impl Progress for Background {
    fn start(&self, stage: Stage, total: usize) {
        if stage == Stage::Embedding {
            self.began.get_or_init(Instant::now);
            self.done.store(0, Ordering::SeqCst);
            self.total.store(total, Ordering::SeqCst);
        }
    }

    fn advance(&self, count: usize) {
        self.done.fetch_add(count, Ordering::SeqCst);
    }

    fn cancelled(&self) -> bool {
        interrupt::is_requested() || self.ends.load(Ordering::SeqCst)
    }
}

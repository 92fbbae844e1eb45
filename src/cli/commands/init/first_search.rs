//! The first question, answered by words at once, while the meaning of the notes is read behind it.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use super::{Manner, answer, line};
use crate::app::App;
use crate::cli::args::Init;
use crate::cli::commands::next::quoted;
use crate::cli::human::{self, Shown, count};
use crate::cli::progress::Bar;
use crate::cli::terminal::{clean_line, note};
use crate::cli::times::length;
use crate::cli::{Outcome, interrupt};
use crate::config::Provider;
use crate::domain::{Mode, Progress, Stage};
use crate::index::Part;
use crate::service::setup::{FirstQuestionRequest, IndexRequest, IndexResponse, SetupRecord};
use crate::service::{Daemon, Interrupted, Reach, SearchRequest, Service};

/// How often it is looked how far the embedding is.
const LOOK: Duration = Duration::from_millis(100);
/// Hits of the first answer.
const HITS: usize = 3;

/// Indexes the notes by words, asks them something, and embeds them meanwhile.
pub(super) fn run(app: &App, init: &Init, manner: &Manner) -> Result<Outcome> {
    if init.no_search || (init.search.is_none() && !manner.asks && !manner.yes) {
        line("next", "tars index")?;
        return Ok(Outcome::Done);
    }
    if !app.database().exists() {
        SetupRecord::change(app, |record| record.index = true)?;
    }
    let bar = Bar::new(false);
    let service = Service::new(app, Reach::Local).observed_by(&bar);
    let by_words = service.call(&IndexRequest { part: Part::Words, ..IndexRequest::default() })?;
    let IndexResponse { report, degraded, seconds, .. } = &by_words;
    if report.interrupted {
        note("interrupted: tars index goes on from here");
        return Ok(Outcome::Interrupted);
    }
    let failed = report.failed > 0;
    line("words", &format!("{} can be searched, after {seconds:.1} s", count(report.files, "note")))?;
    let embeds = degraded.is_none() && app.settings.config.embedding.provider != Provider::None;
    let behind = Behind::default();
    thread::scope(|scope| -> Result<()> {
        let running = embeds.then(|| {
            scope.spawn(|| {
                let service = Service::new(app, Reach::Local).observed_by(&behind);
                service.call(&IndexRequest { part: Part::Vectors, ..IndexRequest::default() })
            })
        });
        let asked = ask(app, init, manner);
        if asked.is_err() {
            behind.ends.store(true, Ordering::SeqCst);
        }
        asked?;
        running.map_or(Ok(()), |running| follow(app, running, &behind))
    })?;
    if interrupt::asked() {
        note("interrupted: tars index goes on from here");
        return Ok(Outcome::Interrupted);
    }
    line("next", "tars search QUESTION, tars status, tars --help; tars init --undo takes all of this back")?;
    Ok(if failed { Outcome::Partial } else { Outcome::Done })
}

/// Asks the notes a question, by words alone, and shows the answer.
fn ask(app: &App, init: &Init, manner: &Manner) -> Result<()> {
    let service = Service::new(app, Reach::Local);
    let made = || Ok::<_, anyhow::Error>(service.call(&FirstQuestionRequest {})?.question);
    let question = match (&init.search, manner.asks) {
        (Some(question), _) => Some(question.clone()),
        (None, false) => made()?,
        (None, true) => {
            let made = made()?;
            let proposal = made.as_ref().map_or(String::new(), |made| format!(" (Enter: {})", clean_line(made)));
            Some(answer(&format!("What do you want to find in your notes?{proposal}"))?)
                .filter(|typed| !typed.is_empty())
                .or(made)
        }
    };
    let Some(question) = question else { return Ok(()) };
    let started = Instant::now();
    // What was just read need not be looked for.
    let request = SearchRequest {
        query: question.clone(),
        mode: Some(Mode::Keyword),
        limit: Some(HITS),
        sync: false,
        ..SearchRequest::default()
    };
    let found = Service::new(app, Reach::Local).call(&request)?;
    let took = started.elapsed();
    let mut out = anstream::stdout().lock();
    let typed = quoted(question.as_ref());
    writeln!(out, "\n$ tars search {}", clean_line(&typed))?;
    human::hits(&mut out, &found.results, Shown { query: &question, whole: false, service: &service })?;
    if found.results.is_empty() {
        writeln!(out, "No note has these words.")?;
    }
    writeln!(out, "\n{}", clean_line(&format!("Answered by words in {} ms.", took.as_millis())))?;
    Ok(())
}

/// Shows how far the embedding is, to its end. Where a watcher runs, that goes on with it.
fn follow(app: &App, running: ScopedJoinHandle<'_, Result<IndexResponse>>, behind: &Behind) -> Result<()> {
    let is_watched = Daemon::of(app).running().is_some();
    if is_watched && !running.is_finished() {
        let left =
            behind.left().map(|left| format!(", about {} left", length(left.as_secs().max(1)))).unwrap_or_default();
        behind.ends.store(true, Ordering::SeqCst);
        line("meaning", &format!("{}{left}; the watcher goes on with it", behind.state()))?;
        return match running.join().map_err(|_| anyhow!("the embedding failed"))? {
            // The watcher was embedding already, and had to be waited for.
            Err(error) if error.is::<Interrupted>() => Ok(()),
            ended => ended.map(drop),
        };
    }
    let bar = Bar::new(false);
    let (mut shown, mut total) = (0, 0);
    while !running.is_finished() {
        let (done, all) = behind.counts();
        if all != total {
            bar.finish();
            bar.start(Stage::Embedding, all);
            (shown, total) = (0, all);
        }
        bar.advance(done.saturating_sub(shown));
        shown = done.max(shown);
        thread::sleep(LOOK);
    }
    bar.finish();
    let report = running.join().map_err(|_| anyhow!("the embedding failed"))??.report;
    match (report.interrupted, report.pending) {
        (true, pending) | (false, pending @ 1..) => {
            line("meaning", &format!("{} still to be embedded", count(pending, "passage")))
        }
        (false, 0) => line(
            "meaning",
            &format!("{} embedded: questions in other words find them too", count(report.embedded, "passage")),
        ),
    }
}

/// How far the embedding is, which nobody is shown before they have an answer.
#[derive(Default)]
struct Behind {
    done: AtomicUsize,
    total: AtomicUsize,
    /// Whether it is to end; what is done stays.
    ends: AtomicBool,
    began: std::sync::OnceLock<Instant>,
}

impl Behind {
    fn counts(&self) -> (usize, usize) {
        (self.done.load(Ordering::SeqCst), self.total.load(Ordering::SeqCst))
    }

    fn state(&self) -> String {
        let (done, total) = self.counts();
        format!("{done} of {} embedded", count(total, "passage"))
    }

    /// Returns how long the rest takes at the pace so far; `None` where there is none yet.
    fn left(&self) -> Option<Duration> {
        let (done, total) = self.counts();
        let elapsed = self.began.get()?.elapsed();
        (done > 0).then(|| elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64))
    }
}

impl Progress for Behind {
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
        interrupt::asked() || self.ends.load(Ordering::SeqCst)
    }
}

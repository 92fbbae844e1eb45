//! `tars status`

use std::io::Write;

use jiff::Zoned;

use super::pause::described;
use crate::args::Status;
use crate::format::{pluralize, size};
use crate::terminal::for_output;
use crate::times::{ago_of, format_duration};
use crate::{Outcome, json};
use tars_config::Provider;
use tars_service::{
    App, Backend, CollectionReport, ModelChange, NotesReport, Result, Service, StatusReport, StatusRequest,
    UnindexedFile, line_of_languages,
};

/// Files named of those that are not indexed.
const MAX_FILES: usize = 20;
/// Links named of those that are left out.
const MAX_LINKS: usize = 5;
/// Columns of a label.
const LABEL: usize = 12;

pub(crate) fn run(app: &App, args: &Status) -> Result<Outcome> {
    let status = Service::new(app, Backend::Fallback).call(&StatusRequest {})?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &status)?;
    } else {
        let now = app.environment.clock.now();
        print(&mut out, &status, &now)?;
        if args.verbose {
            line(&mut out, "left out", &opaque_data(&status))?;
        }
        let here = tars_hook::current_session(app);
        for pause in &status.paused {
            let (place, command) = described(pause, here.as_deref(), &now);
            line(&mut out, "paused", &format!("{place} ({command})"))?;
        }
    }
    Ok(Outcome::Done)
}

/// Returns the report as text.
pub(crate) fn text(status: &StatusReport, now: &Zoned) -> String {
    let mut out = Vec::new();
    // Writing to memory cannot fail.
    let _ = print(&mut out, status, now);
    String::from_utf8_lossy(&out).into_owned()
}

fn print(out: &mut dyn Write, status: &StatusReport, now: &Zoned) -> Result<()> {
    for collection in &status.collections {
        let mut state = match (&collection.problem, collection.pending) {
            (Some(problem), _) => format!(", {problem}"),
            (None, 0) => String::new(),
            (None, pending) => format!(", {pending} changed on disk"),
        };
        if collection.unreadable > 0 {
            state += &format!(", {} unreadable", collection.unreadable);
        }
        if collection.evicted > 0 {
            state += &format!(", {} evicted by iCloud", collection.evicted);
        }
        let text = format!("{} ({}{state})", collection.root, pluralize(collection.files, "note"));
        line(out, &collection.name, &text)?;
    }
    let copies: Vec<&String> = status.collections.iter().flat_map(|one| &one.conflict_copies).collect();
    if let [first, rest @ ..] = &copies[..] {
        let others = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        line(out, "conflicts", &format!("left out as copies of a conflict: {first}{others}"))?;
    }
    left_out(out, status)?;
    let model = match status.model.provider {
        Provider::None => "none: words only".into(),
        _ => match &status.model.problem {
            Some(problem) => format!("{}: {problem}", status.model.id),
            None => status.model.id.clone(),
        },
    };
    let (chunks, passages) = (pluralize(status.chunks, "chunk"), pluralize(status.passages, "passage"));
    line(out, "index", &format!("{chunks}, {} embedded of {passages}", status.embedded))?;
    line(out, "model", &model)?;
    if let Some(change) = &status.model_change {
        line(out, "changing", &changing(change))?;
    }
    if let Some(languages) = line_of_languages(&status.languages) {
        line(out, "languages", &languages)?;
    }
    if let Some(advice) = &status.advice {
        line(out, "advice", &advice.line())?;
    }
    line(out, "database", &format!("{} ({})", status.database.path, size(status.database.bytes)))?;
    line(
        out,
        "last index",
        &status.last_index.as_deref().map_or_else(|| unfinished(status), |time| ago_of(time, now)),
    )?;
    let unknown = status.collections.iter().find(|collection| collection.problem.is_some());
    let changed = status.collections.iter().any(|collection| collection.pending > 0);
    let state = match (unknown, status.pending) {
        (Some(CollectionReport { name, problem: Some(problem), .. }), _) => format!("not known: {name} is {problem}"),
        (_, 0) if status.indexing && !status.watcher => "up to date; another process is indexing now".into(),
        (_, 0) => "up to date".into(),
        // While the model is unavailable, another run computes no vectors; the model's line says so.
        (_, pending) if !changed && status.model.problem.is_some() && status.model.kernel.is_none() => {
            format!("words up to date; {} without vectors, see model", pluralize(pending, "file"))
        }
        (_, pending) if !changed => {
            let by = match (status.watcher, status.indexing) {
                (true, _) => "the watcher is at it",
                (false, true) => "another process is at it",
                (false, false) => "tars index",
            };
            format!("words up to date; {} without vectors ({by})", pluralize(pending, "file"))
        }
        (_, pending) if status.watcher => format!("{} to bring in (the watcher is at it)", pluralize(pending, "file")),
        (_, pending) if status.indexing => {
            format!("{} to bring in: another process is indexing them now", pluralize(pending, "file"))
        }
        (_, pending) => format!("{} to bring in (tars index)", pluralize(pending, "file")),
    };
    line(out, "state", &state)?;
    let watcher = if status.watcher { "runs" } else { "not running (tars watch --detach)" };
    line(out, "watcher", watcher)?;
    if !status.unapplied_settings.is_empty() {
        let keys = status.unapplied_settings.join(", ");
        line(out, "settings", &format!("changed since the watcher started: {keys} (restart it)"))?;
    }
    let NotesReport { waiting, given_up } = status.notes;
    if waiting + given_up > 0 {
        let parts = [(waiting, "wait to be written"), (given_up, "given up, see hook.log")];
        let parts = parts.iter().filter(|(number, _)| *number > 0).map(|(number, fate)| format!("{number} {fate}"));
        line(out, "turns", &parts.collect::<Vec<_>>().join("; "))?;
    }
    Ok(())
}

/// Describes the parts of the notes that are not indexed.
fn opaque_data(status: &StatusReport) -> String {
    match status.opaque_files {
        0 => "no opaque data".into(),
        files => {
            let bytes = size(status.opaque_bytes as u64);
            format!("{bytes} of opaque data (pictures, keys, minified code) in {}", pluralize(files, "note"))
        }
    }
}

/// Prints the files that are not indexed, or not wholly, and the links that are not followed.
fn left_out(out: &mut dyn Write, status: &StatusReport) -> Result<()> {
    let unindexed: Vec<&UnindexedFile> = status.collections.iter().flat_map(|one| &one.unindexed).collect();
    for UnindexedFile { path, reason } in unindexed.iter().take(MAX_FILES) {
        line(out, "not whole", &format!("{path}: {reason}"))?;
    }
    if unindexed.len() > MAX_FILES {
        let more = unindexed.len() - MAX_FILES;
        line(out, "not whole", &format!("and {} (tars doctor names all)", pluralize(more, "more file")))?;
    }
    let links: Vec<&str> = status.collections.iter().flat_map(|one| &one.links).map(String::as_str).collect();
    if let [first, rest @ ..] = &links[..] {
        let shown = rest.iter().take(MAX_LINKS - 1).map(|link| format!(", {link}")).collect::<String>();
        let others = match rest.len().saturating_sub(MAX_LINKS - 1) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        line(out, "links", &format!("left out: {first}{shown}{others} (index.follow_links names folders to follow)"))?;
    }
    Ok(())
}

/// Prints a line of the report, wrapped below its text on a terminal.
fn line(out: &mut dyn Write, label: &str, text: &str) -> Result<()> {
    writeln!(out, "{}", for_output(&format!("{label:<LABEL$} {text}"), LABEL + 1))?;
    Ok(())
}

/// Describes the progress of embedding with another model.
fn changing(change: &ModelChange) -> String {
    let ModelChange { from, to, passages, embedded, seconds_left, bytes } = change;
    let from = from.split('@').next().unwrap_or(from);
    let far = match (embedded, seconds_left) {
        (0, _) => format!("none of {} yet", pluralize(*passages, "passage")),
        (_, None) => format!("{embedded} of {}", pluralize(*passages, "passage")),
        (_, Some(left)) => {
            format!("{embedded} of {}, about {} left", pluralize(*passages, "passage"), format_duration(*left))
        }
    };
    format!("to {to}: {far}; {from} answers meanwhile, and a copy of the index takes {}", size(*bytes))
}

/// Describes the index while no run has finished: one was interrupted, or is still running.
fn unfinished(status: &StatusReport) -> String {
    if status.files == 0 {
        return if status.indexing { "the first run is under way" } else { "never (tars index)" }.into();
    }
    let waiting = match (status.model.provider, status.passages.saturating_sub(status.embedded)) {
        (Provider::None, _) | (_, 0) => String::new(),
        (_, 1) => ", 1 passage waits for its vector".into(),
        (_, waiting) => format!(", {waiting} passages wait for their vectors"),
    };
    let notes = pluralize(status.files, "note");
    let rest = if status.indexing { "; a run is under way" } else { " (tars index goes on)" };
    format!("not finished: the words of {notes} are in{waiting}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_service::{DatabaseReport, LanguageReport, ModelAdvice, ModelReport};

    fn status(files: usize, passages: usize, embedded: usize) -> StatusReport {
        let model = ModelReport {
            provider: Provider::Onnx,
            id: "small".into(),
            indexed_with: None,
            kernel: None,
            problem: None,
        };
        StatusReport {
            collections: Vec::new(),
            files,
            chunks: passages,
            passages,
            embedded,
            opaque_files: 0,
            opaque_bytes: 0,
            pending: 0,
            last_index: None,
            model,
            model_change: None,
            database: DatabaseReport { path: "index.db".into(), bytes: 0 },
            watcher: false,
            unapplied_settings: Vec::new(),
            indexing: false,
            notes: NotesReport::default(),
            paused: Vec::new(),
            languages: Vec::new(),
            advice: None,
        }
    }

    #[test]
    fn unindexed_parts_are_listed_on_request() {
        assert_eq!(opaque_data(&status(3, 9, 9)), "no opaque data");
        let pictures = StatusReport { opaque_files: 2, opaque_bytes: 54_321, ..status(3, 9, 9) };
        assert!(opaque_data(&pictures).ends_with("of opaque data (pictures, keys, minified code) in 2 notes"));
    }

    #[test]
    fn languages_are_shown_unless_all_notes_are_english() {
        let shown = |languages: &[(&str, &str, f64)], advice: Option<ModelAdvice>| {
            let report = |(code, name, share): &(&str, &str, f64)| LanguageReport {
                code: (*code).into(),
                name: (*name).into(),
                share: *share,
            };
            let status = StatusReport { languages: languages.iter().map(report).collect(), advice, ..status(1, 1, 1) };
            let mut out = Vec::new();
            print(&mut out, &status, &Zoned::now()).unwrap();
            String::from_utf8(out).unwrap()
        };
        let advice = ModelAdvice { model: "m".into(), reason: "why".into(), commands: vec!["a".into(), "b".into()] };
        let said = shown(&[("de", "German", 0.6), ("en", "English", 0.4)], Some(advice));
        assert!(said.contains("languages    German 60 %, English 40 %\nadvice       why: a, then b\n"), "{said}");
        assert!(!shown(&[("en", "English", 1.0)], None).contains("languages"));
    }

    #[test]
    fn a_model_change_shows_its_progress() {
        let change = |embedded, seconds_left| ModelChange {
            from: "minilm@12ab+kernel1".into(),
            to: "e5".into(),
            passages: 900,
            embedded,
            seconds_left,
            bytes: 2048,
        };
        let rest = "minilm answers meanwhile, and a copy of the index takes 2 KiB";
        assert_eq!(changing(&change(0, None)), format!("to e5: none of 900 passages yet; {rest}"));
        let said = format!("to e5: 300 of 900 passages, about {} left; {rest}", format_duration(90));
        assert_eq!(changing(&change(300, Some(90))), said);
        let status = StatusReport { model_change: Some(change(300, None)), ..status(1, 1, 1) };
        let mut out = Vec::new();
        print(&mut out, &status, &Zoned::now()).unwrap();
        assert!(String::from_utf8(out).unwrap().contains("changing     to e5: 300 of 900 passages; "));
    }

    #[test]
    fn an_indexing_run_of_another_process_is_shown() {
        let said = |status: &StatusReport| {
            let mut out = Vec::new();
            print(&mut out, status, &Zoned::now()).unwrap();
            String::from_utf8(out).unwrap()
        };
        let under_way = StatusReport { indexing: true, pending: 3, ..status(40, 150, 30) };
        let told = said(&under_way);
        assert!(
            told.contains("state        words up to date; 3 files without vectors (another process is at it)\n"),
            "{told}"
        );
        assert!(told.contains("wait for their vectors; a run is under way\n"), "{told}");
        let watched = said(&StatusReport { watcher: true, ..under_way });
        assert!(watched.contains("3 files without vectors (the watcher is at it)\n"), "{watched}");
        assert!(said(&StatusReport { indexing: true, ..status(0, 0, 0) }).contains("the first run is under way\n"));
    }

    #[test]
    fn an_interrupted_first_run_is_not_shown_as_never() {
        assert_eq!(unfinished(&status(0, 0, 0)), "never (tars index)");
        let said =
            "not finished: the words of 40 notes are in, 120 passages wait for their vectors (tars index goes on)";
        assert_eq!(unfinished(&status(40, 150, 30)), said);
        let mut words = status(1, 3, 0);
        words.model.provider = Provider::None;
        assert_eq!(unfinished(&words), "not finished: the words of 1 note are in (tars index goes on)");
    }
}

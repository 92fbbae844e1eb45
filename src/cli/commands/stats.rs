//! `tars stats`

use std::io::Write;
use std::path::Path;

use jiff::Timestamp;

use crate::args::Stats;
use crate::chart::{self, Bar, Chart};
use crate::{Outcome, format, json, snippet, terminal};
use tars_service::{
    App, Backend, Context, LanguageReport, ModelStats, NoteUse, RecallStats, Refusal, ResetRecallRequest,
    ResetRecallResponse, Result, Service, StatsRequest, TokenWeek, VaultStats, WeekCount,
};

pub(crate) fn run(app: &App, args: &Stats) -> Result<Outcome> {
    let service = Service::new(app, Backend::Local);
    let mut out = anstream::stdout().lock();
    if let Some(from) = &args.reset {
        let done = service.call(&ResetRecallRequest { from: from.clone() })?;
        if args.json {
            json::line(&mut out, &done)?;
        } else {
            print_reset(app, &mut out, done)?;
        }
        return Ok(Outcome::Done);
    }
    let stats = service.call(&StatsRequest { recall: args.recall, vault: !args.recall })?;
    let charts = stats.vault.as_ref().map(charts).unwrap_or_default();
    if let Some(file) = &args.svg {
        app.check_writable(file)?;
        draw(file, &chart::svg(&charts))?;
        terminal::print_note(&format!("the charts are in {}", terminal::sanitize_line(&file.display().to_string())));
    }
    if args.json {
        json::line(&mut out, &stats)?;
    } else if let Some(recall) = &stats.recall {
        if let Some(from) = recall.counts_from {
            writeln!(out, "{:<12} {} on", "counts from", minute(app, from))?;
        }
        print_recall(&mut out, recall)?;
    } else {
        let columns = terminal::columns_of(std::io::stdout()).unwrap_or(80);
        write!(out, "{}", chart::text(&charts, columns, chart::is_utf8(&app.environment)))?;
        print(&mut out, &stats.model)?;
    }
    Ok(Outcome::Done)
}

/// Returns the counts of the notes as charts.
fn charts(stats: &VaultStats) -> Vec<Chart> {
    let bar = |label: String, value: f64, said: String| Bar { label, value, said };
    let counted = |label: String, count: usize| bar(label, count as f64, count.to_string());
    let chart = |title: &str, summary: String, bars| Chart { title: title.to_owned(), summary, bars };
    let language = |one: &LanguageReport| bar(one.name.clone(), one.share, format!("{:.0} %", one.share * 100.0));
    let week = |one: &WeekCount| {
        let said = format!("{} (of {})", one.notes, one.total);
        bar(one.week.to_string(), one.notes as f64, said)
    };
    let tokens = |one: &TokenWeek| bar(one.week.to_string(), one.sent as f64, one.sent.to_string());
    let sent: u64 = stats.tokens.iter().map(|week| week.sent).sum();
    let weeks = stats.weeks.len();
    let grown: usize = stats.weeks.iter().map(|week| week.notes).sum();
    let said = format!("{} · {}", format::pluralize(stats.notes, "note"), format::size(stats.bytes));
    let types = stats.types.iter().map(|one| counted(one.memory_type.as_str().to_owned(), one.notes)).collect();
    let mut charts = vec![chart("notes", said, types)];
    if stats.notes > 0 {
        let languages = stats.languages.iter().map(language).collect();
        charts.push(chart("languages", "of a sample of the notes".into(), languages));
        let said = format!("{} of the last {weeks} weeks, by their own dates", format::pluralize(grown, "note"));
        charts.push(chart("growth", said, stats.weeks.iter().map(week).collect()));
        let recalled = counted("recalled".into(), stats.recalled);
        let never = counted("never recalled".into(), stats.never_recalled);
        charts.push(chart("recall", "notes of which an agent was shown lines".into(), vec![recalled, never]));
    }
    if sent > 0 {
        let said = format!("{sent} tokens given to language models in {weeks} weeks");
        charts.push(chart("models", said, stats.tokens.iter().map(tokens).collect()));
    }
    charts
}

/// Writes a picture. Only a missing file and an earlier picture of tars are written over.
fn draw(file: &Path, picture: &str) -> Result<()> {
    let is_free = match std::fs::symlink_metadata(file) {
        Ok(found) if !found.is_file() => false,
        Ok(_) => std::fs::read(file).is_ok_and(|bytes| bytes.starts_with(chart::SVG_START.as_bytes())),
        Err(_) => true,
    };
    if !is_free {
        let message = format!("{} is there already and is no picture of tars", file.display());
        return Err(Refusal { message, hint: "tars stats --svg with another name".into() }.into());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let failed = || format!("cannot write {}", file.display());
    let mut written = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    written.write_all(picture.as_bytes()).with_context(failed)?;
    written.persist(file).map_err(|error| error.error).with_context(failed)?;
    Ok(())
}

fn print_reset(app: &App, out: &mut dyn Write, done: ResetRecallResponse) -> Result<()> {
    match done.counts_from {
        Some(from) => writeln!(out, "the use of lines counts from {} on; nothing was deleted", minute(app, from))?,
        None => writeln!(out, "the use of lines counts from the beginning")?,
    }
    let back = done.counted_from.map_or("all".to_owned(), |from| from.to_string());
    if done.counts_from != done.counted_from {
        terminal::print_note(&format!("tars stats --recall --reset {back} takes that back"));
    }
    Ok(())
}

fn minute(app: &App, at: Timestamp) -> String {
    at.to_zoned(app.environment.clock.zone()).strftime("%Y-%m-%d %H:%M").to_string()
}

fn print(out: &mut dyn Write, stats: &ModelStats) -> Result<()> {
    let budget = match stats.daily_tokens {
        0 => "no bound".to_owned(),
        budget => format!("of {budget}, model.daily_tokens"),
    };
    writeln!(out, "{:<12} {} today ({budget})", "tokens", stats.today_tokens)?;
    if stats.days.is_empty() {
        writeln!(out, "{:<12} no language model was asked in the last 30 days", "calls")?;
    }
    for day in &stats.days {
        let mut said = if day.calls == 1 { "1 call".to_owned() } else { format!("{} calls", day.calls) };
        if day.failures > 0 {
            said += &format!(", {} failed", day.failures);
        }
        let about = if day.estimated { "about " } else { "" };
        let (sent, received) = (day.input_tokens, day.output_tokens);
        let name = day.day.to_string();
        writeln!(out, "{name:<12} {:<8} {said}, {about}{sent} tokens sent and {received} received", day.task)?;
    }
    Ok(())
}

fn print_recall(out: &mut dyn Write, stats: &RecallStats) -> Result<()> {
    if stats.sessions == 0 {
        writeln!(out, "nothing was put before an agent in the last {} days", stats.days)?;
        return Ok(());
    }
    writeln!(out, "{:<12} {} in the last {} days", "sessions", stats.sessions, stats.days)?;
    let with = format!("{}{}", stats.prompts_with_lines, percent(stats.prompts_with_lines, stats.prompts));
    writeln!(out, "{:<12} {} looked up, {with} found something", "prompts", stats.prompts)?;
    if stats.helpers > 0 {
        writeln!(out, "{:<12} {} of the agent looked up", "helpers", stats.helpers)?;
    }
    let always = format::pluralize(stats.lines_always, "line");
    writeln!(out, "{:<12} {} recalled, besides {always} at session starts", "lines", stats.lines)?;
    let ways = [("quoted", stats.quoted), ("expanded", stats.expanded), ("marked helpful", stats.helpful)];
    let ways: Vec<String> =
        ways.iter().filter(|(_, count)| *count > 0).map(|(way, count)| format!("{count} {way}")).collect();
    let ways = if ways.is_empty() { String::new() } else { format!(": {}", ways.join(", ")) };
    let share = percent(stats.used, stats.lines);
    writeln!(out, "{:<12} {} of {}{share}{ways}", "used", stats.used, format::pluralize(stats.lines, "line"))?;
    if stats.used_always > 0 {
        writeln!(out, "{:<12} {} of those at session starts", "", stats.used_always)?;
    }
    if stats.not_helpful > 0 {
        writeln!(out, "{:<12} {}", "not helpful", format::pluralize(stats.not_helpful, "line"))?;
    }
    notes(out, "most used", &stats.most_used)?;
    notes(out, "never used", &stats.never_used)
}

/// Prints notes with the use of their lines.
fn notes(out: &mut dyn Write, name: &str, notes: &[NoteUse]) -> Result<()> {
    let columns = terminal::columns_of(std::io::stdout()).unwrap_or(80).max(40);
    for (index, note) in notes.iter().enumerate() {
        let behind = format!("{} of {} used", note.used, format::pluralize(note.shown, "line"));
        let place = format::note(&note.path, &note.collection);
        let place = snippet::cut_middle(&place, columns - 15 - behind.len());
        let name = if index == 0 { name } else { "" };
        writeln!(out, "{name:<12} {place}  {behind}")?;
    }
    Ok(())
}

/// Returns a share in brackets; nothing for a share of zero.
fn percent(part: usize, of: usize) -> String {
    if of == 0 { String::new() } else { format!(" ({:.0}%)", part as f64 / of as f64 * 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tars_service::ModelDay;

    #[test]
    fn each_day_and_task_is_one_line() {
        let day = ModelDay {
            day: "2026-11-23".parse().unwrap(),
            task: "notes".into(),
            calls: 3,
            failures: 1,
            input_tokens: 18_422,
            output_tokens: 911,
            estimated: true,
        };
        let mut out = Vec::new();
        print(&mut out, &ModelStats { daily_tokens: 0, today_tokens: 19_333, days: vec![day] }).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "tokens       19333 today (no bound)\n\
             2026-11-23   notes    3 calls, 1 failed, about 18422 tokens sent and 911 received\n"
        );
    }
}

//! Tables of figures for people.

use std::io::Write;

use anyhow::Result;

use super::terminal::clean_line;
use crate::eval::{Band, Compared, Evaluation, Question, Run};
use crate::metrics::Metric;

/// Width of a column of figures.
const COLUMN: usize = 9;
/// Width of a column of counts.
const WIDE: usize = 17;

/// How figures are shown by category.
pub(super) struct Categories<'a> {
    /// The categories, in the order in which they are shown.
    pub(super) names: &'a [&'a str],
    /// Whether all figures are shown of each, or nDCG alone.
    pub(super) every_figure: bool,
}

/// Prints the figures of all systems side by side: over all questions, then by category.
pub(super) fn table(
    out: &mut dyn Write,
    found: &Evaluation,
    questions: &[Question],
    categories: &Categories<'_>,
) -> Result<()> {
    let Categories { names: categories, every_figure } = *categories;
    let width = categories.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("cover@8000".len());
    let label = |name: &str| format!("{name}{}", " ".repeat(width.saturating_sub(name.chars().count())));
    head(out, &label("all"), questions.len(), &found.runs)?;
    for metric in Metric::ALL {
        line(out, &label(metric.name()), found.runs.iter().map(|run| run.mean(questions, None)[metric]))?;
    }
    for (name, time) in [("ms median", 0), ("ms 95 %", 1)] {
        write!(out, "{} {:>6}", label(name), "")?;
        for run in &found.runs {
            match run.timing().map(|timing| [timing.median, timing.p95][time]) {
                Some(ms) => write!(out, "{ms:>COLUMN$.1}")?,
                None => write!(out, "{:>COLUMN$}", "-")?,
            }
        }
        writeln!(out)?;
    }
    if !every_figure && !categories.is_empty() {
        writeln!(out)?;
        head(out, &label(Metric::Ndcg.name()), questions.len(), &found.runs)?;
    }
    for category in categories {
        let count = questions.iter().filter(|question| question.category.as_deref() == Some(category)).count();
        let mean = |metric: Metric| found.runs.iter().map(move |run| run.mean(questions, Some(category))[metric]);
        let name = label(&clean_line(category));
        if every_figure {
            writeln!(out)?;
            head(out, &name, count, &found.runs)?;
            for metric in Metric::ALL {
                line(out, &label(metric.name()), mean(metric))?;
            }
        } else {
            write!(out, "{name} {count:>6}")?;
            values(out, mean(Metric::Ndcg))?;
        }
    }
    Ok(())
}

fn head(out: &mut dyn Write, name: &str, count: usize, runs: &[Run]) -> Result<()> {
    write!(out, "{name} {count:>6}")?;
    for run in runs {
        write!(out, "{:>COLUMN$}", run.system)?;
    }
    writeln!(out)?;
    Ok(())
}

fn line(out: &mut dyn Write, name: &str, figures: impl Iterator<Item = f64>) -> Result<()> {
    write!(out, "{name} {:>6}", "")?;
    values(out, figures)
}

fn values(out: &mut dyn Write, figures: impl Iterator<Item = f64>) -> Result<()> {
    for figure in figures {
        write!(out, "{figure:>COLUMN$.3}")?;
    }
    writeln!(out)?;
    Ok(())
}

/// Prints how many first results are right of those that are called relevant, kinda and maybe.
pub(super) fn reliability(out: &mut dyn Write, found: &Evaluation, questions: &[Question]) -> Result<()> {
    let runs: Vec<(&Run, Vec<Band>)> = found
        .runs
        .iter()
        .map(|run| (run, run.reliability(questions, None)))
        .filter(|(_, bands)| !bands.is_empty())
        .collect();
    let Some((_, bands)) = runs.first() else { return Ok(()) };
    write!(out, "\n{:<20}", "first result right")?;
    for (run, _) in &runs {
        write!(out, "{:>WIDE$}", run.system)?;
    }
    writeln!(out)?;
    for (place, band) in bands.iter().enumerate() {
        write!(out, "{:<20}", band.relevance.as_str())?;
        for Band { questions, right, .. } in runs.iter().map(|(_, bands)| bands[place]) {
            let share = if questions == 0 { "-".into() } else { format!("{:.2}", right as f64 / questions as f64) };
            write!(out, "{:>WIDE$}", format!("{right}/{questions} = {share}"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints how far a run is from an earlier one.
pub(super) fn comparison(out: &mut dyn Write, compared: &[Compared]) -> Result<()> {
    writeln!(
        out,
        "\n{:<8} {:<10} {:>6} {:>8} {:>8} {:>11}   {:<17} {:>6}",
        "against", "", "n", "before", "now", "difference", "95 % interval", "p"
    )?;
    for one in compared {
        let (difference, interval) =
            (one.difference, format!("{:+.3} to {:+.3}", one.difference.low, one.difference.high));
        writeln!(
            out,
            "{:<8} {:<10} {:>6} {:>8.3} {:>8.3} {:>+11.3}   {interval:<17} {:>6.4}",
            one.system, one.metric, one.questions, one.before, one.now, difference.mean, difference.p
        )?;
    }
    Ok(())
}

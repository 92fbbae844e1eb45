//! Tables of figures for people.

use std::io::Write;

use super::terminal::sanitize_line;
use tars_rank::metrics::Metric;
use tars_service::evaluation::{Band, Compared};
use tars_service::{CategoryFigures, EvalResponse, ModeFigures, Result};

/// Width of a column of figures.
const COLUMN: usize = 9;
/// Width of a column of counts.
const WIDE: usize = 17;

/// Prints the figures of all modes side by side: over all questions, then by category, with every figure or only nDCG.
pub(super) fn table(out: &mut dyn Write, found: &EvalResponse, every_figure: bool) -> Result<()> {
    let modes = &found.modes;
    // Every mode has the same categories.
    let categories = modes.first().map_or(&[][..], |mode| &mode.categories);
    let widest = categories.iter().map(|of| of.category.chars().count()).max().unwrap_or(0);
    let width = widest.max("cover@8000".len());
    let label = |name: &str| format!("{name}{}", " ".repeat(width.saturating_sub(name.chars().count())));
    head(out, &label("all"), found.questions, modes)?;
    for metric in Metric::ALL {
        line(out, &label(metric.name()), modes.iter().map(|mode| mode.overall[metric]))?;
    }
    for (name, time) in [("ms median", 0), ("ms 95 %", 1)] {
        write!(out, "{} {:>6}", label(name), "")?;
        for mode in modes {
            match mode.ms.map(|timing| [timing.median, timing.p95][time]) {
                Some(ms) => write!(out, "{ms:>COLUMN$.1}")?,
                None => write!(out, "{:>COLUMN$}", "-")?,
            }
        }
        writeln!(out)?;
    }
    if !every_figure && !categories.is_empty() {
        writeln!(out)?;
        head(out, &label(Metric::Ndcg.name()), found.questions, modes)?;
    }
    for (place, CategoryFigures { category, questions, .. }) in categories.iter().enumerate() {
        let mean = |metric: Metric| modes.iter().map(move |mode| mode.categories[place].figures[metric]);
        let name = label(&sanitize_line(category));
        if every_figure {
            writeln!(out)?;
            head(out, &name, *questions, modes)?;
            for metric in Metric::ALL {
                line(out, &label(metric.name()), mean(metric))?;
            }
        } else {
            write!(out, "{name} {questions:>6}")?;
            values(out, mean(Metric::Ndcg))?;
        }
    }
    Ok(())
}

fn head(out: &mut dyn Write, name: &str, count: usize, modes: &[ModeFigures]) -> Result<()> {
    write!(out, "{name} {count:>6}")?;
    for of in modes {
        write!(out, "{:>COLUMN$}", of.mode)?;
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

/// Prints the share of correct first results for each relevance band.
pub(super) fn reliability(out: &mut dyn Write, found: &EvalResponse) -> Result<()> {
    let modes: Vec<&ModeFigures> = found.modes.iter().filter(|mode| !mode.reliability.is_empty()).collect();
    let Some(first) = modes.first() else { return Ok(()) };
    write!(out, "\n{:<20}", "first result right")?;
    for of in &modes {
        write!(out, "{:>WIDE$}", of.mode)?;
    }
    writeln!(out)?;
    for (place, band) in first.reliability.iter().enumerate() {
        write!(out, "{:<20}", band.relevance.as_str())?;
        for Band { questions, right, .. } in modes.iter().map(|mode| mode.reliability[place]) {
            let share = if questions == 0 { "-".into() } else { format!("{:.2}", right as f64 / questions as f64) };
            write!(out, "{:>WIDE$}", format!("{right}/{questions} = {share}"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints the differences between a run and an earlier one.
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

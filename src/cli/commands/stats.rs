//! `tars stats`

use std::io::Write;

use anyhow::Result;

use crate::app::App;
use crate::cli::args::Stats;
use crate::cli::{Outcome, json};
use crate::service::{ModelStats, Reach, Service, StatsRequest};

pub(in crate::cli) fn run(app: &App, args: &Stats) -> Result<Outcome> {
    let stats = Service::new(app, Reach::Local).call(&StatsRequest {})?;
    let mut out = anstream::stdout().lock();
    if args.json {
        json::line(&mut out, &stats)?;
    } else {
        print(&mut out, &stats.model)?;
    }
    Ok(Outcome::Done)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::ModelDay;

    #[test]
    fn a_day_and_a_task_are_a_line() {
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

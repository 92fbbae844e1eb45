//! Questions about a time: what was done on a day, or left open in a week. The daily logs answer them, not a search.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan};

use super::memory::{Logs, may_hold};
use super::{Chosen, ContextRequest};
use crate::{Service, VAULT};
use tars_agent::context_block::Keep;
use tars_agent::digest::{PhraseMatcher, holds_any, same_subject};
use tars_base::domain::{DateRange, Hit, OutcomeKind};
use tars_memory::{LogLine, LogProject, day_file};
use tars_text::languages;
use tars_text::markdown::{Period, periods_in_text};

const MAX_LINES: usize = 8;
/// Maximum length of the period, in days: a longer one is too long for a list of lines.
const LONGEST_DAYS: i64 = 31;
/// Bytes at the beginning of a prompt in which a time is looked for; the rest of a longer one is pasted text.
const MAX_PROMPT_BYTES: usize = 32 << 10;
/// How many days to look back for open ends if the question names no time.
const RECENT_DAYS: i64 = 21;

/// A question about a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TimeQuestion {
    days: DateRange,
    /// Whether the question asks about open ends instead of finished work.
    is_open: bool,
    /// Whether the question is limited to the current project.
    is_current_project: bool,
}

/// Returns the time that a prompt asks about; `None` if it asks about something else.
pub(super) fn when(prompt: &str, today: Date) -> Option<TimeQuestion> {
    let said = PhraseMatcher::new(prompt);
    let is_open = said.holds(|language| language.questions.left_open);
    if !is_open && !said.holds(|language| language.questions.done) {
        return None;
    }
    let named = named_days(prompt, today);
    let recent = || Some(DateRange { first: today.checked_sub(Span::new().days(RECENT_DAYS)).ok()?, last: today });
    let days = named.or_else(|| is_open.then(recent).flatten())?;
    Some(TimeQuestion { days, is_open, is_current_project: said.holds(|language| language.questions.current_project) })
}

/// Like [`when`], but only for a question that names a time itself.
pub(crate) fn about_named_days(question: &str, today: Date) -> Option<TimeQuestion> {
    named_days(question, today)?;
    when(question, today)
}

impl TimeQuestion {
    /// Returns the days of the question.
    pub(crate) fn days(&self) -> DateRange {
        self.days
    }

    /// Returns the line of a daily log that answers best; `None` if `hit` is not in such a log, or if no line answers.
    pub(crate) fn line(&self, service: &Service<'_>, hit: &Hit) -> Option<usize> {
        let log = Logs::new(service.app()).of(hit)?;
        self.numbers(&log.lines.iter().collect::<Vec<_>>(), 1).first().copied()
    }

    /// Returns the question of a session start: the open ends of its project in the last weeks. Today is excluded, because its
    /// log is shown.
    pub(super) fn left_open(today: Date) -> Option<Self> {
        let first = today.checked_sub(Span::new().days(RECENT_DAYS)).ok()?;
        Some(Self { days: DateRange { first, last: today.yesterday().ok()? }, is_open: true, is_current_project: true })
    }

    /// Returns the lines of the daily logs that answer `request`, newest day first; `seen` selects lines that were shown before.
    /// The asking session's own notes are left out.
    pub(super) fn pieces(
        &self,
        service: &Service<'_>,
        logs: &Logs<'_>,
        request: &ContextRequest,
        seen: &dyn Fn(&str) -> bool,
    ) -> Vec<Chosen> {
        let Ok(folder) = service.app().memory_folder() else { return Vec::new() };
        let project = if self.is_current_project || self.is_open { request.own() } else { request.scope() };
        let branches = request.branches();
        let branches = branches.as_ref().zip(request.own());
        let may_come = |line: &LogLine| {
            let is_of = |(name, key)| line.section.project.is(name, key);
            let is_own = |session: &str| line.section.anchor.as_ref().is_some_and(|anchor| anchor.is_of(session));
            may_hold(line, branches) && project.is_none_or(is_of) && !request.session.as_deref().is_some_and(is_own)
        };
        let mut pieces = Vec::new();
        let mut left = MAX_LINES;
        // Sessions name an open end again and again; the newest line stands for all.
        let mut open: Vec<(LogProject, String)> = Vec::new();
        let mut day = self.days.last;
        while day >= self.days.first && left > 0 {
            let Ok(file) = day_file(&folder, day) else { break };
            if let Some(log) = logs.read(&file) {
                let mut lines: Vec<&LogLine> = log.lines.iter().rev().filter(|line| may_come(line)).collect();
                lines.retain(|line| {
                    if line.kind != Some(OutcomeKind::Open) {
                        return true;
                    }
                    let (project, text) = (&line.section.project, line.text_without_request());
                    let is_new = !open.iter().any(|(of, known)| of == project && same_subject(known, text));
                    if is_new {
                        open.push((project.clone(), text.to_owned()));
                    }
                    is_new
                });
                lines.reverse();
                let numbers = self.numbers(&lines, left);
                let piece = log
                    .piece(&folder.vault_path(&file), day, Keep::Start)
                    .and_then(|piece| piece.retain_lines(|number, text| numbers.contains(&number) && !seen(text)));
                left -= numbers.len().min(left);
                pieces.extend(piece.map(|piece| Chosen { collection: VAULT.to_owned(), piece, score: None }));
            }
            let Ok(before) = day.checked_sub(1.day()) else { break };
            day = before;
        }
        pieces
    }

    /// Returns the numbers of the lines that answer, at most `most`: the most important lines of each session in turn.
    fn numbers(&self, lines: &[&LogLine], most: usize) -> Vec<usize> {
        let is_meant = |line: &&&LogLine| match line.kind {
            Some(OutcomeKind::Open) => self.is_open && !line.is_ticked,
            Some(OutcomeKind::Decided | OutcomeKind::Found | OutcomeKind::Done | OutcomeKind::Also) => !self.is_open,
            _ => false,
        };
        let meant: Vec<&LogLine> = lines.iter().filter(is_meant).copied().collect();
        let mut order: Vec<(usize, u8, usize)> = meant
            .iter()
            .map(|line| {
                let importance = match line.kind {
                    Some(OutcomeKind::Decided | OutcomeKind::Open) => 0,
                    Some(OutcomeKind::Found) => 1,
                    _ => 2,
                };
                // Number of earlier lines of the same session and kind.
                let before = meant
                    .iter()
                    .filter(|one| one.section == line.section && one.kind == line.kind && one.number < line.number);
                (before.count(), importance, line.number)
            })
            .collect();
        order.sort_unstable();
        order.into_iter().take(most).map(|(_, _, number)| number).collect()
    }
}

/// Returns the first past period in a prompt, at most a month long.
fn named_days(prompt: &str, today: Date) -> Option<DateRange> {
    let prompt = &prompt[..prompt.floor_char_boundary(MAX_PROMPT_BYTES)];
    let past = |range: &DateRange| range.first <= today && (range.last - range.first).get_days() <= LONGEST_DAYS as i32;
    let named = periods_in_text(prompt, today).into_iter().filter_map(|period| days(period, today)).find(past);
    named.or_else(|| weekday(prompt, today))
}

/// Returns the days of a period in a prompt; a period without a year means the latest one that has begun.
fn days(period: Period, today: Date) -> Option<DateRange> {
    let Period::Date(mention) = period else { return period.range() };
    let years = [today.year(), today.year() - 1];
    years.into_iter().filter_map(|year| mention.with_default_year(year).range()).find(|days| days.first <= today)
}

/// Returns the latest past day with the weekday in a prompt: "what did I do on Monday?" means the last Monday. "The Monday
/// report" names no day.
fn weekday(prompt: &str, today: Date) -> Option<DateRange> {
    let lower = prompt.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let weekday = languages::ALL.iter().find_map(|language| {
        let (names, on) = (&language.dates.weekdays, language.dates.on);
        let is_unspaced = !language.function_sequences.is_empty();
        names.iter().position(|names| match is_unspaced {
            true => holds_any(prompt, names),
            false => words.iter().enumerate().any(|(place, word)| {
                let follows = || place.checked_sub(1).is_some_and(|before| on.contains(&words[before]));
                names.contains(word) && (on.is_empty() || follows())
            }),
        })
    })?;
    let weekday = Weekday::from_monday_zero_offset(weekday as i8).ok()?;
    let day = today.nth_weekday(-1, weekday).ok()?;
    Some(DateRange { first: day, last: day })
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn questions_about_a_time_are_recognized_in_several_languages() {
        let today = date(2026, 3, 11);
        let friday = when("What did I work on last Friday?", today).unwrap();
        assert_eq!((friday.days.first, friday.days.last, friday.is_open), (date(2026, 3, 6), date(2026, 3, 6), false));
        let week = when("what is still open here from last week?", today).unwrap();
        assert_eq!((week.days.first, week.is_open, week.is_current_project), (date(2026, 3, 2), true, true));
        assert!(when("Was ist hier vom letzten Mal noch offen?", today).unwrap().is_open);
        assert_eq!(when("was haben wir gestern gemacht", today).unwrap().days.first, date(2026, 3, 10));
        for (prompt, day) in [
            ("what did I do on Monday?", 9),
            ("Was habe ich am Dienstag gemacht?", 10),
            ("what happened on wednesday", 4),
            ("Was haben wir am 5. März 2026 entschieden?", 5),
            ("was haben wir am 5. März gemacht", 5),
            ("Qu'avons-nous fait le 5 mars 2026 ?", 5),
            ("¿Qué decidimos el 5 de marzo?", 5),
            ("what did we decide on 5 March", 5),
            ("cosa abbiamo fatto ieri", 10),
            ("o que fizemos ontem?", 10),
            ("wat hebben we gisteren gedaan", 10),
            ("co zrobiliśmy wczoraj", 10),
            ("что мы сделали вчера", 10),
            ("dün ne yaptık", 10),
            ("昨日は何をしましたか", 10),
            ("昨天我们做了什么？", 10),
            ("어제 무슨 일을 했나요", 10),
            ("เมื่อวานเราทำอะไร", 10),
        ] {
            assert_eq!(when(prompt, today).unwrap().days.first, date(2026, 3, day), "{prompt}");
        }
        let last_year = when("was haben wir am 12. März gemacht", today).unwrap();
        assert_eq!(last_year.days.first, date(2025, 3, 12));
        for other in [
            "can you work on the Monday report?",
            "when is the dentist?",
            "open the file",
            "what happened to the timer?",
            "work on the parser please",
            "ieri il server era lento",
            "ontem o servidor estava lento",
            "gisteren was de server traag",
            "wczoraj serwer był wolny",
            "вчера сервер тормозил",
            "dün sunucu yavaştı",
            "昨日はサーバーが遅かった",
            "昨天服务器很慢",
            "어제 서버가 느렸어요",
            "เมื่อวานเซิร์ฟเวอร์ช้า",
        ] {
            assert_eq!(when(other, today), None, "{other}");
        }
    }
}

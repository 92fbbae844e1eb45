//! Computes when a schedule runs next, and whether it is due.
//!
//! A time of day is wall-clock time. A time that daylight saving time skips runs once, at the moment the clock jumps. A time that occurs
//! twice runs only the first time, so a schedule for every quarter of an hour pauses during the repeated hour.

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, Zoned};

use crate::{ScheduleSettings, ScheduleTimes};

/// Maximum age of a missed run that is still made up for.
pub(super) const MAX_MISSED_AGE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Maximum distance of a stored time into the future. Beyond it, the clock was wrong when the time was stored.
const MAX_CLOCK_SLIP: SignedDuration = SignedDuration::from_hours(1);

/// Returns the first run of the schedule after `after`, in its time zone; `None` at the end of the calendar.
pub fn next(schedule: &ScheduleSettings, after: &Zoned) -> Option<Zoned> {
    let zone = after.time_zone();
    let mut wall = after.datetime();
    loop {
        wall = next_on_wall(&schedule.when, wall)?;
        let moment = moment(wall, zone)?;
        if moment > after.timestamp() {
            return Some(moment.to_zoned(zone.clone()));
        }
    }
}

/// Returns the first missed run after `since` that is not too old; `None` if the schedule is not due at `now`.
pub(super) fn missed(schedule: &ScheduleSettings, since: Timestamp, now: &Zoned) -> Option<Timestamp> {
    let start = since.max(now.timestamp().checked_sub(MAX_MISSED_AGE).unwrap_or(since));
    let first = next(schedule, &start.to_zoned(now.time_zone().clone()))?;
    (first <= *now).then(|| first.timestamp())
}

/// Returns the time from which runs count: the stored time, or `now` if the clock must have been wrong when it was stored.
pub(super) fn plausible_time(noted: Timestamp, now: Timestamp) -> Timestamp {
    if noted.duration_since(now) > MAX_CLOCK_SLIP { now } else { noted }
}

fn next_on_wall(when: &ScheduleTimes, after: DateTime) -> Option<DateTime> {
    match when {
        ScheduleTimes::At(time) => {
            let today = after.date().to_datetime(*time);
            if today > after { Some(today) } else { after.date().tomorrow().ok().map(|day| day.to_datetime(*time)) }
        }
        ScheduleTimes::Cron(cron) => cron.next_after(after),
    }
}

fn moment(wall: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    match zone.to_ambiguous_timestamp(wall).offset() {
        AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(wall).ok(),
        AmbiguousOffset::Fold { before, .. } => before.to_timestamp(wall).ok(),
        // With the offset after the gap, the computed moment lies before the gap, so the zone's next transition is the gap.
        AmbiguousOffset::Gap { after, .. } => {
            zone.following(after.to_timestamp(wall).ok()?).next().map(|change| change.timestamp())
        }
    }
}

/// Describes the times of a schedule in words.
pub fn in_words(when: &ScheduleTimes) -> String {
    match when {
        ScheduleTimes::At(time) => format!("every day at {}", time.strftime("%H:%M")),
        ScheduleTimes::Cron(cron) => cron.in_words(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::schedule::tests::{at, cron};

    fn runs(schedule: &ScheduleSettings, after: &str, count: usize) -> Vec<String> {
        let mut moment: Zoned = after.parse().unwrap();
        let mut found = Vec::new();
        for _ in 0..count {
            moment = next(schedule, &moment).unwrap();
            found.push(moment.strftime("%m-%d %H:%M%:z").to_string());
        }
        found
    }

    #[test]
    fn a_skipped_hour_runs_once_after_the_gap() {
        let before = "2026-03-28T12:00[Europe/Berlin]";
        assert_eq!(runs(&at("02:30"), before, 2), ["03-29 03:00+02:00", "03-30 02:30+02:00"]);
        let quarters = runs(&cron("*/15 2 * * *"), before, 5);
        assert_eq!(quarters[..2], ["03-29 03:00+02:00", "03-30 02:00+02:00"]);
        let hourly = runs(&cron("0 * * * *"), "2026-03-29T00:30[Europe/Berlin]", 3);
        assert_eq!(hourly, ["03-29 01:00+01:00", "03-29 03:00+02:00", "03-29 04:00+02:00"]);
        let york = runs(&at("02:30"), "2026-03-07T12:00[America/New_York]", 2);
        assert_eq!(york, ["03-08 03:00-04:00", "03-09 02:30-04:00"]);
    }

    #[test]
    fn a_repeated_hour_runs_once() {
        let before = "2026-10-24T12:00[Europe/Berlin]";
        assert_eq!(runs(&at("02:30"), before, 2), ["10-25 02:30+02:00", "10-26 02:30+01:00"]);
        let halves = runs(&cron("0,30 * * * *"), "2026-10-25T01:45[Europe/Berlin]", 3);
        assert_eq!(halves, ["10-25 02:00+02:00", "10-25 02:30+02:00", "10-25 03:00+01:00"]);
        let york = runs(&at("01:30"), "2026-10-31T12:00[America/New_York]", 2);
        assert_eq!(york, ["11-01 01:30-04:00", "11-02 01:30-05:00"]);
        // In the second of the two hours, the run is already over.
        let second = "2026-10-25T02:10+01:00[Europe/Berlin]";
        assert_eq!(runs(&at("02:30"), second, 1), ["10-26 02:30+01:00"]);
    }

    #[test]
    fn days_are_those_of_the_time_zone() {
        let friday = runs(&cron("0 0 * * FRI"), "2026-11-24T10:00[America/New_York]", 2);
        assert_eq!(friday, ["11-27 00:00-05:00", "12-04 00:00-05:00"]);
        assert_eq!(runs(&cron("0 9 L * *"), "2026-02-01T00:00[Europe/Berlin]", 1), ["02-28 09:00+01:00"]);
    }

    #[test]
    fn missed_runs_are_due_for_a_week() {
        let now: Zoned = "2026-11-24T12:00[Europe/Berlin]".parse().unwrap();
        let since = |hours: i64| now.checked_sub(SignedDuration::from_hours(hours)).unwrap().timestamp();
        let due = |schedule: &ScheduleSettings, hours: i64| missed(schedule, since(hours), &now).is_some();
        assert!(due(&at("07:30"), 5) && !due(&at("07:30"), 4) && due(&at("07:30"), 24 * 300));
        assert!(due(&at("12:00"), 1), "its minute has come");
        let monthly = cron("0 9 10 * *");
        assert!(!due(&monthly, 24 * 30), "the tenth is more than a week ago");
        assert_eq!(plausible_time(since(-2), now.timestamp()), now.timestamp());
        assert_eq!(plausible_time(since(0), now.timestamp()), since(0));
    }

    fn zoned() -> impl Strategy<Value = Zoned> {
        let zones = prop::sample::select(vec!["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]);
        // From 2020 to 2036, with more cases near the clock changes of 2026.
        let seconds = prop_oneof![
            1_577_836_800i64..2_082_758_400,
            1_774_700_000i64..1_774_800_000,
            1_792_850_000i64..1_792_950_000
        ];
        (zones, seconds).prop_map(|(zone, second)| Timestamp::from_second(second).unwrap().in_tz(zone).unwrap())
    }

    fn schedule() -> impl Strategy<Value = ScheduleSettings> {
        let field = |most: u8| {
            prop_oneof![
                Just("*".to_owned()),
                (2..9u8).prop_map(|step| format!("*/{step}")),
                (0..most).prop_map(|one| one.to_string())
            ]
        };
        let crons =
            (field(60), field(24), prop_oneof![Just("*".to_owned()), (1..29u8).prop_map(|day| day.to_string())])
                .prop_map(|(minute, hour, day)| cron(&format!("{minute} {hour} {day} * *")));
        let days = (0..24u8, 0..60u8).prop_map(|(hour, minute)| at(&format!("{hour:02}:{minute:02}")));
        prop_oneof![crons, days]
    }

    proptest! {
        #[test]
        fn no_run_lies_between_a_time_and_its_next_run(schedule in schedule(), after in zoned(), share in 0.0..1.0) {
            let following = next(&schedule, &after).unwrap();
            prop_assert!(following > after);
            let between = (following.timestamp().as_second() - after.timestamp().as_second()) as f64 * share;
            let between = after.timestamp() + SignedDuration::from_secs(between as i64);
            prop_assert_eq!(next(&schedule, &between.to_zoned(after.time_zone().clone())), Some(following));
        }

        #[test]
        fn a_run_that_was_made_up_for_is_not_due_again(schedule in schedule(), since in zoned(), hours in 0i64..2000) {
            let now = since.checked_add(SignedDuration::from_hours(hours)).unwrap();
            let was_due = missed(&schedule, since.timestamp(), &now);
            prop_assert!(was_due.is_none_or(|due| due <= now.timestamp() && now.timestamp().duration_since(due) <= MAX_MISSED_AGE));
            prop_assert_eq!(missed(&schedule, now.timestamp(), &now), None);
        }
    }
}

//! The wall clock, injected into everything that records a time or needs the current day.
//!
//! A process uses the system's clock; tests inject another one. With the feature `test-clock`, which no release has,
//! `TARS_TEST_CLOCK` sets the clock of a process and of the processes that it starts, so that a script can let days
//! pass:
//!
//! - `2026-03-01T09:00:00+01:00[Europe/Berlin]`: a fixed moment in this time zone.
//! - `+3 days`, `-2h`: a clock shifted against the system's, running at the same speed.
//!
//! The clock affects neither the times of files, which the file system sets, nor [`std::time::Instant`], which measures
//! waiting.

use std::fs;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(any(test, feature = "test-clock"))]
use jiff::Span;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// The link to the file of the system's time zone.
const LOCALTIME: &str = "/etc/localtime";
/// How long the system's time zone is cached. People travel with a laptop on which a process runs for weeks.
const ZONE_CACHE_TIME: Duration = Duration::from_secs(5 * 60);

/// A source of the time and of the time zone; the system by default.
#[derive(Debug, Clone, Default)]
pub struct Clock(Source);

#[derive(Debug, Clone, Default)]
enum Source {
    #[default]
    System,
    #[cfg(any(test, feature = "testing", feature = "test-clock"))]
    Fixed(Zoned),
    #[cfg(any(test, feature = "test-clock"))]
    Shifted(Span),
}

impl Clock {
    /// The variable that sets the clock of a process built with the feature `test-clock`.
    #[cfg(feature = "test-clock")]
    pub const VARIABLE: &'static str = "TARS_TEST_CLOCK";

    /// Returns the clock of this process.
    ///
    /// # Panics
    /// With the feature `test-clock`, if the variable holds neither a moment nor a time span.
    pub fn from_environment() -> Self {
        #[cfg(feature = "test-clock")]
        if let Some(text) = std::env::var_os(Self::VARIABLE) {
            let text = text.to_string_lossy();
            return Self::parse(&text).unwrap_or_else(|error| panic!("{}={text}: {error}", Self::VARIABLE));
        }
        Self::default()
    }

    /// Returns a clock that stands still.
    ///
    /// # Panics
    /// If `moment` is no moment with a time zone.
    #[cfg(any(test, feature = "testing"))]
    pub fn fixed(moment: &str) -> Self {
        Self(Source::Fixed(moment.parse().expect("the moment of a test is well-formed")))
    }

    /// Parses the forms described at the top of the module.
    #[cfg(any(test, feature = "test-clock"))]
    fn parse(text: &str) -> Result<Self, jiff::Error> {
        Ok(Self(match text.starts_with(['+', '-']) {
            true => Source::Shifted(text.parse()?),
            false => Source::Fixed(text.parse()?),
        }))
    }

    /// Returns the time in the clock's time zone. A shift beyond the calendar is ignored.
    pub fn now(&self) -> Zoned {
        match &self.0 {
            Source::System => Timestamp::now().to_zoned(system_zone()),
            #[cfg(any(test, feature = "testing", feature = "test-clock"))]
            Source::Fixed(moment) => moment.clone(),
            #[cfg(any(test, feature = "test-clock"))]
            Source::Shifted(span) => {
                let now = Zoned::now();
                now.checked_add(*span).unwrap_or(now)
            }
        }
    }

    /// Returns the day.
    pub fn today(&self) -> Date {
        self.now().date()
    }

    /// Returns the time without a time zone.
    pub fn timestamp(&self) -> Timestamp {
        self.now().timestamp()
    }

    /// Returns the time zone for the start of days and for displayed times.
    pub fn zone(&self) -> TimeZone {
        self.now().time_zone().clone()
    }
}

/// Returns the system's time zone.
///
/// jiff looks the zone up by name, for which it lists the whole zone database once per process: half a millisecond, a
/// tenth of a short command. This function therefore reads the file behind [`LOCALTIME`] itself, and leaves only two
/// cases to jiff: a zone named by `TZ`, and a file without a name.
fn system_zone() -> TimeZone {
    static CACHE: Mutex<Option<(Instant, TimeZone)>> = Mutex::new(None);
    let mut known = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, zone)) = known.as_ref().filter(|(since, _)| since.elapsed() < ZONE_CACHE_TIME) {
        return zone.clone();
    }
    let zone = linked_zone().unwrap_or_else(TimeZone::system);
    *known = Some((Instant::now(), zone.clone()));
    zone
}

/// Returns the zone that [`LOCALTIME`] links to, unless the environment names one.
fn linked_zone() -> Option<TimeZone> {
    if std::env::var_os("TZ").is_some() {
        return None;
    }
    let target = fs::read_link(LOCALTIME).ok()?;
    let (_, name) = target.to_str()?.rsplit_once("zoneinfo/")?;
    // Names in these folders are not ones that another program would find.
    if name.starts_with("posix/") || name.starts_with("right/") {
        return None;
    }
    TimeZone::tzif(name, &fs::read(LOCALTIME).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn a_fixed_clock_keeps_its_moment_and_zone() {
        let clock = Clock::fixed("2026-03-01T00:30:00+01:00[+01:00]");
        assert_eq!(clock.now(), clock.now());
        assert_eq!(clock.today(), jiff::civil::date(2026, 3, 1));
        assert_eq!(clock.timestamp().to_string(), "2026-02-28T23:30:00Z");
        assert_eq!(clock.timestamp().to_zoned(clock.zone()).hour(), 0);
    }

    #[test]
    fn a_shifted_clock_goes_on() {
        let clock = Clock::parse("+3 days").unwrap();
        let before = Zoned::now();
        let shifted = clock.now();
        let after = Zoned::now();
        let moved = |time: &Zoned| time.checked_add(3.days()).unwrap();
        assert!(moved(&before) <= shifted && shifted <= moved(&after));
        assert!(Clock::parse("-2h").unwrap().now() < Zoned::now());
    }

    #[test]
    fn the_linked_zone_is_the_one_jiff_finds() {
        let system = TimeZone::system();
        if let Some(linked) = linked_zone() {
            assert_eq!(linked.iana_name(), system.iana_name());
            for moment in ["2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z"] {
                let moment: Timestamp = moment.parse().unwrap();
                assert_eq!(linked.to_offset(moment), system.to_offset(moment));
            }
        }
        assert_eq!(Clock::default().zone().iana_name(), system.iana_name());
    }

    #[test]
    fn anything_but_a_moment_or_a_span_is_refused() {
        for wrong in ["", "tomorrow", "2026-03-01", "2026-03-01T09:00:00+01:00", "+soon"] {
            assert!(Clock::parse(wrong).is_err(), "{wrong}");
        }
    }
}

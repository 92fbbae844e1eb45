//! Waits between retries of a request.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;

const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Returns the wait after the given attempt, counted from 1: half a second, doubled with each attempt and shortened by
/// up to half at random (jitter), so that many clients spread out.
pub fn backoff(tried: u32) -> Duration {
    let whole = FIRST_WAIT * 2u32.pow(tried.clamp(1, 8) - 1);
    // A fresh RandomState is randomly keyed: enough for jitter.
    let random = RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64;
    whole.mul_f64(0.5 + 0.5 * random)
}

/// Parses a `Retry-After` header (RFC 9110, section 10.2.3): seconds or a date. A date in the past gives zero. Returns
/// `None` for anything else.
pub fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    static PARSER: DateTimeParser = DateTimeParser::new();
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let then = PARSER.parse_timestamp(value).ok()?;
    Some(then.duration_since(now).try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_within_its_jitter() {
        for (tried, milliseconds) in [(1, 500), (2, 1000), (3, 2000), (4, 4000), (99, 64_000)] {
            let wait = backoff(tried).as_millis();
            assert!((milliseconds / 2..=milliseconds).contains(&wait), "{tried}: {wait}");
        }
    }

    #[test]
    fn retry_after_accepts_seconds_and_dates() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().unwrap();
        let wait = |value| retry_after(value, now).map(|wait| wait.as_secs());
        assert_eq!(wait(" 120 "), Some(120));
        assert_eq!(wait("Sun, 06 Nov 1994 08:49:37 GMT"), Some(37));
        assert_eq!(wait("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        for odd in ["", "-1", "1.5", "soon", "99999999999999999999999"] {
            assert_eq!(wait(odd), None, "{odd}");
        }
    }
}

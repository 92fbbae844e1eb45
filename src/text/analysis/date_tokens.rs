//! Dates as tokens. The index holds the dates of a note at several precisions, and a question asks for the precision it names.
//!
//! | token | example | finds |
//! |---|---|---|
//! | `xd` + year, month, day | `xd20230508` | "2023-05-08", "8 May 2023" |
//! | `xm` + year, month | `xm202305` | "May 2023" |
//! | `xa` + month, day | `xa0508` | "8 May" |
//! | `xn` + month | `xn05` | "in May" |
//! | `xy` + year | `xy2023` | "in 2023" |

use jiff::civil::Date;

/// Returns the tokens under which a note of that day is indexed, most precise first.
pub fn date_tokens(date: Date) -> [String; 5] {
    let (year, month, day) = (date.year(), date.month() as u8, date.day() as u8);
    [
        mention_tokens(Some(year), Some(month), Some(day)),
        mention_tokens(Some(year), Some(month), None),
        mention_tokens(None, Some(month), Some(day)),
        mention_tokens(None, Some(month), None),
        mention_tokens(Some(year), None, None),
    ]
    .map(|token| token.unwrap_or_default())
}

/// Returns the token for the parts of a date that a question names; `None` if they name no date (a day without a month, or nothing).
pub fn mention_tokens(year: Option<i16>, month: Option<u8>, day: Option<u8>) -> Option<String> {
    match (year, month, day) {
        (Some(year), Some(month), Some(day)) => Some(format!("xd{year:04}{month:02}{day:02}")),
        (Some(year), Some(month), None) => Some(format!("xm{year:04}{month:02}")),
        (None, Some(month), Some(day)) => Some(format!("xa{month:02}{day:02}")),
        (None, Some(month), None) => Some(format!("xn{month:02}")),
        (Some(year), None, None) => Some(format!("xy{year:04}")),
        _ => None,
    }
}

/// Maximum number of tokens for one range.
const MAX_RANGE: usize = 64;

/// Returns tokens that together cover the days from `first` to `last`: whole years and months where they fit, days elsewhere.
/// Returns none if that takes more than 64 tokens, or if the range is empty.
pub fn range_tokens(first: Date, last: Date) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut day = first;
    while day <= last && tokens.len() <= MAX_RANGE {
        let [exact, month, _, _, year] = date_tokens(day);
        let (token, end) = if day.day_of_year() == 1 && day.last_of_year() <= last {
            (year, day.last_of_year())
        } else if day.day() == 1 && day.last_of_month() <= last {
            (month, day.last_of_month())
        } else {
            (exact, day)
        };
        tokens.push(token);
        let Ok(next) = end.tomorrow() else { break };
        day = next;
    }
    if tokens.len() > MAX_RANGE { Vec::new() } else { tokens }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_precision_of_a_day_is_indexed() {
        let tokens = date_tokens(jiff::civil::date(2023, 5, 8));
        assert_eq!(tokens, ["xd20230508", "xm202305", "xa0508", "xn05", "xy2023"]);
        assert_eq!(mention_tokens(None, None, Some(3)), None);
    }

    #[test]
    fn ranges_use_the_coarsest_precision_that_fits() {
        let range = |first: &str, last: &str| range_tokens(first.parse().unwrap(), last.parse().unwrap());
        assert_eq!(range("2023-05-08", "2023-05-09"), ["xd20230508", "xd20230509"]);
        assert_eq!(range("2023-04-30", "2023-06-01"), ["xd20230430", "xm202305", "xd20230601"]);
        assert_eq!(range("2022-12-01", "2024-01-31"), ["xm202212", "xy2023", "xm202401"]);
        assert!(range("2023-05-09", "2023-05-08").is_empty());
        assert!(range("0001-01-01", "9999-12-31").is_empty());
    }
}

//! Compares the properties of notes with conditions.

use std::cmp::Ordering;

use tars_base::domain::{Comparison, DateRange, PropertyCondition, PropertyTest};
use tars_text::languages::normalize_word;
use tars_text::markdown::days_of_value;

/// Returns the form in which names of properties are equal: without regard to case, accents, and the sign between words.
pub fn property_key(name: &str) -> String {
    normalize_word(name.trim()).replace([' ', '_'], "-")
}

/// Returns the number that a value is; `None` for words such as `inf` too.
pub fn property_number(value: &str) -> Option<f64> {
    let value = value.trim();
    let is_plain = value.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E'));
    value.parse().ok().filter(|number: &f64| is_plain && number.is_finite())
}

/// Whether a value of a property passes the test of a condition.
pub(super) fn passes(condition: &PropertyCondition, value: &str) -> bool {
    let value = unquoted(value);
    let Some(test) = &condition.test else { return !value.is_empty() };
    let as_number = || {
        let (wanted, found) = (test.number?, property_number(value)?);
        // A year asks for days also where a program wrote the seconds since 1970.
        let is_time = test.days.is_some() && value.len() > 4 && days_of_value(value).is_some();
        if is_time { None } else { Some(holds(test.comparison, found.partial_cmp(&wanted)?)) }
    };
    let as_days = || Some(day_holds(test.comparison, days_of_value(value)?, test.days?));
    let compared = as_number().or_else(as_days);
    match test.comparison {
        Comparison::Equal => compared == Some(true) || is_equal(value, &test.text),
        _ => compared.unwrap_or_else(|| is_ordered(test, value)),
    }
}

fn holds(comparison: Comparison, ordering: Ordering) -> bool {
    match comparison {
        Comparison::Equal => ordering.is_eq(),
        Comparison::Less => ordering.is_lt(),
        Comparison::AtMost => ordering.is_le(),
        Comparison::Greater => ordering.is_gt(),
        Comparison::AtLeast => ordering.is_ge(),
    }
}

fn day_holds(comparison: Comparison, found: DateRange, wanted: DateRange) -> bool {
    match comparison {
        Comparison::Equal => wanted.first <= found.first && found.last <= wanted.last,
        Comparison::Less => found.first < wanted.first,
        Comparison::AtMost => found.first <= wanted.last,
        Comparison::Greater => found.first > wanted.last,
        Comparison::AtLeast => found.first >= wanted.first,
    }
}

/// Words are in order only among words: `rating:<b` admits no number.
fn is_ordered(test: &PropertyTest, value: &str) -> bool {
    let is_word = |number: Option<f64>, days: Option<DateRange>| number.is_none() && days.is_none();
    is_word(test.number, test.days)
        && is_word(property_number(value), days_of_value(value))
        && holds(test.comparison, normalize_word(value).cmp(&normalize_word(&test.text)))
}

/// Whether a value, a part of it between commas, or a name of its link is the wanted text.
fn is_equal(value: &str, wanted: &str) -> bool {
    let (wanted, is_beginning) = wanted.strip_suffix('*').map_or((wanted, false), |start| (start, true));
    let wanted = normalize_word(plain(wanted));
    let is_meant = |text: &str| {
        let text = normalize_word(text.trim());
        if is_beginning { text.starts_with(&wanted) } else { text == wanted }
    };
    let is_part = |part: &str| {
        let part = plain(part);
        is_meant(part) || part.split(['|', '/', '#']).any(|name| part.len() > name.len() && is_meant(name))
    };
    is_meant(value) || is_part(value) || value.split(',').any(|part| is_part(unquoted(part)))
}

/// Returns a text without the brackets of a link.
fn plain(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]")).unwrap_or(text)
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value).trim()
}

#[cfg(test)]
mod tests {
    use jiff::civil::Date;
    use tars_text::markdown::named_period;

    use super::*;

    const TODAY: Date = Date::constant(2026, 5, 20);

    fn is_admitted(condition: &str, value: &str) -> bool {
        let comparison = match condition.trim_end_matches(|c| !matches!(c, '<' | '>' | '=')) {
            "<" => Comparison::Less,
            "<=" => Comparison::AtMost,
            ">" => Comparison::Greater,
            ">=" => Comparison::AtLeast,
            _ => Comparison::Equal,
        };
        let text = condition.trim_start_matches(['<', '>', '=']).to_owned();
        let (number, days) = (property_number(&text), named_period(&text, TODAY));
        let test = Some(PropertyTest { comparison, text, number, days });
        passes(&PropertyCondition { name: "x".into(), test, is_excluded: false }, value)
    }

    #[test]
    fn values_compare_as_numbers_dates_or_words() {
        for (condition, value) in [
            (">3", "4"),
            (">3", "3.5"),
            ("<=3", "3"),
            ("3", "3.0"),
            (">-2", "-1"),
            (">9", "10"),
            ("2026-05", "2026-05-12"),
            ("<2026-05", "30 April 2026"),
            (">2026-05", "1.6.2026"),
            ("today", "2026-05-20"),
            (">=2026-05-20", "2026-05-20T10:00:00Z"),
            ("<=2026", "2026-12-31"),
            ("2026", "1777593600123"),
            ("2026", "2026"),
            ("open", "Open"),
            ("resume", "Résumé"),
            ("in progress", "In Progress"),
            ("urgent", "open, urgent"),
            ("anna berg", "[[People/Anna Berg|Anna]]"),
            ("anna", "[[People/Anna Berg|Anna]]"),
            ("an*", "Anna"),
            ("open", "\"open\""),
            (">a", "b"),
            ("true", "true"),
            ("1.10", "1.10"),
        ] {
            assert!(is_admitted(condition, value), "{condition} admits {value}");
        }
        for (condition, value) in [
            (">3", "3"),
            (">3", "many"),
            ("<b", "1"),
            (">9", "2026-05-01x"),
            ("2026-05", "2026-06-01"),
            ("2026-05-12", "2026-05"),
            (">2026-05", "2026-05-31"),
            ("open", "reopened"),
            ("open", ""),
            ("<2026-05", "soon"),
            (">2026", "1777593600123"),
            ("an", "Anna"),
            (">inf", "4"),
        ] {
            assert!(!is_admitted(condition, value), "{condition} refuses {value}");
        }
    }

    #[test]
    fn names_are_equal_without_regard_to_signs_between_words() {
        assert_eq!(property_key("Due Date"), property_key("due-date"));
        assert_eq!(property_key(" Prénom_x"), property_key("PRENOM x"));
    }
}

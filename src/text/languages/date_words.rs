//! The words of dates.

/// The unit that relative dates count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateUnit {
    /// A day.
    Day,
    /// A week, beginning on Monday.
    Week,
    /// A calendar month.
    Month,
    /// A calendar year.
    Year,
}

/// The date words of one language, lower-case and with diacritics, and also in the spellings that people type without a
/// special keyboard.
#[derive(Debug)]
pub struct DateWords {
    /// Names of the months, January first.
    pub months: [&'static [&'static str]; 12],
    /// Names of the days, Monday first.
    pub weekdays: [&'static [&'static str]; 7],
    /// Words that count back from today: the unit, and how many of it. Longer phrases stand before those that they
    /// begin with.
    pub counted: &'static [(&'static str, DateUnit, i64)],
    /// The same, for words that mean something else in other languages. They count only in texts of this language.
    pub counted_if_own_language: &'static [(&'static str, DateUnit, i64)],
    /// Names of the units, days first.
    pub units: [&'static [&'static str]; 4],
    /// The numbers from one to seven.
    pub numbers: [&'static [&'static str]; 7],
    /// Words before `3 days` that make it three days ago.
    pub ago_before: &'static [&'static str],
    /// Words after `3 days` that make it three days ago.
    pub ago_after: &'static [&'static str],
    /// Words before `week`, `Monday` or `3 days` that make it the last one.
    pub last: &'static [&'static str],
    /// Words after the day that make it the last one.
    pub last_after: &'static [&'static str],
    /// Words before `week` that make it the present one.
    pub this: &'static [&'static str],
    /// Words before the name of a day that mean the date and not just its name. Empty where the name alone means the
    /// date.
    pub on: &'static [&'static str],
    /// Words before a bare month or year that make it a date.
    pub prepositions: &'static [&'static str],
}

impl DateWords {
    /// No words.
    pub const NONE: Self = Self {
        months: [&[]; 12],
        weekdays: [&[]; 7],
        counted: &[],
        counted_if_own_language: &[],
        units: [&[]; 4],
        numbers: [&[]; 7],
        ago_before: &[],
        ago_after: &[],
        last: &[],
        last_after: &[],
        this: &[],
        on: &[],
        prepositions: &[],
    };
}

//! The words that dates are made of.

/// What relative words count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A day.
    Day,
    /// A week, which begins on Monday.
    Week,
    /// A month of the calendar.
    Month,
    /// A year of the calendar.
    Year,
}

/// The words of one language that dates are made of, in small letters with their diacritics; those that people type without a
/// special keyboard stand beside them.
#[derive(Debug)]
pub struct DateWords {
    /// Names of the months, January first.
    pub months: [&'static [&'static str]; 12],
    /// Names of the days, Monday first.
    pub weekdays: [&'static [&'static str]; 7],
    /// Words that count from today: the unit, and how many of it ago. Longer ones stand before those that they begin with.
    pub counted: &'static [(&'static str, Unit, i64)],
    /// The same, for words that mean something else in other languages: they count in texts of this language.
    pub counted_if_spoken: &'static [(&'static str, Unit, i64)],
    /// Names of the units, days first.
    pub units: [&'static [&'static str]; 4],
    /// The numbers from one to seven.
    pub numbers: [&'static [&'static str]; 7],
    /// What stands before `3 days` to mean three days ago.
    pub ago_before: &'static [&'static str],
    /// What stands behind it.
    pub ago_behind: &'static [&'static str],
    /// What makes `week`, `Monday` or `3 days` behind it the last one or ones.
    pub last: &'static [&'static str],
    /// The same, behind the day.
    pub last_behind: &'static [&'static str],
    /// What makes `week` behind it the present one.
    pub this: &'static [&'static str],
    /// What stands before the name of a day to mean that day, and not its name; nothing where the name says it alone.
    pub on: &'static [&'static str],
    /// What stands before a month or a year alone to mean a time.
    pub prepositions: &'static [&'static str],
}

impl DateWords {
    /// No words.
    pub const NONE: Self = Self {
        months: [&[]; 12],
        weekdays: [&[]; 7],
        counted: &[],
        counted_if_spoken: &[],
        units: [&[]; 4],
        numbers: [&[]; 7],
        ago_before: &[],
        ago_behind: &[],
        last: &[],
        last_behind: &[],
        this: &[],
        on: &[],
        prepositions: &[],
    };
}

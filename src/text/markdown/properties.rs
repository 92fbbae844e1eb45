//! Interprets the keys of front matter.
//!
//! Keys ignore case: `title`, `aliases` or `alias`, `tags` or `tag`, `tars`, and keys of dates. All other keys are properties.

use super::yaml::{Entry, Value};
use super::{link, note_dates, tags};
use tars_base::domain::{Link, LinkKind, NoteDate, NoteDateSource, Property};

/// Keys of dates, lower-case, without the characters between words.
#[rustfmt::skip]
const DATE_KEYS: [&str; 19] = [
    "date", "day", "created", "createdat", "createdon", "creationdate", "datecreated", "updated", "updatedat",
    "updatedon", "dateupdated", "modified", "modifiedat", "lastmodified", "lastmod", "datemodified", "published",
    "publishdate", "datepublished",
];

/// The interpreted front matter of a note.
#[derive(Debug, Default)]
pub(super) struct Properties {
    pub(super) title: Option<String>,
    pub(super) aliases: Vec<String>,
    /// As written, without `#`.
    pub(super) tags: Vec<String>,
    pub(super) others: Vec<Property>,
    pub(super) dates: Vec<NoteDate>,
    pub(super) links: Vec<Link>,
    pub(super) private: bool,
}

impl Properties {
    /// Interprets `entries`, in their order.
    pub(super) fn of(entries: Vec<(String, Entry)>) -> Self {
        let mut properties = Self::default();
        for (key, entry) in entries {
            properties.add(key, entry);
        }
        properties
    }

    fn add(&mut self, key: String, entry: Entry) {
        match (key.to_lowercase().as_str(), &entry.value) {
            ("title", Value::Scalar(title)) if !title.trim().is_empty() => {
                self.title = Some(title.split_whitespace().collect::<Vec<_>>().join(" "));
                return;
            }
            ("title", Value::Null) => return,
            ("aliases" | "alias", value) => return self.add_aliases(value),
            ("tags" | "tag", value) => {
                each_scalar(value, &mut |text| self.tags.extend(tags::split(text)));
                return;
            }
            ("tars", value) => self.private |= says_private(value),
            _ => {}
        }
        self.flatten(key, entry);
    }

    fn add_aliases(&mut self, value: &Value) {
        let mut add = |alias: &str| {
            let alias = alias.trim();
            if !alias.is_empty() && !self.aliases.iter().any(|known| known == alias) {
                self.aliases.push(alias.to_owned());
            }
        };
        match value {
            Value::Scalar(list) => list.split(',').for_each(add),
            value => each_scalar(value, &mut add),
        }
    }

    fn flatten(&mut self, name: String, entry: Entry) {
        match entry.value {
            Value::Null => {}
            Value::Scalar(value) => self.add_property(name, value, entry.line),
            Value::Sequence(items) => items.into_iter().for_each(|item| self.flatten(name.clone(), item)),
            Value::Mapping(pairs) => {
                pairs.into_iter().for_each(|(key, entry)| self.flatten(format!("{name}.{key}"), entry));
            }
        }
    }

    fn add_property(&mut self, name: String, value: String, line: usize) {
        if is_date_key(&name) {
            let dated = |date| NoteDate { date, source: NoteDateSource::FrontMatter, line };
            self.dates.extend(note_dates::of_value(&value).map(dated));
        }
        let target = |target| Link { target, kind: LinkKind::Wiki, line };
        self.links.extend(link::wiki_targets(&value).map(target));
        if !value.is_empty() {
            self.others.push(Property { name, value });
        }
    }
}

fn is_date_key(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| !matches!(c, ' ' | '_' | '-')).collect();
    DATE_KEYS.contains(&letters.to_lowercase().as_str())
}

fn each_scalar(value: &Value, act: &mut impl FnMut(&str)) {
    match value {
        Value::Scalar(text) => act(text),
        Value::Sequence(items) => items.iter().for_each(|item| each_scalar(&item.value, act)),
        Value::Null | Value::Mapping(_) => {}
    }
}

fn says_private(value: &Value) -> bool {
    match value {
        Value::Scalar(word) => word.trim().eq_ignore_ascii_case("private"),
        Value::Sequence(items) => items.iter().any(|item| says_private(&item.value)),
        Value::Mapping(pairs) => pairs.iter().any(|(key, entry)| {
            let no = |word: &str| ["false", "no", "off"].iter().any(|no| word.eq_ignore_ascii_case(no));
            key.eq_ignore_ascii_case("private") && !matches!(&entry.value, Value::Scalar(word) if no(word))
        }),
        Value::Null => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::yaml;

    fn properties(text: &str) -> Properties {
        let Ok(Value::Mapping(entries)) = yaml::parse(text) else { panic!("no mapping") };
        Properties::of(entries)
    }

    #[test]
    fn aliases_are_lists_or_comma_lists() {
        assert_eq!(properties("aliases: A b, C , ,A b").aliases, ["A b", "C"]);
        assert_eq!(properties("alias: [\"A, b\", C, 3]").aliases, ["A, b", "C", "3"]);
        assert!(properties("aliases:").aliases.is_empty());
    }

    #[test]
    fn tags_are_lists_or_words() {
        assert_eq!(properties("tags: \"a, b #c/d\"").tags, ["a", "b", "c/d"]);
        assert_eq!(properties("Tags:\n  - \"#a\"\n  - b\n  -").tags, ["a", "b"]);
        assert_eq!(properties("tag: [[a], 2023]").tags, ["a", "2023"]);
    }

    #[test]
    fn values_are_flattened() {
        let others = properties("a: 1.0\nb: [x, y]\nc: {d: {e: z}, f: [1]}\ng:\nh: \"\"\ni:\n  - j: k").others;
        let flat: Vec<_> = others.iter().map(|p| (p.name.as_str(), p.value.as_str())).collect();
        assert_eq!(flat, [("a", "1.0"), ("b", "x"), ("b", "y"), ("c.d.e", "z"), ("c.f", "1"), ("i.j", "k")]);
    }

    #[test]
    fn dates_are_parsed_and_stay_properties() {
        let text = "created: 2023-05-08T10:00:00+02:00\nLast-Modified: 2023/05/09\nday: \"[[2023-05-10]]\"\ndate: 20230511\n\
                    updated: 2023-02-30\npublished: 12 May 2023\nother: 2023-05-13";
        let properties = properties(text);
        let dates: Vec<_> = properties.dates.iter().map(|date| (date.date.day(), date.line)).collect();
        assert_eq!(dates, [(8, 1), (9, 2), (10, 3), (11, 4), (12, 6)]);
        assert_eq!(properties.others.len(), 7);
        assert_eq!(properties.links[0].target, "2023-05-10");
    }

    #[test]
    fn dates_of_programs_are_dates_and_other_numbers_are_not() {
        let properties = properties("created: 1623841239123\nupdated: \"1623841239\"\nphone: 1623841239");
        let dates: Vec<String> = properties.dates.iter().map(|date| date.date.to_string()).collect();
        assert_eq!(dates, ["2021-06-16", "2021-06-16"]);
    }

    #[test]
    fn privacy_can_be_declared_in_two_ways() {
        for text in
            ["tars: private", "TARS: Private", "tars: {private: true}", "tars:\n  private: yes", "tars: [private]"]
        {
            assert!(properties(text).private, "{text}");
        }
        for text in ["tars: public", "tars: {private: false}", "tars: {private: no}", "private: true", "tars:"] {
            assert!(!properties(text).private, "{text}");
        }
    }

    #[test]
    fn a_title_may_be_a_number() {
        assert_eq!(properties("title: 1984").title.as_deref(), Some("1984"));
        assert_eq!(properties("title: >\n  a\n  b").title.as_deref(), Some("a b"));
        assert_eq!(properties("title: [a]").title, None);
    }
}

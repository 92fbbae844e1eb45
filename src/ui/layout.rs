//! Where each part of the screen lies. Drawing and the mouse use the same places.

use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;

use crate::help::help_size;
use crate::item::Item;
use crate::request::Tab;
use crate::snippet::{cut, start_of_column, wrap};
use crate::state::{Bar, Focus, Page, State};

/// The least columns for a text beside the list instead of below it.
const BESIDE: u16 = 70;
/// The least columns for a hint of two keys.
const TWO_KEYS: u16 = 50;

/// The parts of the screen. A part without room is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Regions {
    pub(crate) tabs: Rect,
    pub(crate) query: Rect,
    pub(crate) list: Rect,
    /// The line between list and text.
    pub(crate) rule: Rect,
    pub(crate) text: Rect,
    pub(crate) bar: Rect,
    /// The help covers list, text and bar.
    pub(crate) help: Rect,
    pub(crate) status: Rect,
    /// Rows of an entry, with a blank one.
    pub(crate) entry: u16,
}

impl Regions {
    pub(crate) fn of(state: &State) -> Self {
        let (width, height) = state.size;
        let row = |y: u16, rows: u16| Rect::new(0, y.min(height), width, rows.min(height.saturating_sub(y)));
        let bar = state.bar.as_ref().map_or(0, |bar| bar_rows(bar, width).len() as u16);
        // A bar takes half of the screen at most, so that the list stays in sight.
        let bar = bar.min(height / 2);
        let status = status_rows(state).0.len() as u16;
        let body = row(2, height.saturating_sub(2 + status + bar));
        let mut regions = Self {
            tabs: row(0, 1),
            query: row(1, 1),
            bar: row(2 + body.height, bar),
            help: row(2, body.height + bar),
            status: row((2 + body.height + bar).max(2), status),
            entry: 1,
            ..Self::default()
        };
        let has_list = state.tab != Tab::Status && !state.page().items.is_empty();
        let (x, y) = (body.x, body.y);
        if !has_list {
            regions.text = body;
        } else if width >= BESIDE {
            let list = width * 2 / 5;
            regions.entry = if state.shows_hits() { 4 } else { 3 };
            regions.list = Rect { width: list, ..body };
            regions.rule = Rect { x: x + list, width: 1, ..body };
            regions.text = Rect { x: x + list + 2, width: width - list - 2, ..body };
        } else if body.height < 5 {
            regions.list = body;
        } else {
            let items = u16::try_from(state.page().items.len()).unwrap_or(u16::MAX);
            let list = items.min(body.height / 2);
            regions.list = Rect { height: list, ..body };
            regions.rule = Rect { y: y + list, height: 1, ..body };
            regions.text = Rect { y: y + list + 1, height: body.height - list - 1, ..body };
        }
        regions
    }

    /// Returns how many entries are in sight. The last one needs no blank row.
    pub(crate) fn visible(&self) -> usize {
        let blank = u16::from(self.entry > 1);
        usize::from((self.list.height + blank) / self.entry).max(1)
    }

    /// Returns the first entry in sight: lists turn by whole screens.
    pub(crate) fn first(&self, page: &Page) -> usize {
        page.selected / self.visible() * self.visible()
    }
}

/// Returns the tabs with their columns: all names, or only that of the tab in sight where they do not fit.
pub(crate) fn tabs(width: u16, shown: Tab) -> Vec<(Tab, String, u16)> {
    let all = |is_named: &dyn Fn(Tab) -> bool| {
        let mut x = 0;
        let label = |(number, tab): (usize, Tab)| {
            let label = if is_named(tab) { format!(" {number} {} ", tab.name()) } else { format!(" {number} ") };
            let at = x;
            x += label.len() as u16;
            (tab, label, at)
        };
        let labels = (1..).zip(Tab::ALL).map(label).collect::<Vec<_>>();
        (labels, x)
    };
    match all(&|_| true) {
        (labels, end) if end <= width => labels,
        _ => all(&|tab| tab == shown).0,
    }
}

/// Returns the heading over the text of an entry, in rows.
pub(crate) fn heading(item: &Item, width: u16) -> Vec<String> {
    if item.heading.is_empty() { Vec::new() } else { fold(&item.heading, width).collect() }
}

/// Returns the text of an entry in rows.
pub(crate) fn text(item: &Item, width: u16) -> impl Iterator<Item = String> {
    item.shown().split('\n').flat_map(move |line| fold(line, width))
}

/// Returns the rows that the heading takes, with the blank one below it.
pub(crate) fn heading_rows(item: &Item, width: u16) -> usize {
    match heading(item, width).len() {
        0 => 0,
        rows => rows + 1,
    }
}

/// Returns the most rows by which the text of an entry can be scrolled in its region.
pub(crate) fn last_scroll(item: &Item, region: Rect) -> usize {
    let rows = heading_rows(item, region.width) + text(item, region.width).count();
    rows.saturating_sub(usize::from(region.height))
}

/// Returns the first row of the text of an entry at which a line of that text is in sight, at the top if enough text follows.
pub(crate) fn line_scroll(item: &Item, line: usize, region: Rect) -> usize {
    let before = item.shown().split('\n').take(line).map(|line| fold(line, region.width).count()).sum::<usize>();
    let row = if line == 0 { 0 } else { heading_rows(item, region.width) + before };
    row.min(last_scroll(item, region))
}

/// Returns the most rows by which the help can be scrolled.
pub(crate) fn last_help_row(state: &State) -> usize {
    // The tabs, the question and the last row stay.
    help_size(state.size.0).1.saturating_sub(state.size.1.saturating_sub(3).into())
}

/// Returns the rows of the last message, one at least, and the hint that the last of them ends with.
pub(crate) fn status_rows(state: &State) -> (Vec<String>, &'static str) {
    let (width, height) = state.size;
    let hint = match (state.has_help, &state.bar, state.focus) {
        (true, ..) if last_help_row(state) > 0 => "Up Down scroll  Esc back",
        (true, ..) => "any key goes back",
        (_, Some(Bar::Text { .. }), _) => "Enter: yes  Esc: no",
        (_, Some(_), _) => "Esc: no",
        (_, None, Focus::Query) if state.item().is_none() => "F1 keys",
        (_, None, Focus::Query) if width < TWO_KEYS => "Esc list",
        (_, None, Focus::Query) => "Esc list  F1 keys",
        (_, None, Focus::List) if width < TWO_KEYS => "Esc question",
        (_, None, Focus::List) => "Esc question  ? keys",
    };
    let room = width.saturating_sub(hint.len() as u16 + 1);
    // A remark on the hits must not move them.
    let is_remark = state.message.is_empty() && !state.page().items.is_empty();
    let most = if state.has_help || is_remark { 1 } else { usize::from(height / 4).clamp(1, 3) };
    let mut rows: Vec<String> = fold(&state.said(), room).take(most + 1).collect();
    if rows.len() > most {
        rows.truncate(most);
        rows[most - 1] = cut(&format!("{}…", rows[most - 1]), room.into());
    }
    (rows, hint)
}

/// Returns what a bar says, above its answers or its input.
pub(crate) fn bar_rows(bar: &Bar, width: u16) -> Vec<String> {
    let (line, question) = match bar {
        Bar::Confirm { question, line, .. } => (line.clone(), format!("{question} [y/N]")),
        Bar::Near { line, .. } => {
            (format!("nearly the same: {line}"), "[a]dd it, [r]eplace that line, or [l]eave it?".into())
        }
        Bar::Text { asks, .. } => return vec![asks.label().to_owned()],
    };
    // The very line that a step concerns, but never more than a screen holds beside the list.
    let mut rows: Vec<String> = fold(&line, width).collect();
    if rows.len() > 6 {
        rows.truncate(6);
        rows[5] = "…".into();
    }
    rows.extend(fold(&question, width));
    rows
}

/// Wraps a line at words, and cuts words that are wider than a row.
fn fold(line: &str, width: u16) -> impl Iterator<Item = String> + use<> {
    let width = usize::from(width).max(1);
    let cut = move |part: String| {
        let mut rows = Vec::new();
        let mut rest = part.as_str();
        // The rest is never measured as a whole: a paragraph of a script without blanks is one long word.
        loop {
            let end = match start_of_column(rest, width) {
                end if end == rest.len() => break,
                0 => rest.graphemes(true).next().map_or(rest.len(), str::len),
                end => end,
            };
            rows.push(rest[..end].to_owned());
            rest = &rest[end..];
        }
        if rows.is_empty() || !rest.is_empty() {
            rows.push(rest.to_owned());
        }
        rows
    };
    wrap(line, width).into_iter().flat_map(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_without_blanks_is_cut_at_whole_characters() {
        let rows = |line: &str, width| fold(line, width).collect::<Vec<_>>();
        assert_eq!(rows("战国史模式", 5), ["战国", "史模", "式"]);
        assert_eq!(rows("战国", 1), ["战", "国"]);
        assert_eq!(rows("see https://example.org", 8), ["see", "https://", "example.", "org"]);
        assert_eq!(rows("", 0), [""]);
    }

    #[test]
    fn any_size_has_a_place_for_all_parts() {
        let mut state = State::default();
        state.pages[0].items = vec![Item::default(); 9];
        for bar in [None, Some(Bar::Near { text: String::new(), id: String::new(), line: "x ".repeat(900) })] {
            state.bar = bar;
            for width in 0..90 {
                for height in 0..40 {
                    state.size = (width, height);
                    let regions = Regions::of(&state);
                    let screen = Rect::new(0, 0, width, height);
                    let Regions { tabs, query, list, rule, text, bar, status, .. } = regions;
                    for region in [tabs, query, list, rule, text, bar, status] {
                        assert_eq!(region.intersection(screen).area(), region.area(), "{width}x{height} {regions:?}");
                    }
                    assert!(regions.visible() > 0);
                }
            }
        }
    }
}

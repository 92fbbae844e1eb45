//! Draws the state. Colours are those of the terminal's own palette.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};

use crate::help::{HELP, help_size};
use crate::item::{Item, Kind};
use crate::layout::{Regions, bar_rows, heading, last_help_row, status_rows, tabs, text};
use crate::request::Tab;
use crate::snippet::{columns, cut, cut_middle, mark, words};
use crate::state::{Bar, Focus, State};
use tars_base::domain::{Relevance, pluralize};

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const FAINT: Style = Style::new().add_modifier(Modifier::DIM);
const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);

/// Draws the whole screen.
pub(crate) fn draw(frame: &mut Frame<'_>, state: &State) {
    let regions = Regions::of(state);
    draw_tabs(frame, state, regions.tabs);
    draw_query(frame, state, regions.query);
    if state.has_help {
        draw_help(frame, state, regions.help);
    } else {
        draw_list(frame, state, &regions);
        draw_text(frame, state, regions.text);
        draw_bar(frame, state, regions.bar);
    }
    draw_status(frame, state, regions.status);
}

/// Writes a line into a row of a region, if the region has that row.
fn put<'l>(frame: &mut Frame<'_>, region: Rect, row: usize, line: impl Into<Line<'l>>) {
    if let Some(y) = u16::try_from(row).ok().filter(|row| *row < region.height) {
        frame.render_widget(line.into(), Rect { y: region.y + y, height: 1, ..region });
    }
}

fn colored(state: &State, style: Style, color: Color) -> Style {
    if state.color { style.fg(color) } else { style }
}

fn draw_tabs(frame: &mut Frame<'_>, state: &State, region: Rect) {
    let style = |tab| if tab == state.tab { SELECTED } else { Style::new() };
    let labels = tabs(region.width, state.tab).into_iter();
    put(frame, region, 0, Line::from_iter(labels.map(|(tab, label, _)| Span::styled(label, style(tab)))));
}

fn draw_query(frame: &mut Frame<'_>, state: &State, region: Rect) {
    let page = state.page();
    if !state.shows_hits() {
        let count = pluralize(page.items.len(), if state.over.is_some() { "note" } else { "entry" });
        let count = count.replace("entrys", "entries");
        let title = match (&state.over, state.tab, page.is_loaded) {
            (Some(over), ..) => format!("{}: {count}; Esc goes back", over.title),
            (None, Tab::Status, _) | (None, _, false) => state.tab.name().to_owned(),
            (None, tab, true) => format!("{}: {count}", tab.name()),
        };
        return put(frame, region, 0, Span::styled(cut(&title, region.width.into()), BOLD));
    }
    let (typed, cursor) = state.query.shown(usize::from(region.width).saturating_sub(2));
    let has_focus = state.focus == Focus::Query;
    let style = if has_focus { Style::new() } else { FAINT };
    put(
        frame,
        region,
        0,
        Line::from_iter([Span::styled("> ", colored(state, BOLD, Color::Cyan)), Span::styled(typed, style)]),
    );
    if has_focus && state.bar.is_none() && !state.has_help && region.height > 0 {
        frame.set_cursor_position((region.x + 2 + cursor as u16, region.y));
    }
}

fn draw_list(frame: &mut Frame<'_>, state: &State, regions: &Regions) {
    let Regions { list, rule, entry, .. } = *regions;
    let page = state.page();
    let first = regions.first(page);
    for (row, (at, item)) in page.items.iter().enumerate().skip(first).take(regions.visible()).enumerate() {
        let y = list.y + row as u16 * entry;
        let place = Rect { y, height: entry.min(list.bottom().saturating_sub(y)), ..list };
        draw_item(frame, state, item, place, at == page.selected);
    }
    let bar = if rule.height > 1 || rule.width == 1 { "│" } else { "─" };
    for row in 0..rule.height {
        put(frame, rule, row.into(), Span::styled(bar.repeat(rule.width.into()), FAINT));
    }
}

fn draw_item(frame: &mut Frame<'_>, state: &State, item: &Item, place: Rect, is_selected: bool) {
    let width = usize::from(place.width);
    let is_hit = matches!(item.kind, Kind::Hit(_));
    let marker = if is_selected { "› " } else { "  " };
    let relevance = match item.relevance {
        Some(Relevance::Relevant) => colored(state, Style::new(), Color::Green),
        Some(Relevance::Kinda) => colored(state, Style::new(), Color::Yellow),
        _ => FAINT,
    };
    // A single row ends in the score of a hit, so that a list without room still tells how good it is.
    let score = if is_hit && place.height == 1 { item.remark.split(' ').next().unwrap_or_default() } else { "" };
    let room = width.saturating_sub(2 + if score.is_empty() { 0 } else { score.len() + 1 });
    let is_place = is_hit || matches!(item.kind, Kind::Related(_));
    let name = if is_place { cut_middle(&item.name, room) } else { cut(&item.name, room) };
    let blanks = " ".repeat(room.saturating_sub(columns(&name)) + usize::from(!score.is_empty()));
    let named = if is_hit { colored(state, BOLD, Color::Cyan) } else { Style::new() };
    let named = if is_selected { named.patch(SELECTED) } else { named };
    let first = [
        Span::styled(marker, named),
        Span::styled(name, named),
        Span::styled(blanks, named),
        Span::styled(score, relevance),
    ];
    put(frame, place, 0, Line::from_iter(first));
    if place.height == 1 {
        return;
    }
    let below = |text: &str| format!("  {}", cut(text, width.saturating_sub(2)));
    if is_hit {
        let remark = below(&item.remark);
        // A beginning of the id names the hit as well. A blank before the rule keeps it apart.
        let id = item.id().unwrap_or_default();
        let id = &id[..id.len().min(width.saturating_sub(columns(&remark) + 3))];
        put(frame, place, 1, below(&item.heading));
        put(
            frame,
            place,
            2,
            Line::from_iter([Span::styled(remark, relevance), Span::styled(format!("  {id}"), FAINT)]),
        );
    } else {
        put(frame, place, 1, Span::styled(below(&item.remark), FAINT));
    }
}

/// Draws the text of the selected entry under its heading, with the words of the question marked.
fn draw_text(frame: &mut Frame<'_>, state: &State, region: Rect) {
    let page = state.page();
    let Some(item) = page.item() else {
        let said = match state.tab {
            Tab::Search if state.query.text().is_empty() => state.tab.nothing(state.names),
            Tab::Search => String::new(),
            tab if page.is_loaded => tab.nothing(state.names),
            _ => "…".into(),
        };
        // While an answer is on its way, and when its message says that there is none, nothing else is said.
        if !state.is_waiting && state.said().is_empty() {
            put(frame, region, 0, Span::styled(cut(&said, region.width.into()), FAINT));
        }
        return;
    };
    let words = if state.tab == Tab::Search { words(&state.answered) } else { Vec::new() };
    let found = colored(state, BOLD, Color::Yellow);
    let found = if state.color { found } else { found.add_modifier(Modifier::UNDERLINED) };
    let over = heading(item, region.width);
    let blank = usize::from(!over.is_empty());
    let over = over.into_iter().map(|row| Line::styled(row, BOLD)).chain((0..blank).map(|_| Line::default()));
    let marked = |row: String| {
        let pieces = mark(&row, &words).into_iter();
        Line::from_iter(pieces.map(|piece| Span::styled(piece.text, if piece.marked { found } else { Style::new() })))
    };
    let height = usize::from(region.height);
    let mut rows = over.chain(text(item, region.width).map(marked)).skip(page.scroll);
    for row in 0..height {
        let Some(line) = rows.next() else { return };
        put(frame, region, row, line);
    }
    if rows.next().is_some() {
        put_more(frame, region);
    }
}

/// Marks in the corner of a region that more rows follow.
fn put_more(frame: &mut Frame<'_>, region: Rect) {
    if region.height > 1 {
        let corner = Rect { x: region.right().saturating_sub(2), width: 2.min(region.width), ..region };
        put(frame, corner, usize::from(region.height) - 1, Span::styled(" ↓", FAINT));
    }
}

fn draw_bar(frame: &mut Frame<'_>, state: &State, region: Rect) {
    let Some(bar) = &state.bar else { return };
    let style = colored(state, BOLD, Color::Yellow);
    let mut rows = bar_rows(bar, region.width);
    // The question stays in sight if there is no room for the whole line.
    let height = usize::from(region.height);
    if rows.len() > height && height > 0 {
        let question = rows.pop().unwrap_or_default();
        rows.truncate(height - 1);
        rows.push(question);
    }
    for (row, text) in rows.iter().enumerate() {
        put(frame, region, row, Span::styled(text.as_str(), style));
    }
    if let (Bar::Text { asks, input }, true) = (bar, height > 0) {
        let label = asks.label().len() as u16;
        let place = Rect { x: region.x + label.min(region.width), width: region.width.saturating_sub(label), ..region };
        let (typed, cursor) = input.shown(place.width.into());
        put(frame, place, 0, typed);
        frame.set_cursor_position((place.x + cursor as u16, place.y));
    }
}

fn draw_status(frame: &mut Frame<'_>, state: &State, region: Rect) {
    let (rows, hint) = status_rows(state);
    let last = rows.len() - 1;
    for (row, message) in rows.into_iter().enumerate() {
        put(frame, region, row, message);
        if row == last {
            let width = region.width.min(hint.len() as u16);
            put(frame, Rect { x: region.right() - width, width, ..region }, row, Span::styled(hint, FAINT));
        }
    }
}

fn draw_help(frame: &mut Frame<'_>, state: &State, region: Rect) {
    let (parts, rows) = help_size(region.width);
    let width = region.width / parts as u16;
    let last = last_help_row(state);
    // The screen may have grown since.
    let first = state.help_row.min(last);
    for (part, lines) in HELP.chunks(rows).enumerate() {
        let place = Rect { x: region.x + part as u16 * width, width, ..region };
        for (row, (key, effect)) in lines.iter().skip(first).enumerate() {
            put(frame, place, row, Line::from_iter([Span::styled(format!("{key:<10} "), BOLD), Span::raw(*effect)]));
        }
    }
    if first < last {
        put_more(frame, region);
    }
}

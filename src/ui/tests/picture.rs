//! The picture of the picker in the documents, drawn from the test backend in the palette of the tour's picture.

use std::fmt::Write;

use ratatui::style::{Color, Modifier, Style};

use super::*;

/// The width of a column, the height of a row, the margin and the height of the bar above, in pixels.
const CELL: f64 = 8.4;
const ROW: f64 = 20.0;
const MARGIN: f64 = 18.0;
const TOP: f64 = 46.0;
/// A dark panel, which suits a white and a black page.
const GROUND: &str = "#16191f";
const BAR: &str = "#1f242c";
const EDGE: &str = "#3a414d";
const TEXT: &str = "#d7dce4";
const FAINT: &str = "#8a94a4";

#[test]
fn the_picture_in_the_docs_is_current() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ui.svg");
    let drawn = picture(&example());
    if std::env::var_os("TARS_WRITE_DOCS").is_some() {
        std::fs::write(file, &drawn).unwrap();
    }
    assert!(std::fs::read_to_string(file).unwrap_or_default() == drawn, "scripts/docs/ui draws docs/ui.svg anew");
}

fn example() -> State {
    let mut state = State { color: true, ..picker(80, 24) };
    let ditch = "The pump drains into the ditch behind the compost. The gutter was too narrow for it.\n\n\
                 - [x] new hose, 19 mm\n- [ ] check the valve before the first frost\n\n\
                 > warning: In winter\n> Take the pump out of the shaft, and drain the hose.";
    let hits = [
        ("Home/Shed pump.md", 12, "Shed pump › Drain", 0.93, ditch),
        ("Daily/2026-04-18.md", 9, "Garden", 0.78, "- Moved the drain of the pump to the ditch"),
        ("Home/Gutters and drains.md", 31, "North side", 0.71, "The gutter of the shed overflows."),
        ("tars/Memory.md", 22, "Memory › Facts", 0.66, "- The spare pump is in the cellar."),
        ("Bills/Pumps.md", 4, "Pumps", 0.41, "A second pump costs 89 euros."),
    ];
    let hits = hits.into_iter().zip(["5b0f8c21", "c0a9317e", "81d2e6f4", "2f7be090", "d94410ab"]);
    let hits = hits.map(|((path, line, heading, score, text), id)| Item {
        kind: Kind::Hit(id.into()),
        name: format!("{path}:{line}"),
        ..hit(path, heading, score, text)
    });
    ask(&mut state, "where does the shed pump drain", hits.collect());
    state
}

fn picture(state: &State) -> String {
    let mut terminal = Terminal::new(TestBackend::new(state.size.0, state.size.1)).unwrap();
    terminal.draw(|frame| draw(frame, state)).unwrap();
    let cursor = terminal.get_cursor_position().unwrap();
    let buffer = terminal.backend().buffer();
    let columns = usize::from(buffer.area.width);
    let width = CELL * columns as f64 + 2.0 * MARGIN;
    let height = ROW * f64::from(buffer.area.height) + TOP + MARGIN / 2.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" aria-labelledby=\"title\">\n\
         <title id=\"title\">The picker of tars: hits for a question on the left, the lines that answer on the right</title>\n\
         <style>text {{ font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, \"DejaVu Sans Mono\", \"Liberation Mono\", \
         monospace; white-space: pre }}</style>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"10\" fill=\"{GROUND}\" stroke=\"{EDGE}\"/>\n\
         <path d=\"M0.5 30.5V10.5a10 10 0 0 1 10-10H{:.1}a10 10 0 0 1 10 10V30.5z\" fill=\"{BAR}\" stroke=\"{EDGE}\"/>\n\
         <circle cx=\"20\" cy=\"15.5\" r=\"5.5\" fill=\"#ff5f57\"/><circle cx=\"39\" cy=\"15.5\" r=\"5.5\" fill=\"#febc2e\"/>\
         <circle cx=\"58\" cy=\"15.5\" r=\"5.5\" fill=\"#28c840\"/>\n",
        width - 1.0,
        height - 1.0,
        width - 10.5,
    );
    for (row, cells) in buffer.content().chunks(columns).enumerate() {
        let y = TOP + ROW * row as f64;
        let mut at = 0;
        for run in cells.chunk_by(|one, next| one.style() == next.style()) {
            let text: String = run.iter().map(|cell| cell.symbol()).collect();
            add_run(&mut out, (at, y), &text, run[0].style());
            at += run.len();
        }
    }
    let (x, y) = (MARGIN + CELL * f64::from(cursor.x), TOP + ROW * f64::from(cursor.y));
    let _ = writeln!(out, "<rect x=\"{x:.1}\" y=\"{y:.0}\" width=\"2\" height=\"{ROW:.0}\" fill=\"{TEXT}\"/>");
    out + "</svg>\n"
}

/// Adds cells of one style that begin in a column, in the row whose upper edge is `y`.
fn add_run(out: &mut String, (column, y): (usize, f64), text: &str, style: Style) {
    let has = |modifier| style.add_modifier.contains(modifier);
    let x = |columns: usize| MARGIN + CELL * (column + columns) as f64;
    let color = match style.fg {
        Some(Color::Cyan) => "#6fd3e8",
        Some(Color::Green) => "#7ee0a8",
        Some(Color::Yellow) => "#f5cf77",
        _ if has(Modifier::DIM) => FAINT,
        _ => TEXT,
    };
    let mut ink = color;
    if has(Modifier::REVERSED) {
        let width = CELL * text.chars().count() as f64;
        let _ = writeln!(
            out,
            "<rect x=\"{:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{ROW:.0}\" fill=\"{color}\"/>",
            x(0)
        );
        ink = GROUND;
    }
    let shown = text.trim();
    if shown.is_empty() {
        return;
    }
    let before = text.chars().take_while(|letter| *letter == ' ').count();
    let weight = if has(Modifier::BOLD) { " font-weight=\"600\"" } else { "" };
    let shown_width = CELL * shown.chars().count() as f64;
    let shown = shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.0}\" textLength=\"{shown_width:.1}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{ink}\"{weight}>{shown}</text>",
        x(before),
        y + 15.0,
    );
}

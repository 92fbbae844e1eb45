//! Charts of bars: in the terminal, and as a picture in SVG.

use std::fmt::Write as _;

use super::snippet;
use super::terminal::sanitize_line;
use tars_config::Environment;

/// A chart.
#[derive(Debug)]
pub(super) struct Chart {
    /// Its title.
    pub(super) title: String,
    /// Its message in a sentence; may be empty.
    pub(super) summary: String,
    /// Its bars, in order.
    pub(super) bars: Vec<Bar>,
}

/// A bar.
#[derive(Debug)]
pub(super) struct Bar {
    /// Its name.
    pub(super) label: String,
    /// Its length, at least 0, in the unit of its chart.
    pub(super) value: f64,
    /// The value as people read it.
    pub(super) said: String,
}

/// Widest label, and widest bar, in columns.
const WIDEST_LABEL: usize = 20;
const WIDEST_BAR: usize = 60;
/// Blocks of one to eight eighths of a column.
const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// Whether the terminal's locale can show more than ASCII.
pub(super) fn is_utf8(environment: &Environment) -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| environment.variable(name));
    let locale = set.map(|value| value.to_string_lossy().to_lowercase()).find(|value| !value.is_empty());
    locale.is_some_and(|locale| locale.contains("utf-8") || locale.contains("utf8"))
}

/// Returns charts as text for a terminal of `columns`: bars of blocks, or of `#` if the locale is not UTF-8.
pub(super) fn text(charts: &[Chart], columns: usize, is_utf8: bool) -> String {
    let mut out = String::new();
    for chart in charts {
        let summary = sanitize_line(&chart.summary);
        let _ = writeln!(out, "{:<12} {summary}", sanitize_line(&chart.title));
        let labels: Vec<String> =
            chart.bars.iter().map(|bar| snippet::cut(&sanitize_line(&bar.label), WIDEST_LABEL)).collect();
        let label_width = widest(labels.iter().map(String::as_str));
        let said_width = widest(chart.bars.iter().map(|bar| bar.said.as_str()));
        let room = columns.saturating_sub(label_width + said_width + 5).clamp(8, WIDEST_BAR);
        let most = chart.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        for (bar, label) in chart.bars.iter().zip(labels) {
            let blanks = " ".repeat(label_width - snippet::columns(&label));
            let share = if most > 0.0 { bar.value / most } else { 0.0 };
            let drawn = drawn(share, room, is_utf8);
            let between = if drawn.is_empty() { "" } else { " " };
            let _ = writeln!(out, "  {label}{blanks}  {drawn}{between}{}", sanitize_line(&bar.said));
        }
    }
    if is_utf8 { out } else { out.chars().map(|letter| if letter == '·' { '-' } else { letter }).collect() }
}

fn widest<'t>(texts: impl Iterator<Item = &'t str>) -> usize {
    texts.map(snippet::columns).max().unwrap_or_default()
}

/// Returns a bar of a share of `room` columns. A share above 0 is always visible.
fn drawn(share: f64, room: usize, is_utf8: bool) -> String {
    let eighths = (share.clamp(0.0, 1.0) * (room * 8) as f64).round() as usize;
    let eighths = if share > 0.0 { eighths.max(1) } else { 0 };
    if !is_utf8 {
        return "#".repeat(eighths.div_ceil(8));
    }
    let mut bar = "█".repeat(eighths / 8);
    if let Some(rest) = (eighths % 8).checked_sub(1) {
        bar.push(EIGHTHS[rest]);
    }
    bar
}

/// Sizes of the picture, in pixels.
const WIDTH: usize = 760;
const LABELS: usize = 150;
const BARS: usize = 420;
const ROW: usize = 22;
const HEAD: usize = 56;

/// The beginning of each picture, by which tars knows its own.
pub(super) const SVG_START: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" data-made-by=\"tars stats\"";

/// Returns charts as a picture, light or dark as the reader's system.
pub(super) fn svg(charts: &[Chart]) -> String {
    let height: usize = charts.iter().map(|chart| HEAD + chart.bars.len() * ROW).sum::<usize>() + 20;
    let mut out = format!(
        "{SVG_START} width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"The notes in charts\">\n<style>\n\
         svg {{ background: #ffffff; font: 13px system-ui, sans-serif; }}\n\
         text {{ fill: #24292f; }}\n.title {{ font-weight: 600; font-size: 15px; }}\n.faint {{ fill: #57606a; }}\n\
         rect {{ fill: #2f6f9f; }}\n\
         @media (prefers-color-scheme: dark) {{\n\
         svg {{ background: #16181d; }}\ntext {{ fill: #e6e8eb; }}\n.faint {{ fill: #9aa2ad; }}\nrect {{ fill: #6fb1e0; }}\n\
         }}\n</style>\n"
    );
    let mut top = 10;
    for chart in charts {
        let _ = writeln!(out, "<text class=\"title\" x=\"16\" y=\"{}\">{}</text>", top + 20, escaped(&chart.title));
        let _ = writeln!(out, "<text class=\"faint\" x=\"16\" y=\"{}\">{}</text>", top + 38, escaped(&chart.summary));
        let most = chart.bars.iter().map(|bar| bar.value).fold(0.0, f64::max);
        for (row, bar) in chart.bars.iter().enumerate() {
            let y = top + HEAD - 8 + row * ROW;
            let share = if most > 0.0 { (bar.value / most).clamp(0.0, 1.0) } else { 0.0 };
            let length = (share * BARS as f64).round() as usize;
            let length = if share > 0.0 { length.max(1) } else { 0 };
            let (label, said) = (escaped(&snippet::cut(&bar.label, WIDEST_LABEL)), escaped(&bar.said));
            let _ = writeln!(out, "<text x=\"16\" y=\"{}\">{label}</text>", y + 13);
            if length > 0 {
                let _ = writeln!(out, "<rect x=\"{LABELS}\" y=\"{y}\" width=\"{length}\" height=\"16\" rx=\"2\"/>");
            }
            let _ = writeln!(out, "<text class=\"faint\" x=\"{}\" y=\"{}\">{said}</text>", LABELS + length + 8, y + 13);
        }
        top += HEAD + chart.bars.len() * ROW;
    }
    out.push_str("</svg>\n");
    out
}

/// Returns a text for the content of an element.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in sanitize_line(text).chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart() -> Chart {
        let bar = |label: &str, value: f64| Bar { label: label.into(), value, said: format!("{value}") };
        let bars = vec![bar("English", 16.0), bar("<b>\u{1b}[31m", 5.0), bar("none", 0.0), bar("few", 0.001)];
        Chart { title: "languages".into(), summary: "a · b".into(), bars }
    }

    #[test]
    fn bars_fill_the_width_with_blocks_or_signs() {
        let shown = text(&[chart()], 40, true);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[0], "languages    a · b");
        assert!(lines[1].contains("█████") && lines[1].ends_with(" 16") && snippet::columns(lines[1]) <= 40, "{shown}");
        assert_eq!(lines[3].trim_end(), "  none      0", "{shown}");
        assert!(lines[4].contains('▏'), "a small share is visible: {shown}");
        assert!(!shown.contains('\u{1b}'));
        let plain = text(&[chart()], 40, false);
        assert!(
            plain.contains('#') && plain.contains("a - b") && plain.lines().skip(1).all(|line| !line.contains('█'))
        );
        assert!(text(&[chart()], 1, true).lines().all(|line| snippet::columns(line) < 60), "a narrow terminal");
    }

    #[test]
    fn a_picture_escapes_texts_and_knows_dark_and_light() {
        let picture = svg(&[chart()]);
        assert!(picture.starts_with(SVG_START) && picture.ends_with("</svg>\n"));
        assert!(picture.contains("&lt;b&gt;") && !picture.contains("<b>") && !picture.contains('\u{1b}'));
        assert!(picture.contains("prefers-color-scheme: dark"));
        assert_eq!(picture.matches("<rect").count(), 3, "none for 0");
    }
}

use super::super::summary::tests::line;
use super::super::{MonthLine, by_rules};
use super::*;
use tars_vault::Lines;

struct Home {
    _home: tempfile::TempDir,
    folder: MemoryFolder,
}

fn home() -> Home {
    let home = tempfile::tempdir().unwrap();
    let folder = MemoryFolder::new(home.path(), "tars").unwrap();
    Home { _home: home, folder }
}

fn sources(lines: &[MonthLine]) -> MonthSources {
    let file = |line: &MonthLine| super::super::MonthFile {
        file: line.file.clone(),
        day: line.day,
        is_session: false,
        is_moved: false,
    };
    let mut files: Vec<_> = lines.iter().map(file).collect();
    files.dedup();
    MonthSources { month: "2026-03".parse().unwrap(), files, lines: lines.to_vec(), waiting: Vec::new() }
}

fn noted() -> Vec<MonthLine> {
    vec![
        line(1, Section::Own, "", "Met Ilse"),
        line(2, Section::Decided, "acme/shop", "The port is 8080"),
        line(3, Section::Open, "acme/shop", "Staging waits"),
    ]
}

/// Writes a summary by rules into a page. `known` are the lines that were summarized before.
fn put(text: &str, lines: &[MonthLine], known: &[MonthLine]) -> (String, bool) {
    let home = home();
    let sources = sources(lines);
    let bytes = Lines::of(text.as_bytes());
    let texts = bytes.all();
    let linked = LinkContext { folder: &home.folder, moved: &|_| None };
    let (page, by) = (ArchivePage::of(sources.month, &texts), MonthAnchor::by_rules());
    let sources = match page.is_replaced_by(&by) {
        true => sources,
        false => sources.only(&|line| !known.contains(line)),
    };
    let summary = by_rules(&sources.lines).unwrap();
    let written = page.with_summary(&sources, &summary, &by, &linked);
    (String::from_utf8(bytes.spliced(&written.splices)).unwrap(), written.is_added)
}

#[test]
fn a_page_links_each_line_to_its_source() {
    let (text, _) = put("", &noted(), &[]);
    let digest = text.split("digest=").nth(1).unwrap()[..8].to_owned();
    let expected = format!(
        "# March 2026\n\n<!-- tars:month 2026-03 days=1-3 by=extractive digest={digest} -->\n\
         Summed up by rules from the logs of 3 days. Each line links to where it was noted.\n\n\
         ## Noted by hand\n\n- Met Ilse ([[tars/2026-03-01|2026-03-01]])\n\n\
         ## Decided\n\n### acme/shop\n\n- The port is 8080 ([[tars/2026-03-02|2026-03-02]])\n\n\
         ## Still open\n\n### acme/shop\n\n- Staging waits ([[tars/2026-03-03|2026-03-03]])\n"
    );
    assert_eq!(text, expected);
    assert_eq!(put(&text, &noted(), &noted()).0, text, "a second run changes nothing");
}

#[test]
fn unedited_lines_are_rewritten_and_text_above_stays() {
    let (text, _) = put("My own words.\r\n", &noted(), &[]);
    assert!(text.starts_with("My own words.\r\n\r\n<!-- tars:month 2026-03"), "{text}");
    let mut more = noted();
    more.push(line(9, Section::Decided, "acme/shop", "The port is 9090"));
    let (anew, is_added) = put(&text, &more, &noted());
    assert!(anew.starts_with("My own words.\r\n") && anew.contains("days=1-3,9 ") && !is_added, "{anew}");
    assert!(anew.contains("9090") && !anew.contains("8080"), "{anew}");
}

#[test]
fn edited_pages_get_new_lines_and_removed_ones_do_not_return() {
    let (text, _) = put("", &noted(), &[]);
    let edited =
        text.replace("The port is 8080", "The port is 8080, I think").replace("- Staging waits", "- mine: Staging");
    let mut more = noted();
    more.insert(2, line(2, Section::Decided, "acme/shop", "Uploads are retried"));
    more.push(line(9, Section::Decided, "pump", "Minutes are counted"));
    more.push(line(9, Section::Learnt, "", "The timer overflowed"));
    let (added, is_added) = put(&edited, &more, &noted());
    assert!(is_added && added.contains("days=1-3,9 "));
    let without = |text: &str, more: &[&str]| -> Vec<String> {
        text.lines()
            .filter(|line| !line.is_empty() && !more.iter().any(|part| line.contains(part)))
            .map(str::to_owned)
            .collect()
    };
    let came =
        ["tars:month", "Uploads are retried", "### pump", "Minutes are counted", "## Learnt", "The timer overflowed"];
    assert_eq!(without(&added, &came), without(&edited, &["tars:month"]));
    let place = |part: &str| added.find(part).unwrap();
    assert!(place("8080, I think") < place("Uploads are") && place("Uploads are") < place("### pump"));
    assert!(place("Minutes are") < place("## Still open") && place("## Still open") < place("## Learnt"));
    assert_eq!(put(&added, &more, &more).0, added);
}

#[test]
fn links_follow_moved_logs_and_a_persons_text_stays() {
    let home = home();
    let (text, _) = put("", &noted(), &[]);
    let moved = |target: &str| target.strip_prefix("tars/2026").map(|rest| format!("tars/archive/days/2026{rest}"));
    let linked = LinkContext { folder: &home.folder, moved: &moved };
    let relinked = |text: &str| {
        let bytes = Lines::of(text.as_bytes());
        let texts = bytes.all();
        let page = ArchivePage::of("2026-03".parse().unwrap(), &texts);
        String::from_utf8(bytes.spliced(&page.relinked(&linked).splices)).unwrap()
    };
    let after = relinked(&text);
    assert_eq!(after.matches("[[tars/archive/days/2026-03-0").count(), 3);
    assert_eq!(relinked(&after), after);
    assert!(!put(&after, &noted(), &noted()).1, "still unedited");
    let persons = format!("{text}\nSee [[tars/2026-03-02]] for more.\n- and [[tars/2026-03-03]]\n");
    assert!(relinked(&persons).ends_with("\nSee [[tars/2026-03-02]] for more.\n- and [[tars/2026-03-03]]\n"));
}

#[test]
fn days_are_written_as_ranges() {
    for days in ["1-3,14", "31", "1,3,5-6", ""] {
        assert_eq!(ranges(&days_of(days)), days);
    }
    assert_eq!(ranges(&days_of("x,3-1,-5,0-2,30-99")), "1-2,30-31");
    let anchor = MonthAnchor {
        month: "2026-03".into(),
        days: days_of("1-3"),
        by: "openai:small model -->".into(),
        prompt: Some("compact-1".into()),
        ..MonthAnchor::default()
    };
    let read = MonthAnchor::parse(&anchor.line()).unwrap();
    assert_eq!(
        (read.by.as_str(), read.prompt.as_deref(), read.days.len()),
        ("openai:small_model_--_", Some("compact-1"), 3)
    );
    assert_eq!(MonthAnchor::parse("- a line <!-- tars:month 2026-03 -->"), None);
}

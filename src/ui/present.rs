//! Responses of the service as entries of lists.

use jiff::Zoned;
use jiff::tz::TimeZone;

use crate::item::{Item, Kind, clean, clean_line};
use crate::place::{Place, note, place};
use crate::request::{Answer, MOST_HITS, Reply};
use crate::snippet::is_own_comment;
use crate::times::{ago, ago_of_local};
use tars_agent::recall::Occasion;
use tars_base::domain::{Hit, Mode, Relevance, pluralize};
use tars_service::memory::{
    DayFile, DayFiles, ProposalView, RememberedLine, ReviewLine, SessionLine, WeekLine, WeekResponse,
};
use tars_service::{RecalledSession, RelatedNote, RelatedResponse, SearchResponse, VAULT, WhyResponse};
use tars_text::analysis::terms;
use tars_text::markdown::without_comments;

/// Returns the hits of an answer that was limited to a number; as on a terminal, irrelevant ones apart.
pub(crate) fn hits(number: u64, answer: SearchResponse, limit: usize) -> Reply {
    let degraded = answer.degraded.as_deref().map(clean_line);
    let mut remarks: Vec<String> = answer.remarks.iter().map(|one| clean_line(one)).collect();
    // Hits that overlap become one, so fewer hits than the limit do not mean that there are no more.
    let has_more = 2 * answer.results.len() > limit && limit < MOST_HITS;
    if answer.results.is_empty() {
        remarks.push(match (answer.index.files, answer.index.pending) {
            (0, 0) => "nothing found: the index is empty (tars index)".into(),
            (0, pending) => format!("nothing found yet: {} waiting to be indexed", pluralize(pending, "note")),
            (files, _) => format!("nothing found in {}", pluralize(files, "note")),
        });
    }
    let all = is_of_one_word(&answer);
    let is_relevant = |hit: &Hit| all || hit.relevance() != Relevance::Not;
    let (hits, irrelevant): (Vec<Hit>, Vec<Hit>) = answer.results.into_iter().partition(is_relevant);
    let items = |hits: Vec<Hit>| hits.iter().map(hit).collect();
    Reply::Hits(Answer { number, hits: items(hits), irrelevant: items(irrelevant), degraded, remarks, has_more })
}

/// Returns whether a person wants every hit of an answer: a single word says little about relevance, and its searcher wants every text that
/// contains it.
pub fn is_of_one_word(answer: &SearchResponse) -> bool {
    answer.mode == Mode::Keyword && terms(&answer.query).len() == 1
}

fn hit(hit: &Hit) -> Item {
    let at = hit.line.saturating_sub(hit.start_line);
    let text = hit.preview.as_deref().unwrap_or(&hit.content);
    let superseded = hit.superseded.as_ref().map(|superseded| format!("\n\n{}", clean_line(&superseded.label)));
    Item {
        place: Some(Place::of_hit(hit)),
        name: place(&hit.path, &hit.line.to_string(), &hit.collection),
        heading: clean_line(if hit.heading.is_empty() { &hit.title } else { &hit.heading }).replace(" > ", " › "),
        remark: format!("{:.2} {}", hit.score, hit.relevance().as_str()),
        relevance: Some(hit.relevance()),
        line: own_line(hit.content.lines().nth(at).unwrap_or_default()),
        text: body(text) + &superseded.unwrap_or_default(),
        expanded: None,
        kind: Kind::Hit(hit.id.short().to_string()),
    }
}

/// Returns a text without the comments of tars, which are not for people.
pub(crate) fn body(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !is_own_comment(line)).collect();
    clean(lines.join("\n").trim_matches('\n'))
}

/// Returns the text of a line without the marker of a list and without comments.
fn own_line(line: &str) -> String {
    let bare = without_comments(line);
    let bare = bare.trim();
    clean_line(["- [ ] ", "- [x] ", "- ", "* "].iter().find_map(|marker| bare.strip_prefix(marker)).unwrap_or(bare))
}

/// Returns the notes related to a note.
pub(crate) fn related(answer: RelatedResponse) -> Reply {
    let title = format!("related to {}", note(&answer.path, &answer.collection));
    let remark = match answer.notes.is_empty() {
        true => Some("no note is related to it".to_owned()),
        false => answer.degraded.as_deref().map(clean_line),
    };
    let item = |near: &RelatedNote| {
        let RelatedNote { collection, path, title, score, line, is_target, is_source } = near;
        let score = score.map(|score| format!("{score:.2}"));
        let said = [score.as_deref(), is_target.then_some("linked from it"), is_source.then_some("links to it")];
        let place = Place::of_note(collection.clone(), path.clone(), *line);
        let name = place.shown();
        let remark = said.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let kind = Kind::Related(name.clone());
        Item { kind, place: Some(place), name, heading: clean_line(title), remark, ..Item::default() }
    };
    Reply::Related { title, items: answer.notes.iter().map(item).collect(), remark }
}

/// Returns the lines of a day: the person's own notes, then the log of tars.
pub(crate) fn day(day: &DayFiles) -> Vec<Item> {
    day.notes.iter().chain([&day.log]).flat_map(lines_of).collect()
}

fn lines_of(file: &DayFile) -> Vec<Item> {
    let Some(content) = file.content.as_deref() else { return Vec::new() };
    let mut heading = String::new();
    let mut items = Vec::new();
    for (number, line) in (1..).zip(content.lines()) {
        if line.trim().is_empty() || is_own_comment(line) {
            continue;
        }
        if let Some(title) = line.strip_prefix('#').filter(|_| line.trim_start_matches('#').starts_with(' ')) {
            heading = clean_line(title.trim_start_matches('#'));
            continue;
        }
        let place = Place::in_vault(&file.path, number);
        let over = if heading.is_empty() { String::new() } else { format!(" › {heading}") };
        items.push(Item {
            heading: format!("{}{over}", note(&file.path, VAULT)),
            remark: place.shown(),
            ..Item::of_line(Kind::Note, Some(place), &own_line(line))
        });
    }
    items
}

/// Returns the open ends and the decisions of the last seven days.
pub(crate) fn week(week: &WeekResponse) -> Vec<Item> {
    let item = |word: &str, line: &WeekLine| {
        let project = line.project.as_deref().map(|name| format!(" [{}]", clean_line(name))).unwrap_or_default();
        let day = line.day.map(|day| format!(" {day}")).unwrap_or_default();
        let place = Place::in_vault(&line.line.path, line.line.line);
        Item {
            heading: format!("{word}{day}{project}"),
            remark: place.shown(),
            ..Item::of_line(Kind::Line(line.line.clone()), Some(place), &line.said)
        }
    };
    let open = week.open.iter().map(|line| item("open since", line));
    open.chain(week.decided.iter().map(|line| item("decided", line))).collect()
}

/// Returns all facts and rules.
pub(crate) fn memory(lines: Vec<RememberedLine>) -> Vec<Item> {
    let item = |RememberedLine { line, .. }: RememberedLine| {
        let place = Place::in_vault(&line.path, line.line);
        let heading = clean_line(&format!("{} › {}", line.path, line.heading));
        let (remark, text) = (place.shown(), line.text.clone());
        Item { heading, remark, ..Item::of_line(Kind::Line(line), Some(place), &text) }
    };
    lines.into_iter().map(item).collect()
}

/// Returns the logs of sessions.
pub(crate) fn sessions(sessions: &[SessionLine], now: &Zoned) -> Vec<Item> {
    let item = |session: &SessionLine| Item {
        kind: Kind::Session(session.id.clone()),
        place: Some(Place::in_vault(&session.path, 1)),
        name: clean_line(&session.topic),
        heading: clean_line(&session.id),
        remark: session.began.map(|began| ago_of_local(began, now)).unwrap_or_default(),
        ..Item::default()
    };
    sessions.iter().map(item).collect()
}

/// Returns a proposal, with its effect as the command line words it.
pub(crate) fn proposal(proposal: &ProposalView, described: &str) -> Item {
    let name = clean_line(&proposal.text);
    Item {
        kind: Kind::Proposal(proposal.id.clone()),
        place: Some(Place::in_vault(&proposal.path, 1)),
        heading: clean_line(&format!("proposal of {}", proposal.job)),
        remark: proposal.change.to_owned(),
        line: name.clone(),
        name,
        text: clean(described),
        ..Item::default()
    }
}

/// Returns a line that waits for a review.
pub(crate) fn waiting(ReviewLine { source, proposal, line, origin }: ReviewLine) -> Item {
    let place = Place::in_vault(&line.path, line.line);
    let heading = place.shown();
    let remark =
        origin.map_or_else(|| source.to_owned(), |origin| clean_line(&format!("{source}, {}", origin.describe())));
    Item { heading, remark, ..Item::of_line(Kind::Waiting(line), Some(place), &proposal) }
}

/// Returns the sessions for which context was looked up.
pub(crate) fn recalled(sessions: &[RecalledSession], now: &Zoned) -> Vec<Item> {
    let item = |session: &RecalledSession| {
        let question = clean_line(&session.question);
        Item {
            kind: Kind::Recalled(session.session.clone()),
            name: if question.is_empty() { clean_line(&session.session) } else { question },
            heading: format!("session {}", clean_line(&session.session)),
            remark: format!(
                "{}, {} of {} used",
                ago(session.last, now),
                session.used,
                pluralize(session.lines, "line")
            ),
            ..Item::default()
        }
    };
    sessions.iter().map(item).collect()
}

/// Returns the lines that a session was shown, as text.
pub(crate) fn shown(found: &WhyResponse, zone: &TimeZone) -> String {
    let mut said = Vec::new();
    for event in &found.events {
        let question = match event.event {
            Occasion::SessionStart => "the session began or went on".to_owned(),
            Occasion::Prompt | Occasion::Helper if event.question.is_empty() => {
                "a prompt without stored words".to_owned()
            }
            Occasion::Prompt => clean_line(&event.question),
            Occasion::Helper => format!("for a subagent: {}", clean_line(&event.question)),
        };
        said.push(format!("{}  {question}", event.at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M")));
        if event.pieces.is_empty() {
            said.push("  nothing new was relevant".into());
        }
        for piece in &event.pieces {
            let lines = format!("{}-{}", piece.start_line, piece.end_line);
            let score = piece.score.map(|score| format!("  {score:.2}")).unwrap_or_default();
            said.push(format!("  {}{score}", place(&piece.path, &lines, &piece.collection)));
            for line in &piece.lines {
                let used: Vec<&str> = line.used.iter().map(|used| used.as_str()).collect();
                let used = if used.is_empty() { String::new() } else { format!("[{}] ", used.join(", ")) };
                said.push(format!("    {used}{}", clean_line(&line.text)));
            }
        }
        said.push(String::new());
    }
    clean(said.join("\n").trim_end())
}

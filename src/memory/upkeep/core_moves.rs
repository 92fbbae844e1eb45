//! Proposes which lines of an overgrown Memory.md should move to other files. Every session starts with Memory.md, so it should stay
//! under [`CORE_TOKENS`]. Details about a topic, work or a person move to `context/`, where a search finds them.
//!
//! The job works by rules only: it moves the oldest dated details first, then whole sections, until the rest is small enough.
//! Preferences, rules and statements that always hold never move.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::list::{PastProposals, list};
use super::project_page::projects;
use super::proposal::{Change, Destination, Job, Proposal};
use crate::{Bullet, CORE_TOKENS, LayerFile, MEMORY, MemoryError, bullets, first_date, normalized};
use tars_agent::project::short_name;
use tars_base::domain::{ApproximateTokens, CountTokens};
use tars_text::languages::HeadingWords;
use tars_text::markdown;
use tars_vault::{Lines, MemoryFolder};

/// Maximum number of proposals per run. Nobody reads a longer list.
const MAX_PROPOSALS: usize = 40;
/// Kind of a section, in the order in which sections move out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Work,
    Topic,
    Plain,
    Personal,
}

/// A line that may move.
struct Movable {
    bullet: Bullet,
    kind: Kind,
    change: Change,
}

/// Proposes moves out of Memory.md, in the order in which they are applied. `today` decides which dated details are past. `others` are
/// proposals that remove lines anyway.
///
/// # Errors
/// A file cannot be read.
pub(super) fn core_moves(
    folder: &MemoryFolder,
    today: Date,
    before: &PastProposals,
    others: &[Proposal],
) -> Result<Vec<Proposal>, MemoryError> {
    let bytes = folder.read(MEMORY)?.unwrap_or_default();
    let lines = Lines::of(&bytes);
    let text = lines.all();
    // A private Memory.md stays as it is.
    if tokens(&text, &BTreeSet::new()) <= CORE_TOKENS || is_private(&bytes) {
        return Ok(Vec::new());
    }
    let open: BTreeSet<String> = list(folder)?.into_iter().map(|listed| listed.id).collect();
    let mut movable = Vec::new();
    let mut gone: BTreeSet<usize> = BTreeSet::new();
    for line in movable_lines(folder, bullets(MEMORY, &lines), &text)? {
        let goes =
            others.iter().flat_map(|other| other.change.lines()).any(|other| other.key() == (MEMORY, &line.bullet.id));
        if goes || open.contains(&line.change.id()) {
            // A proposal for this line is already waiting.
            gone.extend(line.bullet.lines.clone());
        } else if !before.was_proposed(&line.change) {
            movable.push(line);
        }
    }
    let mut moved = Vec::new();
    while let Some(at) = next(&movable, today) {
        if tokens(&text, &gone) <= CORE_TOKENS || moved.len() == MAX_PROPOSALS {
            break;
        }
        let line = movable.remove(at);
        gone.extend(line.bullet.lines);
        moved.push(Proposal { job: Job::Tidy, change: line.change, sources: Vec::new() });
    }
    Ok(moved)
}

/// Returns the index of the line to move next: the oldest one with a past date, else one of the least needed section.
fn next(movable: &[Movable], today: Date) -> Option<usize> {
    let day = |line: &Movable| first_date(&line.bullet.text).filter(|day| *day < today);
    let dated = movable.iter().enumerate().filter_map(|(at, line)| Some((day(line)?, at))).min();
    dated.map(|(_, at)| at).or_else(|| {
        let by_section = movable.iter().enumerate().min_by_key(|(at, line)| (line.kind, &line.bullet.heading, *at));
        by_section.map(|(at, _)| at)
    })
}

/// Returns the lines that may move, each with its destination.
fn movable_lines(folder: &MemoryFolder, lines: Vec<Bullet>, text: &[String]) -> Result<Vec<Movable>, MemoryError> {
    let known: Vec<String> = projects(folder)?.into_iter().map(|seen| seen.name).collect();
    let mut found = Vec::new();
    for bullet in lines.into_iter().filter(|bullet| bullet.indent == 0) {
        let lasts = HeadingWords::any(&bullet.heading, |words| words.lasting)
            || HeadingWords::any(&bullet.text, |words| words.lasting);
        // A line that is not UTF-8 would change when it moves.
        let is_whole = !text[bullet.lines.clone()].iter().any(|line| line.contains('\u{fffd}'));
        let Some((kind, file)) = place(&bullet.heading, &known).filter(|_| !lasts && is_whole) else { continue };
        if is_private(&folder.read(&file)?.unwrap_or_default()) {
            continue;
        }
        let section = Some(bullet.heading.clone()).filter(|name| !name.is_empty()).unwrap_or_else(|| "Facts".into());
        let change = Change::Move { line: (&bullet).into(), to: Destination { file, section } };
        found.push(Movable { bullet, kind, change });
    }
    Ok(found)
}

/// Returns the kind and the destination of the lines under a heading; `None` if they have no destination.
fn place(heading: &str, projects: &[String]) -> Option<(Kind, String)> {
    let file = |name: &str| LayerFile::parse(name).map(|file| file.as_str().to_owned());
    let is_project =
        projects.iter().any(|name| [name.as_str(), short_name(name)].map(normalized).contains(&normalized(heading)));
    let personal = || file("context/personal");
    if is_project {
        return Some((
            Kind::Work,
            file(&format!("context/work/projects/{}", file_name(heading))).or_else(|| file("context/work"))?,
        ));
    }
    Some(if HeadingWords::any(heading, |words| words.personal) {
        (Kind::Personal, personal()?)
    } else if HeadingWords::any(heading, |words| words.work) {
        (Kind::Work, file("context/work")?)
    } else if heading.trim().is_empty() || HeadingWords::any(heading, |words| words.plain) {
        (Kind::Plain, personal()?)
    } else {
        match file(&format!("context/{}", file_name(heading))) {
            Some(topic) => (Kind::Topic, topic),
            None => (Kind::Plain, personal()?),
        }
    })
}

/// Returns a heading as a file name: its words in lower case, joined by dashes.
fn file_name(heading: &str) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

fn is_private(bytes: &[u8]) -> bool {
    markdown::is_private(&tars_vault::text_of(bytes))
}

/// Returns the number of tokens of a text without the lines in `gone`.
fn tokens(text: &[String], gone: &BTreeSet<usize>) -> usize {
    let rest: Vec<&str> =
        text.iter().enumerate().filter(|(at, _)| !gone.contains(at)).map(|(_, line)| line.as_str()).collect();
    ApproximateTokens.count(&rest.join("\n"))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::super::tests::World;
    use super::super::{Decision, TidyContext, propose, tidy};
    use super::*;
    use crate::upkeep::SeenTexts;

    const DAY: Date = date(2026, 3, 14);

    fn overgrown() -> String {
        // All lines differ, because duplicates are a matter of other rules.
        let word = |number: usize| -> String {
            (0..4).map(|at| char::from(b'a' + (((number * 7919) >> (3 * at)) % 26) as u8)).collect()
        };
        let line = |about: &str, number: usize| -> String {
            let words: Vec<String> = (0..9).map(|at| word(about.len() * 1000 + number * 10 + at)).collect();
            format!("- {about}{number} {}\n", words.join(" "))
        };
        let section = |about: &str, count: usize| (1..=count).map(|number| line(about, number)).collect::<String>();
        format!(
            "# Memory\n\n## Preferences\n{}\n## Person\n{}- Anna keeps bees\n\n## Machines\n- 2026-01-09: the old router was sold\n  - to the neighbour\n- 2027-01-01: the lease ends\n{}\n## Work\n- Never deploy on Fridays\n{}",
            section("Preference", 3),
            section("Person", 3),
            section("Machine", 20),
            section("Work", 20),
        )
    }

    fn tidied(world: &World) -> Vec<Proposal> {
        let around = TidyContext { today: DAY, ..TidyContext::default() };
        let found = tidy(&world.memory, around, None, &mut SeenTexts::default()).unwrap().proposals;
        found.into_iter().filter(|proposal| matches!(proposal.change, Change::Move { .. })).collect()
    }

    #[test]
    fn an_overgrown_core_shrinks_by_moves_that_change_no_line() {
        let world = World::new();
        let text = overgrown();
        world.put(MEMORY, &text);
        let found = tidied(&world);
        let Change::Move { line, to } = &found[0].change else { panic!() };
        assert_eq!(
            (line.text.as_str(), to.file.as_str()),
            ("2026-01-09: the old router was sold", "context/machines.md")
        );
        let places: BTreeSet<&str> = found
            .iter()
            .filter_map(|proposal| match &proposal.change {
                Change::Move { to, .. } => Some(to.file.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(places.into_iter().collect::<Vec<_>>(), ["context/machines.md", "context/work.md"]);
        assert_eq!(propose(&mut world.writer(), &found).unwrap().len(), found.len());
        assert_eq!(tidied(&world), [], "already proposed");
        for listed in list(&world.memory).unwrap() {
            world.settle(&listed, &Decision::Accept(None));
        }
        let (core, work) = (world.text(MEMORY), world.text("context/work.md"));
        let size = ApproximateTokens.count(&core);
        assert!((400..=CORE_TOKENS).contains(&size), "{size}\n{core}");
        for kept in ["Preference3 ", "Never deploy", "Anna keeps bees", "2027-01-01"] {
            assert!(core.contains(kept), "{kept}\n{core}");
        }
        let machines = world.text("context/machines.md");
        assert!(machines.contains("- 2026-01-09: the old router was sold\n  - to the neighbour\n"), "{machines}");
        let mut before: Vec<&str> = text.lines().filter(|line| line.contains("- ")).collect();
        let after = format!("{core}\n{work}\n{machines}");
        let mut after: Vec<&str> = after.lines().filter(|line| line.contains("- ")).collect();
        before.sort_unstable();
        after.sort_unstable();
        assert_eq!(before, after);
    }

    #[test]
    fn refused_lines_stay_and_others_move_instead() {
        let world = World::new();
        world.put(MEMORY, &overgrown());
        propose(&mut world.writer(), &tidied(&world)).unwrap();
        let listed = list(&world.memory).unwrap();
        for refused in &listed {
            world.settle(refused, &Decision::Refuse);
        }
        let others = tidied(&world);
        assert!(!others.is_empty() && others.iter().all(|other| listed.iter().all(|one| one.id != other.change.id())));
    }

    #[test]
    fn headings_in_other_languages_are_recognized() {
        for (heading, kind) in [
            ("Famiglia e amici", Kind::Personal),
            ("Saúde", Kind::Personal),
            ("Thuis", Kind::Personal),
            ("Praca", Kind::Work),
            ("Проекты", Kind::Work),
            ("İş ve ekip", Kind::Work),
            ("메모", Kind::Plain),
            ("Diversos", Kind::Plain),
            ("Beehives", Kind::Topic),
        ] {
            assert_eq!(place(heading, &[]).map(|(kind, _)| kind), Some(kind), "{heading}");
        }
        assert!(HeadingWords::any("La regola della casa", |words| words.lasting));
        assert!(!HeadingWords::any("Im Mai kommt der Zug", |words| words.lasting));
    }

    #[test]
    fn a_small_or_private_core_is_left_alone() {
        let world = World::new();
        world.put(MEMORY, "# Memory\n\n## Work\n- 2026-01-09: sold\n");
        assert_eq!(tidied(&world), []);
        world.put(MEMORY, &format!("---\ntars: private\n---\n{}", overgrown()));
        assert_eq!(tidied(&world), []);
        world.put(MEMORY, &overgrown());
        world.put("context/work.md", "---\ntars: private\n---\n# Work\n");
        let into_private =
            |proposal: &Proposal| matches!(&proposal.change, Change::Move { to, .. } if to.file == "context/work.md");
        assert!(!tidied(&world).iter().any(into_private));
    }

    #[test]
    fn a_project_has_a_file_of_its_own() {
        let known = ["acme/pump-2".to_owned()];
        let place = |heading: &str| place(heading, &known).unwrap().1;
        assert_eq!(place("Pump-2"), "context/work/projects/pump-2.md");
        assert_eq!(place("Projects"), "context/work.md");
        assert_eq!(place("My family"), "context/personal.md");
        assert_eq!(place(""), "context/personal.md");
        assert_eq!(place("Küche & Keller"), "context/küche-keller.md");
        assert_eq!(place("../../etc"), "context/etc.md");
        assert_eq!(place(&"long ".repeat(30)), "context/personal.md");
    }
}

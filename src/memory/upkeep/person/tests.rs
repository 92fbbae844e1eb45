use super::*;
use crate::Fact;
use crate::upkeep::tests::{World, model};
use crate::upkeep::{Decision, JobResult, SeenTexts, Settled, list, person_section, propose, review};
use tars_chat::tasks::Task;

const SECTION_OF_ANNA: &str = "# Memory\n\n## Machines\n- The printer is in the hall\n\n## Person\n- Anna works at the harbour office\n\
    - Anna likes the aisle seat\n- Anna speaks German and Danish\n- Bo works at the mill\n- The dentist is Dr. Weber\n- Drinks no coffee\n";

/// Writes the log of a day with one session that has these extracted lines and notes.
fn day(world: &World, day: &str, lines: &[&str]) {
    let mut text =
        format!("# {day}\n\n## Session 09:20 · acme/api\n<!-- tars:session {day} turns=1 by=extractive -->\n");
    lines.iter().for_each(|line| text.push_str(&format!("- 09:20 {line}\n")));
    world.put(&format!("{day}.md"), &text);
}

fn found(world: &World) -> JobResult {
    let entries = world.writer().entries().unwrap();
    person_section(&world.memory, &entries).unwrap()
}

/// Returns for each proposal: the change, the heading of a new line or the replaced line, and the text.
fn summarized(proposed: &JobResult) -> Vec<(&'static str, String, String)> {
    let place = |change: &Change| match change {
        Change::Add { to, .. } => to.section.clone(),
        change => change.lines()[0].text.clone(),
    };
    let summarized = |one: &Proposal| (one.change.as_str(), place(&one.change), one.change.text().to_owned());
    proposed.proposals.iter().map(summarized).collect()
}

fn line(change: &'static str, place: &str, text: &str) -> (&'static str, String, String) {
    (change, place.to_owned(), text.to_owned())
}

#[test]
fn a_session_extends_the_section_and_replaces_outdated_lines() {
    let world = World::new();
    world.put(MEMORY, SECTION_OF_ANNA);
    day(
        &world,
        "2026-03-02",
        &[
            "[extracted] I work at the museum now",
            "[extracted] I'm allergic to hazelnuts",
            "[extracted] Bo works at the brewery",
            "[extracted] the port of staging is 8080",
            "[extracted] I speak German and Danish",
            "Decided: I prefer short answers — what do you think?",
            "Decided: I chose SQLite since it is there",
        ],
    );
    day(
        &world,
        "2026-03-05",
        &["[extracted] my dentist is Dr. Lang in the Gartenstraße", "[extracted] I never drink coffee"],
    );
    let proposed = found(&world);
    assert_eq!(
        summarized(&proposed),
        [
            line("replace", "The dentist is Dr. Weber", "my dentist is Dr. Lang in the Gartenstraße"),
            line("replace", "Anna works at the harbour office", "I work at the museum now"),
            line("add", "Person", "I'm allergic to hazelnuts"),
            line("add", "Person", "I prefer short answers"),
        ]
    );
    assert_eq!(world.text(MEMORY), SECTION_OF_ANNA, "nothing changes before the person accepts");
    let listed = propose(&mut world.writer(), &proposed.proposals).unwrap();
    let shown = world.text("proposals.md");
    assert!(shown.contains("- [ ] No longer so, write in [[tars/Memory#Person]]: I work at the museum now\n  - instead of: Anna works at the harbour office\n"), "{shown}");
    assert_eq!(summarized(&found(&world)), [], "already proposed");
    world.settle(&listed[1], &Decision::Accept(Some("Anna works at the museum".into())));
    world.settle(&listed[0], &Decision::Refuse);
    let memory = world.text(MEMORY);
    assert!(memory.contains("- Anna works at the museum\n") && memory.contains("Dr. Weber"), "{memory}");
    assert!(world.text("archive/superseded.md").contains("- Anna works at the harbour office\n"));
    assert_eq!(summarized(&found(&world)), [], "refused proposals do not return");
}

#[test]
fn corrections_and_other_facts_are_still_proposed() {
    let world = World::new();
    world.put("corrections.md", "# Corrections\n\n## To review\n- 2026-03-01 10:00 I asked for metric units\n");
    day(&world, "2026-03-02", &["[extracted] the port of staging is 8080", "[extracted] I live in Bremen"]);
    let proposed = review(&world.memory, &[], None, &mut SeenTexts::default()).unwrap();
    assert_eq!(
        summarized(&proposed),
        [
            line("add", "Rules", "I asked for metric units"),
            line("add", "Facts", "the port of staging is 8080"),
            line("add", "Person", "I live in Bremen"),
        ]
    );
}

#[test]
fn the_last_statement_about_a_matter_counts() {
    let world = World::new();
    day(&world, "2026-03-02", &["[extracted] I live in Bremen"]);
    day(&world, "2026-03-09", &["[extracted] I live in Aarhus"]);
    assert_eq!(summarized(&found(&world)), [line("add", "Person", "I live in Aarhus")]);
    // A line that was written after the session is newer than the session.
    let fact = Fact::new(tars_base::domain::MemoryType::Semantic, Some("Person".into()), "I live in Kiel").unwrap();
    let now = jiff::civil::date(2026, 3, 14).at(9, 0, 0, 0);
    crate::remember(&mut world.writer(), &fact, &now, None, false).unwrap();
    assert_eq!(summarized(&found(&world)), []);
}

#[test]
fn known_or_dropped_statements_are_not_proposed() {
    let world = World::new();
    world.put("context/personal.md", "# Personal\n\n## Person\n- I live in Bremen\n");
    world.put("context/health.md", "# Health\n\n## Facts\n- I'm allergic to hazelnuts and celery\n");
    world.put("Procedural.md", "# Procedural\n\n## Rules\n- I prefer short answers with the reason behind them\n");
    day(&world, "2026-03-01", &["[dropped] I prefer tea in the morning", "[dropped] I run on Mondays"]);
    day(
        &world,
        "2026-03-02",
        &[
            "[extracted] I live in Bremen.",
            "[extracted] I'm allergic to hazelnuts and celery!",
            "[extracted] I prefer short answers with the reason behind them",
            "[extracted] I run on Mondays",
            "Decided: I prefer tea in the morning",
        ],
    );
    assert_eq!(summarized(&found(&world)), []);
}

#[test]
fn a_custom_heading_is_kept() {
    let world = World::new();
    world.put(MEMORY, "# Memory\n\n## Über mich\n- Wohnt in Bremen\n- heiße Ada, wie die Programmiersprache\n");
    day(&world, "2026-03-02", &["[extracted] ich wohne jetzt in Kiel", "[extracted] Mein Zahnarzt heißt Dr. Aydin"]);
    assert_eq!(
        summarized(&found(&world)),
        [
            line("replace", "Wohnt in Bremen", "ich wohne jetzt in Kiel"),
            line("add", "Über mich", "Mein Zahnarzt heißt Dr. Aydin"),
        ]
    );
}

#[test]
fn two_machines_make_the_same_proposal_once() {
    let (one, other) = (World::new(), World::new());
    for world in [&one, &other] {
        world.put(MEMORY, SECTION_OF_ANNA);
        day(world, "2026-03-02", &["[extracted] I work at the museum now", "[extracted] I live in Bremen"]);
    }
    let proposals = found(&one).proposals;
    propose(&mut one.writer(), &proposals).unwrap();
    let ids = |world: &World| -> Vec<String> { list(&world.memory).unwrap().into_iter().map(|one| one.id).collect() };
    let proposed_elsewhere: Vec<String> = found(&other).proposals.iter().map(|one| one.change.id()).collect();
    assert_eq!(ids(&one), proposed_elsewhere, "one change has one id");
    other.put("proposals.md", &one.text("proposals.md"));
    assert_eq!(summarized(&found(&other)), [], "the list was synced");
    let settled = one.settle(&list(&one.memory).unwrap()[0], &Decision::Refuse);
    assert_eq!(settled, Settled::Refused);
    other.put("proposals.md", &one.text("proposals.md"));
    other.put("archive/proposals.md", &one.text("archive/proposals.md"));
    assert_eq!(summarized(&found(&other)), []);
}

#[test]
fn a_model_names_the_line_to_replace() {
    let world = World::new();
    world.put(MEMORY, SECTION_OF_ANNA);
    day(
        &world,
        "2026-03-02",
        &[
            "[extracted] I signed, from April on I am with the museum and speak German and Danish",
            "[extracted] call me before noon",
        ],
    );
    // In the request the known lines follow the two waiting ones: the printer is 3, Anna's office 4.
    let answer = r#"{"proposals": [
        {"to": "person", "text": "Anna speaks German and Danish", "from": [1], "instead": 5},
        {"to": "person", "text": "Anna works at the museum from April on", "from": [1], "instead": 4},
        {"to": "person", "text": "Call me before noon", "from": [2], "instead": 3},
        {"to": "person", "text": "Anna owns the whole museum of April", "from": [], "instead": 4}
    ]}"#;
    let proposed = review(&world.memory, &[], Some(&model(Task::Review, answer)), &mut SeenTexts::default()).unwrap();
    assert_eq!(
        summarized(&proposed),
        [
            line("replace", "Anna works at the harbour office", "Anna works at the museum from April on"),
            line("add", "Person", "Call me before noon"),
        ],
        "{:?}",
        proposed.dropped
    );
}

#[test]
fn the_persons_name_is_inferred_from_their_section() {
    let name = |lines: &[&str]| {
        let bullet = |text: &&str| Bullet::of_text(text);
        name_of(&lines.iter().map(bullet).collect::<Vec<_>>())
    };
    assert_eq!(name(&["My name is Ada", "Bo works", "Bo likes", "Bo runs"]).as_deref(), Some("ada"));
    assert_eq!(name(&["Anna works", "Anna likes tea", "Anna runs", "Bo runs"]).as_deref(), Some("anna"));
    assert_eq!(
        name(&["Anna works", "Anna likes tea", "Anna runs", "Bo runs", "Bo swims"]),
        None,
        "the name is ambiguous"
    );
    assert_eq!(name(&["The rent is due", "The car is old", "The cat is fat", "Lives here", "Lives there"]), None);
}

#[test]
fn statements_about_oneself_are_found_in_the_first_clause() {
    for text in [
        "I live in Bremen",
        "my dentist is Dr. Lang",
        "vormittags geht bei mir nie vor 10",
        "Ich esse kein Fleisch",
        "j'habite à Lyon",
        "Prefiero respuestas cortas",
        "From April on I am with the museum",
        "seit März wohne ich in Kiel",
    ] {
        assert!(is_own_voice(text), "{text}");
    }
    for text in [
        "pip-tools stays, I don't want another tool change",
        "Firmware bleibt MicroPython, C++ tu ich mir nicht mehr an",
        "je Session nur ein Log",
        "Thing as I say it",
        "use the port that I gave you",
        "the port is 8080",
        "",
    ] {
        assert!(!is_own_voice(text), "{text}");
    }
}

#[test]
fn statements_about_oneself_are_recognized_in_further_languages() {
    let languages = [
        (
            "it",
            ["Il mio dentista è la dott.ssa Conti", "vivo a Torino", "non mangio carne"],
            ["IO errors are logged", "il server è a Torino"],
        ),
        (
            "pt",
            ["O meu dentista é o Dr. Sousa", "moro em Braga", "sou alérgica a nozes"],
            ["EU rules apply here", "o servidor está em Braga"],
        ),
        (
            "nl",
            ["Mijn tandarts is Dr. Visser", "ik woon in Utrecht", "bij mij thuis nooit voor 10"],
            ["de server staat in Utrecht", "Jan woont in Leiden"],
        ),
        (
            "pl",
            ["Mieszkam w Gdańsku", "mój dentysta to dr Nowak", "Nie jem mięsa"],
            ["Serwer stoi w Gdańsku", "Marek pracuje w muzeum"],
        ),
        (
            "ru",
            ["Я живу в Казани", "мой стоматолог — доктор Лебедев", "у меня аллергия на орехи"],
            ["сервер стоит в Казани", "Анна работает в музее"],
        ),
        (
            "tr",
            ["Ankara'da yaşıyorum", "benim diş hekimim Dr. Kaya", "müzede çalışıyorum"],
            ["Ben works at the mill", "sunucu Ankara'da"],
        ),
        (
            "ja",
            ["私は京都に住んでいます", "私の歯医者は森先生です", "僕は魚を食べません"],
            ["サーバーは京都にあります", "私たちはpnpmを使います"],
        ),
        ("zh", ["我住在杭州", "我的牙医是林医生", "我不吃鱼"], ["服务器在杭州", "我们用 pnpm"]),
        (
            "ko",
            ["저는 부산에 살아요", "제 치과는 역 앞에 있어요", "나는 생선을 못 먹는다"],
            ["서버는 부산에 있다", "제품은 부산에 있다"],
        ),
        ("th", ["ผมอยู่เชียงใหม่", "ฉันแพ้ถั่ว", "ดิฉันทำงานที่พิพิธภัณฑ์"], ["เซิร์ฟเวอร์อยู่ที่เชียงใหม่", "เราใช้ pnpm"]),
    ];
    for (code, own, others) in languages {
        for text in own {
            assert!(is_own_voice(text), "{code}: {text}");
        }
        for text in others {
            assert!(!is_own_voice(text), "{code}: {text}");
        }
    }
}

#[test]
fn lines_about_the_person_are_compared_without_their_subject() {
    for (name, one, other) in [
        ("giulia", "lavoro in un museo", "Giulia lavora in un museo"),
        ("rui", "moro em Braga", "Rui mora em Braga"),
        ("sanne", "ik werk in het museum", "Sanne werkt in het museum"),
        ("marek", "mieszkam w Gdańsku", "Marek mieszka w Gdańsku"),
        ("анна", "Я работаю в музее", "Анна работает в музее"),
        ("ayşe", "müzede çalışıyorum", "Ayşe müzede çalışıyor"),
        ("", "私は京都に住んでいます", "僕は京都に住んでいます"),
        ("", "저는 부산에 살아요", "나는 부산에 살아요"),
    ] {
        let relation = relation(&form(one, Some(name)), &form(other, Some(name)));
        assert_eq!(relation, Some(Relation::Equal), "{one} / {other}");
    }
    for (one, other) in [
        ("lavoro in un museo", "Il server lavora di notte"),
        ("mieszkam w Gdańsku", "Serwer stoi w Gdańsku"),
        ("Я работаю в музее", "Сервер стоит в музее"),
        ("私は京都に住んでいます", "サーバーは京都にあります"),
    ] {
        assert_eq!(relation(&form(one, None), &form(other, None)), None, "{one} / {other}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_can_be_compared(one in "\\PC{0,60}|[Ii]('m| am| work| live) [a-z ]{0,30}", other in "\\PC{0,60}") {
        let said = form(&one, None);
        let _ = (relation(&said, &form(&other, Some("anna"))), is_own_voice(&one), stem(&other, &[]));
        proptest::prop_assert_eq!(relation(&said, &said), Some(Relation::Equal));
    }
}

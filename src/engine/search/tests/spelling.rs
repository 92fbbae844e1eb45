//! Distinguishes slips from other words.

use super::*;

/// Vocabulary of the notes: targets of the slips, and words that only resemble others.
const HELD: &str = "
    address accommodate achieve adapter apple appointment argument arrangement authentication available babysitter base
    basement beginning behaviour belief business calendar calm carrot certificate changelog collection college colleague
    commit committee compete comment configuration connection consensus context county cousin dashboard database decision
    definitely dependency dessert deployment description development domain embarrassed encryption environment exercise
    favourite february festival firewall format freight garden government grammar guarantee handkerchief hundred immediately
    independent insulation inventory jargon jones kanban karate kernel keyboard kettle knowledge kubernetes language library
    license maintenance manager mason martina market maintainer migration minutes mulch music necessary noticeable occasion
    occurred parallel parliament password performance permission personality plumber posture postgres privilege
    problem procedure project pronunciation publication quarantine questionnaire receipt receive recommend reference release
    repository restaurant retention rhythm romance rotation sandra schedule security separate sergeant session
    signature specification storage strategy successful summer supervisor surprise synchronisation temperature territory
    thermometer tomorrow transaction transfer treadmill truly tutorial unfortunately username vacuum vacation vegetable
    village volunteer wanna weather wednesday wiki withdrawal yesterday zookeeper winter fester simmer recital voucher
    malteser nasal radar ramen stone mate rate case home sale bite none done bale vile tone stead steed castle";

fn fixture() -> Fixture {
    let mut notes: Vec<(String, String)> = Vec::new();
    for (number, words) in HELD.split_whitespace().collect::<Vec<_>>().chunks(12).enumerate() {
        notes.push((format!("n{number}.md"), format!("{}\n", words.join(" "))));
    }
    let notes: Vec<(&str, &str)> = notes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Fixture::new(&notes)
}

fn corrected(fixture: &Fixture, text: &str, mode: Mode) -> Vec<String> {
    fixture.ask(&Query { mode, ..query(text) }).remarks
}

/// The test embedder knows no word of more than four letters, so any longer word that the notes lack may be a slip.
#[test]
fn slips_are_corrected() {
    let fixture = fixture();
    let slips = [
        ("adress", "address"),
        ("accomodate", "accommodate"),
        ("acheive", "achieve"),
        ("buisness", "business"),
        ("calender", "calendar"),
        ("comittee", "committee"),
        ("cotnext", "context"),
        ("databse", "database"),
        ("adtabase", "database"),
        ("definately", "definitely"),
        ("embarassed", "embarrassed"),
        ("enviroment", "environment"),
        ("goverment", "government"),
        ("gaurantee", "guarantee"),
        ("immediatly", "immediately"),
        ("kuberentes", "kubernetes"),
        ("kubernettes", "kubernetes"),
        ("neccessary", "necessary"),
        ("ocurred", "occurred"),
        ("paralell", "parallel"),
        ("pasword", "password"),
        ("reciept", "receipt"),
        ("recieve", "receive"),
        ("recomend", "recommend"),
        ("repositroy", "repository"),
        ("seperate", "separate"),
        ("succesful", "successful"),
        ("tommorow", "tomorrow"),
        ("unfortunatly", "unfortunately"),
        ("wendesday", "wednesday"),
    ];
    let missed: Vec<_> = slips
        .into_iter()
        .map(|(slip, meant)| (corrected(&fixture, slip, Mode::Hybrid), slip, meant))
        .filter(|(said, slip, meant)| *said != [format!("no note holds '{slip}': looked for '{meant}'")])
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn other_words_are_not_corrected() {
    let fixture = fixture();
    let words = [
        // Short words.
        "wifi",
        "bake",
        "wann",
        "cake",
        "wand",
        "bass",
        "calf",
        "mist",
        // German.
        "Garten",
        "Milch",
        "Fenster",
        "Musik",
        "Sommer",
        "Karte",
        "Kette",
        "Bruder",
        "Nummer",
        "Adresse",
        "Projekt",
        "Wohnung",
        "Termin",
        "Rechnung",
        "Ratte",
        "Tonne",
        "Schwester",
        "Markt",
        "Kasse",
        "Zimmer",
        "Freitag",
        "Hunde",
        // French.
        "maison",
        "jardin",
        "compte",
        "demain",
        "homme",
        "salle",
        "ville",
        "voiture",
        "fromage",
        "recette",
        "cousine",
        // Spanish.
        "calle",
        "perro",
        "libro",
        "mesa",
        "verano",
        "iglesia",
        "romano",
        // Names.
        "Marina",
        "Jensen",
        "Hannah",
        "Stefan",
        "Meyer",
        "Yusuf",
        "Mateo",
        "Sandro",
        // Abbreviations.
        "NASLA",
        "HIPAA",
        "RADRA",
        "COBOL",
    ];
    for mode in [Mode::Hybrid, Mode::Keyword] {
        let taken: Vec<_> = words.iter().flat_map(|word| corrected(&fixture, word, mode)).collect();
        assert!(taken.is_empty(), "{mode:?}: {taken:#?}");
    }
}

#[test]
fn ordinary_words_are_not_corrected_without_a_model() {
    let fixture = fixture();
    for word in ["desert", "contest", "conquest", "county", "posture", "pasture", "formal", "mission", "country"] {
        assert!(corrected(&fixture, word, Mode::Keyword).is_empty(), "{:?}", corrected(&fixture, word, Mode::Keyword));
    }
    assert_eq!(corrected(&fixture, "databse", Mode::Keyword).len(), 1);
}

#[test]
fn a_question_in_another_language_is_not_corrected() {
    let fixture = fixture();
    assert!(corrected(&fixture, "wann ist die Synchronisatoin", Mode::Hybrid).is_empty());
    assert!(corrected(&fixture, "pourquoi la synchronisatoin", Mode::Hybrid).is_empty());
    assert_eq!(corrected(&fixture, "when is the synchronisatoin", Mode::Hybrid).len(), 1);
}

#[test]
fn the_more_frequent_of_equal_neighbours_wins() {
    let fixture = Fixture::new(&[
        ("a.md", "The contraction is over.\n"),
        ("b.md", "The contradiction is over.\n"),
        ("c.md", "Another contradiction, and a contradiction.\n"),
    ]);
    // The typed word has one letter more than the one, and one letter less than the other.
    assert_eq!(
        corrected(&fixture, "contraiction", Mode::Hybrid),
        ["no note holds 'contraiction': looked for 'contradiction'"]
    );
}

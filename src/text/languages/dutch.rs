//! Word lists of Dutch.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// Dutch.
#[rustfmt::skip]
pub(super) static DUTCH: Language = Language {
    code: "nl",
    name: "Dutch",
    script: Script::Latin,
    stop_words: "\
        aan al alle allemaal alles als altijd andere ben bent bij daar dan dat de deze die dit doen door dus een \
        eens eergisteren en er ergens geen gisteren had hadden heb hebben hebt heeft hem hen het hier hij hoe \
        hoeveel hun iets ik in is ja je jij jou jouw jullie kan kon kunnen maar meer men met mij mijn moest moet \
        moeten morgen na naar nee niet niets nog nu of om omdat onder ons onze ook op over reeds steeds te tegen \
        toch toen tot u uit uw van vandaag veel via voor waar waarom wanneer want waren was wat we weer wel welk \
        welke werd wie wij wil worden wordt zal ze zei zich zij zijn zo zonder zou zulke",
    ambiguous_stop_words: "\
        al bent dan de die door en had hem hen hoe hun in is ja men met nu of op over reeds steeds te tot u van via \
        want was we weer wie",
    endings: "en e s er ers t te ten de den je jes heid heden ing ingen",
    joins_words: true,
    dates: DateWords {
        months: [
            &["januari"],
            &["februari"],
            &["maart"],
            &["april"],
            &["mei"],
            &["juni"],
            &["juli"],
            &["augustus"],
            &["september"],
            &["oktober", "okt"],
            &["november"],
            &["december"],
        ],
        weekdays: [
            &["maandag"],
            &["dinsdag"],
            &["woensdag"],
            &["donderdag"],
            &["vrijdag"],
            &["zaterdag"],
            &["zondag"],
        ],
        counted: &[
            ("eergisteren", DateUnit::Day, 2),
            ("gisteren", DateUnit::Day, 1),
            ("vandaag", DateUnit::Day, 0),
            ("vorige week", DateUnit::Week, 1),
            ("afgelopen week", DateUnit::Week, 1),
            ("verleden week", DateUnit::Week, 1),
            ("deze week", DateUnit::Week, 0),
            ("vorige maand", DateUnit::Month, 1),
            ("afgelopen maand", DateUnit::Month, 1),
            ("deze maand", DateUnit::Month, 0),
            ("vorig jaar", DateUnit::Year, 1),
            ("afgelopen jaar", DateUnit::Year, 1),
            ("verleden jaar", DateUnit::Year, 1),
            ("dit jaar", DateUnit::Year, 0),
        ],
        units: [
            &["dag", "dagen"],
            &["week", "weken"],
            &["maand", "maanden"],
            &["jaar", "jaren", "jaar"],
        ],
        numbers: [
            &["een", "één"],
            &["twee"],
            &["drie"],
            &["vier"],
            &["vijf"],
            &["zes"],
            &["zeven"],
        ],
        ago_after: &["geleden"],
        last: &["vorige", "vorig", "afgelopen", "laatste", "verleden"],
        this: &["deze", "dit"],
        on: &["op", "afgelopen"],
        prepositions: &["sinds"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "was het niet", "dat was het niet", "lag het niet", "toch niet", "verkeerd spoor", "dwaalspoor",
            "ik had het mis", "ik zat ernaast", "niet de oorzaak", "vergeet dat", "niets mee te maken",
            "doodlopende weg", "onschuldig",
        ],
        retraction: &["vergeet het", "vergeet dat", "laat maar zitten", "toch niet", "ik heb me bedacht"],
        denial: &[
            "het is niet de", "het is niet het", "het was niet de", "het was niet het", "ligt niet aan",
            "lag niet aan",
        ],
        polite: &["alsjeblieft", "graag", "en", "ja", "oké", "trouwens", "overigens"],
        reminders: &[
            "onthoud dit", "onthoud dat", "onthoud", "onthou dit", "onthou", "denk eraan", "denk erom",
            "vergeet dat niet", "vergeet niet", "houd dit in gedachten",
        ],
        reminders_that: &["onthoud dat", "onthou dat", "denk eraan dat", "denk erom dat", "vergeet niet dat"],
        negations: &["niet", "nooit", "geen"],
    },
    questions: QuestionWords {
        question_words: &["waar", "wat", "wie", "wanneer", "welke", "welk", "hoe", "waarin", "waarmee"],
        past_phrases: &["vroeger", "voorheen", "destijds", "oorspronkelijk", "voordien"],
        past_phrases_at_end: &["eerder", "ervoor"],
        past_phrases_with_past_form: &["eerder"],
        past_forms: &[
            "was", "waren", "had", "hadden", "werkte", "werkten", "woonde", "woonden", "gebruikte", "gebruikten",
        ],
        past_endings: &["te", "ten", "de", "den"],
        left_open: &["nog open", "nog te doen", "blijven liggen", "openstaat", "openstaand"],
        done: &["gedaan", "gewerkt", "gebeurd", "besloten", "afgesproken"],
        current_project: &["hier", "dit project"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["over mij", "over mezelf", "ik", "persoonlijk"],
        begins: &["ik", "mijn"],
        anywhere: &["bij mij", "voor mij"],
        since: "sinds vanaf",
        subjects: "ik",
        possessives: "mijn",
        lead: "vanaf nu voortaan onthoud dat en ja trouwens",
        fillers: "de het een nu tegenwoordig meneer mevrouw",
        verbs: "woont werkt gebruikt spreekt schrijft heeft eet drinkt speelt rijdt leest houdt",
        own_verbs: &[("heb", "heeft")],
        be: "ben is",
        named: &["ik heet", "mijn naam is"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            archiveer bekijk bewaar bouw controleer draai exporteer formatteer gebruik haal hernoem herstart \
            importeer installeer kijk kopieer laad lees maak markeer meet meld neem noteer ontkoppel open plaats \
            publiceer ruim schrijf sluit start stop stuur test update verhoog verplaats verwijder verzend voeg voer \
            wacht wijzig zet zoek",
        joining: "en daarna eerst tenslotte altijd",
        separators: &[" en ", " dan ", " daarna "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["is", "bij", "naar", "draait", "gebruikt"],
        copulas: &["is", "heet", "gebruikt", "draait", "woont", "werkt", "betekent"],
    },
    generic_words: "\
        verder ga bedankt dankje graag ja nee prima perfect nu ook zelfde hetzelfde ander andere \
        functie doe draai volgende rest goed mooi klaar alsjeblieft nogmaals",
    headings: HeadingWords {
        lasting: "altijd nooit voorkeur voorkeuren liever regel regels moet belangrijk stijl afspraken",
        personal: "persoonlijk mensen familie vrienden thuis huishouden gezondheid",
        work: "werk kantoor bedrijf collega klanten project projecten",
        plain: "feiten notities overig",
    },
    parts: PartWords {
        conjunctions: &["en", "of", "alsook"],
        asking: &[
            "wat", "wie", "wiens", "welke", "welk", "wanneer", "waar", "waarom", "hoe", "hoeveel", "waarin",
            "waarmee",
        ],
        inverted: &["is", "zijn", "was", "waren", "heeft", "hebben", "had", "kan", "moet", "wordt", "zal"],
        requesting: &["ook", "zeg", "geef", "toon", "zoek", "vind", "noem", "kijk", "vertel"],
        pairing: &["tussen", "vergelijk", "vergelijken", "zowel", "verschilt"],
        separating: &["met", "van", "als"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

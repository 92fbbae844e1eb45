//! Word lists of German.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// German.
#[rustfmt::skip]
pub(super) static GERMAN: Language = Language {
    code: "de",
    name: "German",
    script: Script::Latin,
    stop_words: "\
        aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da damit \
        danke dann darf das dass dein deine deinem deinen dem den denn der deren des dessen dich die dies diese \
        diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch euer \
        eure fur gegen gestern gibt hab habe haben hat hatte hatten heute hier hinter ich ihm ihn ihnen ihr ihre \
        ihrem ihren im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinem keinen keiner \
        konnen konnte mal man mehr mein meine meinem meinen meiner mich mir mit morgen muss musste nach nein nicht \
        nichts noch nur ob oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so soll sollen \
        sollte sondern uber um und uns unser unsere unserem unseren unter viel vom von vor vorgestern wann war waren \
        warum was weil welche welchem welchen welcher welches wem wen wenig wenn wer werde werden wessen wie wieder \
        wieso wir wird wo wohin womit worden wurde wurden zu zum zur zwischen",
    ambiguous_stop_words: "als also am an bin bis das den die dies er fur hat in ins mal man ob so um war was wen",
    letters: "ß",
    endings: "e en er ern em es n s ens ung ungen t te ten test tet st et",
    joins_words: true,
    dates: DateWords {
        months: [
            &["januar", "jänner"],
            &["februar"],
            &["märz", "maerz"],
            &["april"],
            &["mai"],
            &["juni"],
            &["juli"],
            &["august"],
            &["september"],
            &["oktober", "okt"],
            &["november"],
            &["dezember", "dez"],
        ],
        weekdays: [
            &["montag"],
            &["dienstag"],
            &["mittwoch"],
            &["donnerstag"],
            &["freitag"],
            &["samstag", "sonnabend"],
            &["sonntag"],
        ],
        counted: &[
            ("vorgestern", DateUnit::Day, 2),
            ("gestern", DateUnit::Day, 1),
            ("heute", DateUnit::Day, 0),
        ],
        units: [
            &["tag", "tage", "tagen"],
            &["woche", "wochen"],
            &["monat", "monate", "monaten"],
            &["jahr", "jahre", "jahren"],
        ],
        numbers: [
            &["ein", "einem", "einer"],
            &["zwei"],
            &["drei"],
            &["vier"],
            &["fünf"],
            &["sechs"],
            &["sieben"],
        ],
        ago_before: &["vor"],
        last: &[
            "letzte", "letzten", "letzter", "letztes", "letztem", "vorige", "vorigen", "voriger", "voriges",
            "vergangene", "vergangenen", "vergangener",
        ],
        this: &["diese", "dieser", "dieses", "diesen", "diesem"],
        on: &["am", "diesen", "vom"],
        prepositions: &["im", "seit"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "war es nicht", "war's nicht", "daran lag es nicht", "lag es nicht", "doch nicht", "falsche fährte",
            "sackgasse", "ich lag falsch", "lag ich falsch", "nicht die ursache", "vergiss das",
            "nichts damit zu tun", "hat damit nichts", "falscher verdacht", "irrtum", "unschuldig", "stimmte nicht",
        ],
        retraction: &[
            "vergiss es", "vergiss das", "doch nicht", "ich hab's mir anders überlegt", "hab es mir anders überlegt",
        ],
        denial: &[
            "es ist nicht der", "es ist nicht die", "es ist nicht das", "es war nicht der", "es war nicht die",
            "es war nicht das", "dann war es nicht", "liegt nicht am", "liegt nicht an", "lag nicht am",
            "lag nicht an",
        ],
        polite: &["bitte", "und", "also", "ja", "übrigens"],
        reminders: &[
            "merk dir das", "merke dir das", "merk dir", "merke dir", "merkt euch das", "merkt euch",
            "merken sie sich das", "merken sie sich", "denk daran", "denk dran", "denke daran", "denkt daran",
            "vergiss das nicht", "vergiss nicht", "vergesst nicht", "notier dir das", "notier dir", "notiere dir",
        ],
        reminders_that: &[
            "merk dir dass", "merke dir dass", "denk daran dass", "denk dran dass", "denke daran dass",
            "vergiss nicht dass",
        ],
        negations: &["nicht", "nie", "niemals", "kein", "keine", "keinen", "keinem", "keiner", "keines"],
    },
    questions: QuestionWords {
        question_words: &["wo", "wer", "wie", "wann", "welche", "welcher", "welches", "wem", "wen", "worin", "womit"],
        past_phrases: &["früher", "vorher", "zuvor", "damals", "ehemals", "vormals"],
        left_open: &["noch offen", "offen geblieben", "noch zu tun", "liegen geblieben", "unerledigt"],
        done: &["gemacht", "gearbeitet", "geschafft", "passiert", "gelaufen", "entschieden", "beschlossen"],
        current_project: &["hier", "in diesem projekt"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["persönlich", "über mich", "ich"],
        begins: &["ich", "mein", "meine", "meinen", "meinem", "meiner"],
        anywhere: &["bei mir"],
        since: "seit ab",
        subjects: "ich",
        possessives: "mein meine",
        lead: "ab jetzt künftig merk dir dass und ja übrigens",
        fillers: "der die das dem den dr dr. herr frau jetzt inzwischen",
        verbs: "\
            wohnt arbeitet bevorzugt mag nutzt spricht schreibt hat ist isst trinkt läuft spielt braucht will nimmt \
            fährt liest",
        be: "bin ist",
        named: &["ich heiße", "mein name ist"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            aktualisiere baue bau beende benenne benutze commite erhöhe erstelle erzeuge exportiere frag frage führe \
            führ gib halte hole importiere installiere kopiere lade leg lege lies lösche mach mache markiere merge \
            miss nimm notiere öffne ordne pack prüfe prüf pushe räume ruf rufe schalte schau schick schicke schließe \
            schreib schreibe sende setz setze sichere sieh sortiere speichere starte stell stelle stoppe such suche \
            tagge teste tu tue überprüfe verschiebe verwende warte zeig zeige",
        joining: "und dann danach zuerst zuletzt schließlich bitte immer",
        separators: &[" und ", " dann "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["mit", "auf", "bei", "an", "am", "im", "als", "von", "nach", "ist", "sind", "läuft"],
        copulas: &["heißt", "ist", "sind", "war", "läuft", "nutzt", "wohnt", "arbeitet", "kostet"],
    },
    generic_words: "\
        weiter danke bitte mach mache machen jetzt gut super passt genau nochmal noch gleiche gleichen dasselbe \
        anderen andere datei dateien funktion modul ebenso auch so ja nein klar prima toll schon fertig den die \
        das rest zeig nimm teste formatiere pushen",
    headings: HeadingWords {
        lasting: "\
            immer nie niemals bevorzugt bevorzuge vorliebe vorlieben regel regeln muss grundsatz grundsätze \
            wichtig stil konventionen",
        personal: "persönlich personen menschen familie freunde zuhause haushalt gesundheit",
        work: "arbeit beruf büro firma kollegen kunden projekt projekte",
        plain: "fakten notizen sonstiges",
    },
    parts: PartWords {
        conjunctions: &["und", "oder", "sowie", "bzw"],
        asking: &[
            "was", "wer", "wen", "wem", "wessen", "welche", "welcher", "welches", "welchen", "welchem", "wann",
            "wo", "wohin", "woher", "warum", "wieso", "weshalb", "wie", "wieviel", "womit", "worin", "wozu",
        ],
        inverted: &["ist", "sind", "war", "waren", "hat", "haben", "hatte", "kann", "muss", "wird", "gibt", "gab", "soll", "darf"],
        requesting: &["auch", "sag", "sage", "zeig", "zeige", "gib", "nenn", "nenne", "such", "suche", "finde", "erklär", "erkläre", "schau"],
        pairing: &[
            "zwischen", "vergleiche", "vergleich", "vergleichen", "sowohl", "entweder", "unterscheidet",
            "unterscheiden",
        ],
        separating: &["mit", "von", "vom", "als", "gegen"],
        bare_nouns: true,
        capital_nouns: true,
    },
    ..Language::NONE
};

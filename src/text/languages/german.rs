//! Word lists of German.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, QuestionWords, Script, StatementCues,
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
        decision: &[
            "entschieden", "entscheiden wir uns", "wir entscheiden uns", "entscheidung:", "entscheidung ist",
            "beschlossen", "beschluss", "festgelegt", "geeinigt", "einigen uns auf", "ab jetzt", "ab sofort",
            "künftig", "in zukunft", "ab heute", "wir bleiben bei", "bleiben wir bei", "es bleibt dabei",
            "ausgemacht", "nehmen wir", "bleiben also bei",
        ],
        persons_decision: &[
            "wir nehmen", "ich nehme", "dann nehmen", "nimm", "machen wir", "wir machen", "verwenden wir",
            "wir verwenden", "wir benutzen", "wir behalten", "behalten wir", "wir setzen auf", "wir lassen",
            "lassen wir", "bleib bei", "soll immer", "soll nie", "lieber doch", "dann lieber", "dann doch",
            "wir hatten gesagt", "wir haben gesagt", "wir bleiben", "wie überall sonst",
        ],
        imperative: &["nimm", "verwende", "behalte", "bleib", "immer", "nie", "nutze", "nur"],
        binding: &["für", "überall", "statt", "stattdessen", "nicht", "nur", "als", "bis", "pro", "immer"],
        hedge: &[
            "wäre", "wären", "könnte", "könnten", "vielleicht", "wahrscheinlich", "vermutlich", "probier",
            "probieren", "probieren wir", "möglicherweise", "eventuell", "würde", "würden", "ich glaube", "ich denke",
            "ich vermute", "scheint", "sieht aus", "offenbar", "option", "alternative", "noch nicht entschieden",
            "nicht entschieden", "unentschieden", "noch offen", "soll ich", "sollen wir", "entscheiden müssen",
            "müssen entscheiden", "noch entscheiden", "sag bescheid",
        ],
        condition: &["wenn", "falls", "sofern", "sollte", "entweder"],
        finding: &[
            "gefunden:", "gefunden hab", "ursache", "der grund", "grund war", "lag daran", "liegt daran", "lag an",
            "liegt an", "das problem war", "das problem ist", "der fehler war", "der fehler ist",
            "stellte sich heraus", "weil", "wegen", "fehlte", "kam von", "kommt von", "deshalb", "behoben", "schuld",
        ],
        open: &[
            "offen sind", "offen:", "sollte der vorstand", "nicht freigegeben", "noch keine", "bleibt noch",
            "nicht erledigt", "bleibt liegen", "nicht behoben", "muss man noch", "sollte noch", "nicht verschmolzen",
            "noch offen", "bleibt offen", "offen ist", "offen bleibt", "fehlt noch", "fehlen noch", "muss noch",
            "müssen noch", "steht noch aus", "ausstehend", "noch nicht", "noch zu", "nächster schritt",
            "als nächstes", "noch übrig", "übrig bleibt", "todo:", "später noch", "wartet auf",
        ],
        refutation: &[
            "war es nicht", "war's nicht", "daran lag es nicht", "lag es nicht", "doch nicht", "falsche fährte",
            "sackgasse", "ich lag falsch", "lag ich falsch", "nicht die ursache", "vergiss das",
            "nichts damit zu tun", "hat damit nichts", "falscher verdacht", "irrtum", "unschuldig", "stimmte nicht",
        ],
        offer: &[
            "soll ich", "möchtest du", "willst du", "sag bescheid", "gerne kann ich", "wenn du möchtest",
            "wenn du willst", "kann ich auch",
        ],
        choice: &[
            "welche", "welcher", "welches", "oder", "was meinst du", "wie viele", "wie lange", "wie oft",
            "was ist dir lieber", "was sagst du", "wo soll", "was soll",
        ],
        alternatives: &[
            "zwei wege", "drei wege", "wege", "möglichkeiten", "optionen", "varianten", "verglichen", "entweder",
            "beides geht", "alternativen", "kandidaten",
        ],
        picks: &["dann", "also", "höchstens", "mindestens", "maximal", "draus", "es wird", "bleibt es"],
        task: &[
            "schreib", "füge", "füg", "benenne", "benenn", "zeig", "zeige", "erklär", "prüf", "prüfe", "teste",
            "schau", "lies", "lösche", "probier", "probiere", "mess", "miss", "warum", "wieso", "was", "wie", "wo",
            "kannst", "bitte", "jetzt", "push", "weiter", "formatiere", "bau",
        ],
        postponed: &[
            "nicht heute", "später", "ein andermal", "nicht jetzt", "nächste woche", "nächstes mal", "morgen",
            "erstmal", "vertagen",
        ],
        enough: &[
            "passt erstmal", "reicht erstmal", "genügt erstmal", "erstmal ok", "erstmal okay", "erstmal gut",
            "bleibt erstmal",
        ],
        diagnosis: &[
            "warum", "wieso", "weshalb", "was stimmt", "was ist los", "finde heraus", "wie lange", "fehler", "kaputt",
            "stürzt", "langsam", "hängt", "bricht", "falsch", "schon wieder", "fliegt", "fehlt", "schau mal",
        ],
        advice: &[
            "ich würde", "ich empfehle", "mein vorschlag", "ich schlage", "empfehlung", "ich neige", "abhilfe",
            "reicht das erste", "die lösung wäre",
        ],
        consent: &["ja", "jo", "genau", "gut", "passt", "einverstanden", "mach", "klingt", "okay"],
        next_steps: &["prüfen", "testen", "ansehen", "schauen", "messen", "laufen", "nachsehen", "abwarten", "fragen"],
        farewell: &[
            "bis morgen", "bis dann", "bis später", "bis bald", "bis montag", "gute nacht", "schönen abend",
            "schönes wochenende", "feierabend", "tschüss",
        ],
        retraction: &[
            "vergiss es", "vergiss das", "doch nicht", "ich hab's mir anders überlegt", "hab es mir anders überlegt",
        ],
        denial: &[
            "es ist nicht der", "es ist nicht die", "es ist nicht das", "es war nicht der", "es war nicht die",
            "es war nicht das", "dann war es nicht", "liegt nicht am", "liegt nicht an", "lag nicht am",
            "lag nicht an",
        ],
        preferences: &[
            "immer", "nie", "niemals", "ab jetzt", "ab sofort", "künftig", "in zukunft", "merk dir", "ich mag lieber",
            "ich bevorzuge", "wir bevorzugen", "ich nehme immer", "wir nehmen immer", "ich will immer",
            "ich möchte immer", "denk dran", "denk daran", "bei uns heißt", "unsere konvention ist",
        ],
        polite: &["bitte", "und", "also", "ja", "übrigens"],
        descriptions: &[
            "immer noch", "immer wieder", "immer das", "immer dieser", "immer diese", "immer wenn", "immer mehr",
            "nie gesehen", "nie gehört",
        ],
        uses: &["wir nutzen", "wir benutzen", "wir verwenden", "wir nehmen", "ich nutze", "ich verwende"],
        used_for: &["für", "als", "zum", "statt"],
        corrections: &[
            "nein, nimm", "nein, verwende", "nein, benutze", "nein, nutze", "nein, wir nehmen", "nein, wir verwenden",
            "nein, wir nutzen",
        ],
        contrast: &["nicht", "statt", "anstatt"],
        temporary: &[
            "diesmal", "dieses mal", "heute", "morgen", "vorerst", "erstmal", "fürs erste", "das andere",
            "den anderen", "die andere",
        ],
        lasting: &["datenbank", "konvention", "einheiten", "zeitzone", "währung", "lizenz"],
        habits: &["bei mir nie", "bei mir immer", "bei uns nie", "bei uns immer", "geht bei mir nie", "ich nehme nie"],
        agreed: &["wir haben uns geeinigt", "haben beschlossen", "ist vorschrift", "ist pflicht"],
        names: &[
            "heißt", "ich arbeite bei", "ich wohne", "verträgt kein", "verträgt keine", "verträgt keinen",
            "allergisch", "ich arbeite als", "ich lebe in", "ich esse kein", "ich esse keine", "ich esse keinen",
            "mein zahnarzt ist", "meine zahnärztin ist", "mein arzt ist", "meine ärztin ist",
        ],
        negations: &["nicht", "nie", "niemals", "kein", "keine", "keinen", "keinem", "keiner", "keines"],
        statements: StatementCues {
            aside: &["übrigens"],
            over: &["wie überall sonst"],
            stays: &["bleibt", "bleiben"],
            no_state: &[
                "offen", "leer", "rot", "grün", "hängen", "stehen", "liegen", "kaputt", "da", "weg", "noch", "mir",
            ],
            limit: &["höchstens", "mindestens", "maximal"],
            place: &["das repo ist", "der server ist", "die datenbank ist", "der port ist", "staging ist"],
            report: &["fiel", "stieg", "ging", "sank", "gestiegen", "gefallen", "war", "waren", "dauert"],
            next_time: &["nächstes mal", "das nächste mal"],
            plan: &["nächstes mal ich", "nächstes mal mache ich", "mal schaue ich"],
            no_further: &["keine weiteren", "kein weiterer"],
            instead: &["statt", "nicht"],
            changes: &[("von", "auf")],
            out_and_in: &[("raus", "rein")],
            then: &["dann"],
            chosen: &["also", "überall"],
            no_choice: &["mach", "nimm", "ja", "das"],
            ..StatementCues::NONE
        },
    },
    questions: QuestionWords {
        question_words: &["wo", "wer", "wie", "wann", "welche", "welcher", "welches", "wem", "wen", "worin", "womit"],
        openers: &["warum", "wieso", "ab", "ist", "sind", "hat", "haben"],
        recall: &[
            "nochmal", "noch mal", "letztes mal", "beim letzten", "letzte woche", "letzten", "gestern", "damals",
            "hatten wir", "haben wir", "wieder", "entschieden", "ausgemacht", "noch offen", "woran lag", "eigentlich",
        ],
        own_things: &[
            "wir", "unser", "unsere", "unserem", "unseren", "uns", "mein", "meine", "wann ist", "wer hat", "wann",
        ],
        code: &["im code", "in der datei"],
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
    ..Language::NONE
};

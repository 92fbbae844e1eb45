//! Word lists of Dutch.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, QuestionWords, Script, StatementCues,
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
        decision: &[
            "besloten", "beslissen we", "beslissing:", "de beslissing is", "besluit:", "het besluit is",
            "afgesproken", "gekozen voor", "we kiezen voor", "wij kiezen voor", "vastgelegd", "vanaf nu", "voortaan",
            "we blijven bij", "wij blijven bij", "overeengekomen", "het wordt definitief",
        ],
        persons_decision: &[
            "we nemen", "wij nemen", "we gebruiken", "wij gebruiken", "laten we", "we houden", "wij houden",
            "we doen het zo", "we gaan voor", "we laten", "dan nemen we", "neem maar", "we hadden gezegd",
            "we blijven", "moet altijd", "mag nooit", "liever toch",
        ],
        imperative: &["gebruik", "neem", "houd", "hou", "blijf", "altijd", "nooit", "alleen"],
        binding: &["voor", "overal", "altijd", "nooit", "niet", "plaats van", "alleen", "als", "tot", "per"],
        hedge: &[
            "zou", "zouden", "zou kunnen", "misschien", "wellicht", "waarschijnlijk", "vermoedelijk", "mogelijk",
            "probeer", "laten we proberen", "lijkt", "blijkbaar", "ik denk", "ik geloof", "ik vermoed", "optie",
            "alternatief", "nog niet besloten", "niet besloten", "onbeslist", "moeten we nog beslissen", "zal ik",
            "zullen we", "laat maar weten",
        ],
        condition: &["als", "indien", "tenzij", "mocht"],
        finding: &[
            "gevonden:", "de oorzaak", "oorzaak", "kwam door", "komt door", "lag aan", "ligt aan", "het probleem was",
            "het probleem is", "de fout was", "de fout zat", "bleek", "omdat", "vanwege", "ontbrak", "ontbraken",
            "de boosdoener", "opgelost door", "daarom",
        ],
        open: &[
            "nog open", "blijft open", "nog niet", "nog te doen", "moet nog", "moeten nog", "ontbreekt nog",
            "ontbreken nog", "staat nog", "volgende stap", "wacht op", "openstaand", "blijft liggen", "todo:",
            "nog doen", "nog geen",
        ],
        refutation: &[
            "was het niet", "dat was het niet", "lag het niet", "toch niet", "verkeerd spoor", "dwaalspoor",
            "ik had het mis", "ik zat ernaast", "niet de oorzaak", "vergeet dat", "niets mee te maken",
            "doodlopende weg", "onschuldig",
        ],
        offer: &[
            "zal ik", "wil je dat", "zou je willen", "laat het weten", "laat maar weten", "als je wilt", "ik kan ook",
            "desgewenst",
        ],
        choice: &["welke", "welk", "wat vind je", "wat heb je liever", "hoeveel", "hoe lang", "hoe vaak", "waar moet"],
        alternatives: &[
            "twee manieren", "drie manieren", "manieren", "opties", "mogelijkheden", "varianten", "vergeleken",
            "alternatieven", "allebei",
        ],
        picks: &["dus", "hooguit", "hoogstens", "minstens", "maximaal", "het wordt"],
        task: &[
            "schrijf", "voeg", "hernoem", "herstel", "repareer", "draai", "toon", "laat", "leg", "controleer", "test",
            "kijk", "zoek", "lees", "open", "maak", "verwijder", "werk", "probeer", "meet", "waarom", "hoe", "waar",
            "wat", "kun", "kan", "nu", "ga",
        ],
        postponed: &[
            "niet vandaag", "later", "een andere keer", "niet nu", "volgende week", "volgende keer", "morgen",
            "uitstellen", "voorlopig niet",
        ],
        enough: &["is voorlopig goed", "volstaat voorlopig", "goed genoeg voor nu"],
        diagnosis: &[
            "waarom", "wat is er mis", "wat is er aan de hand", "fout", "kapot", "traag", "hangt", "crasht",
            "mislukt", "alweer", "verkeerd", "ontbreekt", "werkt niet",
        ],
        advice: &["ik zou", "ik raad aan", "mijn voorstel", "ik stel voor", "aanbeveling", "ik adviseer"],
        consent: &["ja", "ok", "oké", "okay", "goed", "prima", "precies", "akkoord", "klopt", "doe", "klinkt"],
        next_steps: &["controleren", "testen", "kijken", "nakijken", "meten", "draaien", "wachten", "vragen"],
        farewell: &[
            "tot morgen", "tot straks", "tot later", "tot maandag", "goede nacht", "welterusten", "fijne avond",
            "fijn weekend", "doei",
        ],
        retraction: &["vergeet het", "vergeet dat", "laat maar zitten", "toch niet", "ik heb me bedacht"],
        denial: &[
            "het is niet de", "het is niet het", "het was niet de", "het was niet het", "ligt niet aan",
            "lag niet aan",
        ],
        preferences: &[
            "altijd", "nooit", "vanaf nu", "voortaan", "in het vervolg", "in de toekomst", "ik heb liever",
            "ik geef de voorkeur", "wij geven de voorkeur", "ik gebruik altijd", "wij gebruiken altijd",
            "onthoud dat", "denk eraan", "onze conventie is", "mijn naam is", "ik heet",
        ],
        polite: &["alsjeblieft", "graag", "en", "ja", "oké", "trouwens", "overigens"],
        descriptions: &[
            "altijd hetzelfde", "altijd dezelfde", "altijd als", "nooit gezien", "nooit gehoord", "altijd al",
            "nooit meer",
        ],
        uses: &[
            "we gebruiken", "wij gebruiken", "ik gebruik", "we nemen", "dit project gebruikt", "het project gebruikt",
        ],
        used_for: &["voor", "als", "in plaats van", "niet"],
        corrections: &["nee, gebruik", "nee, neem", "nee, we gebruiken", "nee, wij gebruiken"],
        contrast: &["niet", "in plaats van", "geen"],
        temporary: &[
            "deze keer", "ditmaal", "voorlopig", "vandaag", "morgen", "de andere", "het andere", "voor nu",
            "in deze sessie",
        ],
        lasting: &[
            "poort", "server", "versie", "database", "branch", "domein", "conventie", "formaat", "tijdzone", "valuta",
            "eenheden", "licentie", "schema", "gegevensbank",
        ],
        habits: &["ik gebruik nooit", "ik gebruik altijd", "wij gebruiken altijd", "bij ons nooit", "bij ons altijd"],
        agreed: &["we hebben afgesproken", "we hebben besloten", "is verplicht", "onze regel is"],
        names: &[
            "heet", "ik werk bij", "ik werk voor", "ik woon in", "ik ben allergisch", "ik eet geen",
            "ik ben vegetariër", "mijn huisarts is", "mijn tandarts is",
        ],
        negations: &["niet", "nooit", "geen"],
        statements: StatementCues {
            aside: &["trouwens", "overigens"],
            over: &["voorgoed"],
            stays: &["blijft", "blijven"],
            no_state: &["leeg", "rood", "groen", "hangen", "staan", "liggen", "hier", "daar"],
            limit: &["maximaal", "minimaal", "hoogstens", "minstens", "niet meer dan"],
            place: &["de server is", "de poort is", "de database is"],
            report: &["steeg", "daalde", "duurde", "duurt"],
            next_time: &["volgende keer", "de volgende keer"],
            plan: &["volgende keer kijk ik", "volgende keer ga ik", "volgende keer doe ik"],
            no_further: &["geen andere", "geen verdere"],
            instead: &["niet", "in plaats van"],
            changes: &[("van", "naar")],
            moves_to: &["gaat naar", "verhuist naar"],
            ..StatementCues::NONE
        },
    },
    questions: QuestionWords {
        question_words: &["waar", "wat", "wie", "wanneer", "welke", "welk", "hoe", "waarin", "waarmee"],
        openers: &["waarom", "hoeveel", "zijn er", "is er", "hebben", "heeft"],
        recall: &[
            "laatste keer", "vorige keer", "gisteren", "vorige week", "vorige maand", "afgelopen week", "weet je nog",
            "herinner", "hadden we", "hebben we", "afgesproken", "besloten", "destijds", "ook alweer", "ook weer",
            "nog open",
        ],
        own_things: &["we", "wij", "bij ons", "van ons", "onze", "mijn", "wanneer", "wie heeft"],
        code: &["in de code", "in deze code", "in dit bestand", "in deze repo"],
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
    ..Language::NONE
};

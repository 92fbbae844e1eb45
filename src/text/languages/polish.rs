//! Word lists of Polish.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// Polish.
#[rustfmt::skip]
pub(super) static POLISH: Language = Language {
    code: "pl",
    name: "Polish",
    script: Script::Latin,
    stop_words: "\
        a aby albo ale ani az bardzo bez bo by byc byl byla byli bylo byly bym chce ci cie co czy czyj czyja dla \
        dlaczego do dzis dzisiaj gdy gdyz gdzie go i ich ile im ja jak jaka jaki jakich jakie jako je jego jej jesli \
        jest jestem jeszcze jutro juz kazda kazdy kiedy kogo komu kto ktora ktore ktorego ktorej ktory ktorych \
        ktorzy lub ma maja mam mamy mi mial mna mnie moge moj moja moje moze mozna mu my na nad nam nami nas nasi \
        nasz nasza nasze naszego naszej naszym nic nich nie niej nim niz no o od on ona one oni ono oraz po pod \
        poniewaz przed przedwczoraj przez przy razem sa sie skad soba sobie sposob swoj ta tak taki tam te tego tej \
        ten to tu tutaj twoj ty tych tylko tym u w wczoraj we wiec wszyscy wszystkich wszystkie wszystko wy z za \
        zaden zawsze ze zeby",
    ambiguous_stop_words: "\
        a ale ani bez by ci do go i im jest ma mu my na no o od on one po pod razem ta tam te ten to tu u w we z za",
    letters: "łąęśżźćń",
    endings: "\
        a e i o u y ie ia em om ami ach owi ow ego emu ej im ich ymi imi ym ych ce ki ka ko ke ek ku kiem iem ja je \
        ji ac ic yc al ala alo ali aly il ila ilo ili ily iono ono ano ony ona one any ana ane enie enia eniu anie \
        ania aniu osc osci amy imy ecie cie",
    dates: DateWords {
        months: [
            &["stycznia", "styczeń", "styczniu"],
            &["lutego", "luty", "lutym"],
            &["marca", "marzec", "marcu"],
            &["kwietnia", "kwiecień", "kwietniu"],
            &["maja", "maj", "maju"],
            &["czerwca", "czerwiec", "czerwcu"],
            &["lipca", "lipiec", "lipcu"],
            &["sierpnia", "sierpień", "sierpniu"],
            &["września", "wrzesień", "wrześniu"],
            &["października", "październik", "październiku"],
            &["listopada", "listopad", "listopadzie"],
            &["grudnia", "grudzień", "grudniu"],
        ],
        weekdays: [
            &["poniedziałek"],
            &["wtorek"],
            &["środę", "środa"],
            &["czwartek"],
            &["piątek"],
            &["sobotę", "sobota"],
            &["niedzielę", "niedziela"],
        ],
        counted: &[
            ("przedwczoraj", DateUnit::Day, 2),
            ("wczoraj", DateUnit::Day, 1),
            ("dzisiaj", DateUnit::Day, 0),
            ("dziś", DateUnit::Day, 0),
            ("zeszłym tygodniu", DateUnit::Week, 1),
            ("ubiegłym tygodniu", DateUnit::Week, 1),
            ("poprzednim tygodniu", DateUnit::Week, 1),
            ("zeszły tydzień", DateUnit::Week, 1),
            ("tym tygodniu", DateUnit::Week, 0),
            ("zeszłym miesiącu", DateUnit::Month, 1),
            ("ubiegłym miesiącu", DateUnit::Month, 1),
            ("poprzednim miesiącu", DateUnit::Month, 1),
            ("tym miesiącu", DateUnit::Month, 0),
            ("zeszłym roku", DateUnit::Year, 1),
            ("ubiegłym roku", DateUnit::Year, 1),
            ("tym roku", DateUnit::Year, 0),
        ],
        units: [
            &["dzień", "dni", "dnia"],
            &["tydzień", "tygodnie", "tygodni", "tygodnia"],
            &["miesiąc", "miesiące", "miesięcy", "miesiąca"],
            &["rok", "lata", "lat", "roku"],
        ],
        numbers: [
            &["jeden", "jedną", "jeden"],
            &["dwa", "dwie"],
            &["trzy"],
            &["cztery"],
            &["pięć"],
            &["sześć"],
            &["siedem"],
        ],
        ago_after: &["temu"],
        last: &[
            "ostatnie", "ostatnich", "ostatni", "ostatnią", "zeszły", "zeszłą", "zeszłym", "ubiegły", "ubiegłą",
            "poprzedni", "poprzednią",
        ],
        on: &["w", "we"],
        prepositions: &["w", "od"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "to nie było", "nie to było", "to nie przyczyna", "fałszywy trop", "myliłem się", "myliłam się",
            "zapomnij o tym", "nie ma nic wspólnego", "jednak nie", "wykluczone", "ślepy zaułek",
        ],
        retraction: &["zapomnij o tym", "zapomnij", "nieważne", "jednak nie", "zmieniłem zdanie", "zmieniłam zdanie"],
        denial: &["to nie jest", "to nie był", "to nie była", "to nie było"],
        polite: &["proszę", "tak", "ok", "a propos"],
        reminders: &[
            "pamiętaj o tym", "pamiętaj", "pamiętajcie", "zapamiętaj to", "zapamiętaj", "zapamiętajcie",
            "nie zapomnij", "nie zapominaj", "miej to na uwadze", "miej na uwadze",
        ],
        reminders_that: &[
            "pamiętaj że", "pamiętajcie że", "zapamiętaj że", "nie zapomnij że", "nie zapominaj że",
            "miej na uwadze że",
        ],
        negations: &["nie", "nigdy", "żaden", "żadna"],
    },
    questions: QuestionWords {
        question_words: &[
            "gdzie", "kiedy", "kto", "kogo", "komu", "który", "która", "które", "którą", "jaki", "jaka", "jakie",
            "jaką", "jak", "co to", "co jest", "co było", "co się", "co mamy", "co ustaliliśmy", "co zdecydowaliśmy",
            "z kim", "na czym", "od kiedy",
        ],
        past_phrases: &["przedtem", "dawniej", "poprzednio", "uprzednio", "pierwotnie"],
        past_phrases_at_end: &["wcześniej", "kiedyś"],
        past_phrases_with_past_form: &["wcześniej", "kiedyś"],
        past_forms: &[
            "był", "była", "było", "były", "byłem", "byłam", "pracowałem", "pracowałam", "pracował", "pracowała",
            "mieszkałem", "mieszkałam", "mieszkał", "mieszkała", "używałem", "używałam", "używaliśmy", "miałem",
            "miałam", "mieliśmy",
        ],
        past_endings: &["owalem", "owalam", "owal", "owala", "owalismy", "lem", "lam", "lismy"],
        left_open: &["jeszcze otwarte", "do zrobienia", "niedokończone", "nierozwiązane"],
        done: &[
            "zrobiliśmy", "zrobiłem", "zrobiłam", "robiłem", "robiłam", "robiliśmy", "pracowałem", "pracowałam",
            "pracowaliśmy", "się stało", "zdecydowaliśmy", "ustaliliśmy",
        ],
        current_project: &["tutaj", "ten projekt", "w tym projekcie"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["o mnie", "osobiste"],
        begins: &[
            "mój", "moja", "moje", "mieszkam", "pracuję", "wolę", "lubię", "jestem", "używam", "nie jem", "nie piję",
            "nie lubię", "mówię po", "mam alergię", "mam na imię", "nazywam się",
        ],
        anywhere: &["u mnie", "dla mnie"],
        since: "od",
        possessives: "mój moja moje",
        lead: "od teraz pamiętaj że tak",
        fillers: "teraz obecnie pan pani",
        verbs: "mieszka pracuje woli lubi używa pisze pije mówi",
        own_verbs: &[
            ("mieszkam", "mieszka"), ("pracuję", "pracuje"), ("wolę", "woli"), ("lubię", "lubi"), ("używam", "używa"),
            ("piszę", "pisze"), ("piję", "pije"), ("mówię", "mówi"),
        ],
        be: "jestem jest",
        named: &["nazywam się", "mam na imię"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            dodaj eksportuj importuj kopiuj napisz odczytaj otaguj otwórz oznacz podnieś poczekaj pobierz podbij \
            popraw przeczytaj przejrzyj przenieś przetestuj przygotuj sformatuj skompiluj skopiuj sprawdź ustaw usuń \
            utwórz uruchom wczytaj wgraj wypchnij wyczyść wyłącz włącz wyślij zaktualizuj zainstaluj zamknij zapisz \
            zatrzymaj zbuduj zmierz zmień znajdź zrestartuj zrób",
        joining: "oraz potem następnie najpierw wreszcie zawsze",
        separators: &[" oraz ", " potem ", " następnie ", " a potem "],
        separators_if_own_language: &[" i "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["jest", "są", "na", "od", "używa", "działa"],
        copulas: &["jest", "są", "używa", "działa", "mieszka", "pracuje", "kosztuje", "woli"],
    },
    generic_words: "\
        dalej dzieki dziekuje prosze tak dobrze super teraz rowniez samo inny plik pliki funkcja \
        funkcje modul zrob uruchom nastepny nastepna reszta gotowe swietnie jeszcze raz wypchnij",
    headings: HeadingWords {
        lasting: "zawsze nigdy wolę woli preferencje reguła reguły zasada zasady musi ważne styl konwencje",
        personal: "osobiste ludzie rodzina przyjaciele dom zdrowie",
        work: "praca zespół biuro firma klienci projekt projekty",
        plain: "fakty notatki inne",
    },
    parts: PartWords {
        conjunctions: &["i", "oraz", "lub", "albo", "a"],
        asking: &[
            "co", "czego", "kto", "kogo", "komu", "czyj", "jaki", "jaka", "jakie", "jaką", "kiedy", "gdzie",
            "dokąd", "skąd", "dlaczego", "czemu", "jak", "ile",
        ],
        requesting: &["także", "też", "podaj", "pokaż", "znajdź", "powiedz", "przypomnij", "wyjaśnij", "sprawdź"],
        pairing: &["między", "pomiędzy", "porównaj", "porównać", "zarówno"],
        separating: &["z", "ze", "od", "jak"],
        bare_nouns: true,
        ..PartWords::NONE
    },
    ..Language::NONE
};

//! Word lists of Italian.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// Italian.
#[rustfmt::skip]
pub(super) static ITALIAN: Language = Language {
    code: "it",
    name: "Italian",
    script: Script::Latin,
    stop_words: "\
        a abbiamo ad agli ai al all alla alle allo allora altra altre altri altro anche ancora anni avere aveva c \
        che chi ci ciascuno come con cosa cosi da dagli dai dal dall dalla dalle dallo degli dei del dell della \
        delle dello deve di domani dopo dove due e ed era erano essere fa fare fino fra fu gia gli ha hai hanno ho i \
        ieri il in io l la le lei lo loro lui ma mai me meno mentre mi mia mie miei mio molta molti molto ne negli \
        nei nel nell nella nelle nello no noi non nostra nostre nostri nostro nulla o oggi ogni ognuno per perche \
        pero piu poco poi prima proprio puo qual quale quali quando quante quanti quanto quasi quel quell quella \
        quelle quelli quello quest questa queste questi questo qui sara se sei sempre senza si sia siamo sono sopra \
        sotto sta stata stato su sua sue sugli sui sul sull sulla sulle sullo suo suoi te ti tra tre tu tua tuo \
        tutta tutte tutti tutto un una uno va vi voi",
    ambiguous_stop_words: "\
        a ad ai all c chi come con da dall del dell di dove due e ed era fa fare ha ho i il in l la le lei lo me \
        nell no non o per prima quasi quell quest se sei si sta su sue ti un vi",
    letters: "ìò",
    elided: "l dell all nell sull dall quell un c d quest com",
    endings: "\
        a o e i are ere ire ato ata ati ate uto uta uti ute ito ita iti ite ando endo ava avano eva evano iva ivano \
        amo iamo zione zioni ione ioni mente ai ia ie io hi he chi che ghi ghe",
    dates: DateWords {
        months: [
            &["gennaio"],
            &["febbraio"],
            &["marzo"],
            &["aprile"],
            &["maggio"],
            &["giugno"],
            &["luglio"],
            &["agosto"],
            &["settembre"],
            &["ottobre"],
            &["novembre"],
            &["dicembre"],
        ],
        weekdays: [
            &["lunedì", "lunedi"],
            &["martedì", "martedi"],
            &["mercoledì", "mercoledi"],
            &["giovedì", "giovedi"],
            &["venerdì", "venerdi"],
            &["sabato"],
            &["domenica"],
        ],
        counted: &[
            ("altro ieri", DateUnit::Day, 2),
            ("l'altro ieri", DateUnit::Day, 2),
            ("avantieri", DateUnit::Day, 2),
            ("ieri", DateUnit::Day, 1),
            ("oggi", DateUnit::Day, 0),
            ("settimana scorsa", DateUnit::Week, 1),
            ("settimana passata", DateUnit::Week, 1),
            ("questa settimana", DateUnit::Week, 0),
            ("mese scorso", DateUnit::Month, 1),
            ("questo mese", DateUnit::Month, 0),
            ("anno scorso", DateUnit::Year, 1),
            ("quest'anno", DateUnit::Year, 0),
        ],
        units: [
            &["giorno", "giorni"],
            &["settimana", "settimane"],
            &["mese", "mesi"],
            &["anno", "anni"],
        ],
        numbers: [
            &["un", "una", "uno"],
            &["due"],
            &["tre"],
            &["quattro"],
            &["cinque"],
            &["sei"],
            &["sette"],
        ],
        ago_after: &["fa"],
        last: &["ultimi", "ultime", "ultimo", "ultima", "scorso", "scorsa"],
        last_after: &["scorso", "scorsa"],
        this: &["questa", "questo"],
        prepositions: &["a", "ad", "nel"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "non era", "non è la causa", "pista falsa", "falsa pista", "mi sbagliavo", "mi ero sbagliato",
            "dimentica quello", "niente a che vedere", "non c'entra", "alla fine no", "escluso", "vicolo cieco",
            "innocente",
        ],
        retraction: &["lascia stare", "lascia perdere", "dimentica", "dimenticalo", "alla fine no", "ho cambiato idea"],
        denial: &["non è il", "non è la", "non è l", "non era il", "non era la"],
        polite: &["per favore", "per piacere", "sì", "tra l'altro"],
        reminders: &[
            "ricordalo", "ricordatelo", "ricorda", "ricordati", "ricordatevi", "tieni presente", "tienilo presente",
            "tieni a mente", "tienilo a mente", "non dimenticare", "non dimenticarlo", "non dimenticarti",
        ],
        reminders_that: &[
            "ricorda che", "ricordati che", "ricordatevi che", "tieni presente che", "tieni a mente che",
            "non dimenticare che", "non dimenticarti che",
        ],
        negations: &["non", "mai", "nessun", "nessuno", "nessuna"],
    },
    questions: QuestionWords {
        question_words: &[
            "dove", "quando", "quale", "quali", "cosa", "che cosa", "chi ha", "chi è", "chi era", "come si",
            "come mai", "come abbiamo", "come avevamo", "come ho", "come funziona", "come faccio", "a che", "in che",
            "da quando",
        ],
        past_phrases: &["in precedenza", "precedentemente", "un tempo", "in passato", "originariamente"],
        past_phrases_at_end: &["prima"],
        past_phrases_with_past_form: &["prima"],
        past_forms: &[
            "ero", "era", "eravamo", "lavoravo", "lavorava", "abitavo", "abitava", "vivevo", "viveva", "usavo",
            "usavamo", "usava", "avevo", "avevamo", "aveva",
        ],
        past_endings: &["vo", "va", "vamo", "vano"],
        left_open: &["ancora aperto", "rimasto aperto", "da fare", "in sospeso"],
        done: &["abbiamo fatto", "ho fatto", "abbiamo lavorato", "ho lavorato", "abbiamo deciso", "è successo"],
        current_project: &["qui", "questo progetto"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["su di me", "di me", "personale"],
        begins: &[
            "il mio", "la mia", "i miei", "le mie", "mio marito", "mio figlio", "mio padre", "mia moglie",
            "mia figlia", "mia madre", "io sono", "io non", "io uso", "io vivo", "io abito", "io lavoro",
            "io preferisco", "preferisco", "vivo a", "vivo in", "abito a", "abito in", "lavoro a", "lavoro in",
            "lavoro al", "lavoro alla", "lavoro per", "lavoro presso", "lavoro come", "sono allergico",
            "sono allergica", "sono vegetariano", "sono vegetariana", "sono nato", "sono nata", "non mangio",
            "non bevo", "mi chiamo", "mi piace",
        ],
        anywhere: &["secondo me"],
        since: "da dal",
        subjects: "io",
        possessives: "mio miei mie",
        lead: "ricorda che e sì comunque",
        fillers: "il lo la gli le un uno una adesso ora",
        verbs: "vive abita lavora preferisce parla scrive mangia beve guida legge corre gioca",
        own_verbs: &[
            ("vivo", "vive"), ("abito", "abita"), ("lavoro", "lavora"), ("preferisco", "preferisce"),
            ("parlo", "parla"), ("mangio", "mangia"), ("bevo", "beve"),
        ],
        be: "sono è",
        named: &["mi chiamo", "il mio nome è"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            aggiorna aggiungi apri archivia attendi avvia cambia cancella carica cerca chiudi compila controlla \
            copia correggi crea elimina esegui esporta etichetta ferma formatta guarda importa incrementa installa \
            invia lancia leggi metti misura modifica prepara prova pubblica pulisci riavvia rimuovi rinomina salva \
            scarica scrivi segna sposta stampa verifica",
        joining: "e poi quindi infine prima dopo sempre",
        separators: &[" e ", " poi ", " quindi "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["è", "usa", "sulla", "nel", "nella"],
        copulas: &[
            "è", "usa", "usano", "preferisce", "vive", "abita", "lavora", "significa",
        ],
    },
    generic_words: "\
        continua avanti grazie si bene perfetto ora adesso anche stesso stessa altro altra funzione modulo \
        esegui fai ancora prossimo prossima resto ottimo giusto pusha committa",
    headings: HeadingWords {
        lasting: "sempre preferisco preferisce preferenza preferenze regola regole deve importante stile convenzioni",
        personal: "personale persone famiglia amici casa salute",
        work: "lavoro squadra ufficio azienda colleghi clienti progetto progetti",
        plain: "fatti appunti varie",
    },
    parts: PartWords {
        conjunctions: &["e", "ed", "o", "oppure"],
        asking: &[
            "chi", "cosa", "quale", "quali", "qual", "quando", "dove", "dov", "perché", "come", "quanto",
            "quanta", "quanti", "quante",
        ],
        requesting: &["anche", "dimmi", "dammi", "trova", "trovami", "mostrami", "cerca", "ricordami", "spiega", "elenca"],
        pairing: &["tra", "fra", "confronta", "confrontare", "paragona", "sia"],
        separating: &["con", "sia"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

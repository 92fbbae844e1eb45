//! Word lists of Italian.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, QuestionWords, Script, StatementCues,
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
        decision: &[
            "deciso", "decidiamo", "abbiamo deciso", "decisione:", "la decisione è", "scelto", "abbiamo scelto",
            "scegliamo", "optato per", "concordato", "d'ora in poi", "da ora in poi", "da oggi in poi", "restiamo su",
            "rimaniamo su", "andiamo con", "ci siamo accordati",
        ],
        persons_decision: &[
            "usiamo", "useremo", "prendiamo", "teniamo", "manteniamo", "facciamo così", "lasciamo", "mettiamo",
            "togliamo", "passiamo a", "avevamo detto", "abbiamo detto", "restiamo", "deve sempre", "non deve mai",
            "usa sempre", "meglio invece",
        ],
        imperative: &["usa", "tieni", "prendi", "resta", "sempre", "mai", "solo", "lascia"],
        binding: &["per", "ovunque", "sempre", "mai", "non", "invece", "al posto", "solo", "fino", "quando"],
        hedge: &[
            "sarebbe", "sarebbero", "potrebbe", "potrebbero", "potremmo", "forse", "probabilmente", "magari",
            "proviamo", "prova", "possibilmente", "sembra", "credo", "penso", "suppongo", "immagino", "opzione",
            "alternativa", "non ancora deciso", "non deciso", "da decidere", "indeciso", "vuoi che", "fammi sapere",
            "bisognerebbe", "vedremo",
        ],
        condition: &["se", "qualora", "oppure"],
        finding: &[
            "trovato", "la causa", "causa principale", "causato da", "causata da", "dovuto a", "dovuta a",
            "era dovuto", "il problema era", "il problema è", "l'errore era", "il colpevole", "perché", "a causa",
            "mancava", "mancavano", "veniva da", "viene da", "si è scoperto", "risulta che", "corretto",
        ],
        open: &[
            "resta da", "restano da", "rimane da", "da fare", "non ancora", "manca ancora", "mancano ancora",
            "in sospeso", "in attesa", "ancora aperto", "ancora aperta", "resta aperto", "resta aperta",
            "prossimo passo", "bisogna ancora", "va ancora", "todo:", "da chiarire", "da verificare ancora",
        ],
        refutation: &[
            "non era", "non è la causa", "pista falsa", "falsa pista", "mi sbagliavo", "mi ero sbagliato",
            "dimentica quello", "niente a che vedere", "non c'entra", "alla fine no", "escluso", "vicolo cieco",
            "innocente",
        ],
        offer: &["vuoi che", "ti va se", "fammi sapere", "se vuoi", "posso anche", "dimmi se", "preferisci che"],
        choice: &[
            "quale", "quali", "oppure", "o", "cosa preferisci", "cosa ne pensi", "quanti", "quanto", "preferisci",
            "dove",
        ],
        alternatives: &[
            "due modi", "tre modi", "modi", "opzioni", "possibilità", "alternative", "confrontato", "strade",
            "entrambi",
        ],
        picks: &["allora", "quindi", "al massimo", "almeno", "sarà", "come minimo"],
        task: &[
            "scrivi", "aggiungi", "rinomina", "correggi", "esegui", "mostra", "spiega", "verifica", "prova", "misura",
            "guarda", "controlla", "perché", "dove", "puoi", "adesso", "ora", "continua", "cerca", "apri", "crea",
            "elimina", "cancella", "aggiorna",
        ],
        postponed: &[
            "non oggi", "più tardi", "un'altra volta", "un altro giorno", "non adesso", "non ora",
            "la prossima settimana", "la prossima volta", "domani", "rimandiamo", "dopo",
        ],
        enough: &["va bene per ora", "basta per ora", "per ora va bene"],
        diagnosis: &[
            "perché", "cosa succede", "cos'è successo", "errore", "fallisce", "fallito", "lento", "rotto", "di nuovo",
            "si blocca", "sbagliato", "manca", "non funziona",
        ],
        advice: &[
            "consiglio", "suggerisco", "propongo", "la mia proposta", "io userei", "io sceglierei", "io terrei",
            "raccomando",
        ],
        consent: &["sì", "si", "ok", "okay", "certo", "va", "bene", "perfetto", "esatto", "d'accord", "giusto"],
        next_steps: &["controllare", "verificare", "guardare", "provare", "misurare", "eseguire", "aspettare", "chiedere"],
        farewell: &[
            "a domani", "a dopo", "ci vediamo", "buona notte", "buonanotte", "buona serata", "buon fine settimana",
            "ciao",
        ],
        retraction: &["lascia stare", "lascia perdere", "dimentica", "dimenticalo", "alla fine no", "ho cambiato idea"],
        denial: &["non è il", "non è la", "non è l", "non era il", "non era la"],
        preferences: &[
            "sempre", "mai", "d'ora in poi", "da ora in poi", "da adesso in poi", "preferisco", "preferiamo",
            "io uso sempre", "usiamo sempre", "ricorda che", "ricordati che", "tieni presente che", "usa sempre",
            "non usare mai", "la nostra convenzione è", "mi chiamo",
        ],
        polite: &["per favore", "per piacere", "sì", "tra l'altro"],
        descriptions: &[
            "sempre lo stesso", "sempre la stessa", "sempre il", "mai visto", "mai vista", "mai sentito",
            "sempre quando", "mai più",
        ],
        uses: &["usiamo", "utilizziamo", "uso", "il progetto usa", "questo progetto usa"],
        used_for: &["per", "come", "non"],
        corrections: &["no, usa", "no, usiamo", "no, prendi", "no, utilizza"],
        contrast: &["non", "invece di", "al posto di", "anziché"],
        temporary: &[
            "questa volta", "per ora", "per adesso", "oggi", "domani", "l'altro", "l'altra", "questo qui",
            "in questa sessione",
        ],
        lasting: &[
            "porta", "server", "versione", "database", "base di dati", "ramo", "dominio", "convenzione", "formato",
            "fuso", "valuta", "unità", "licenza", "schema",
        ],
        habits: &["io non uso mai", "io uso sempre", "noi usiamo sempre", "preferisco", "preferiamo"],
        agreed: &["abbiamo concordato", "ci siamo accordati", "abbiamo deciso", "è obbligatorio", "la regola è"],
        names: &[
            "si chiama", "lavoro a", "lavoro per", "lavoro presso", "vivo a", "abito a", "sono allergico",
            "sono allergica", "non mangio", "sono vegetariano", "sono vegetariana", "il mio medico è",
            "il mio dentista è",
        ],
        negations: &["non", "mai", "nessun", "nessuno", "nessuna"],
        statements: StatementCues {
            // "A proposito di" means "about".
            aside: &["a proposito,", "tra l'altro"],
            over: &["una volta per tutte"],
            stays: &["rimane", "rimangono", "restano"],
            no_state: &["aperto", "aperta", "vuoto", "vuota", "rosso", "rossa", "bloccato", "bloccata", "qui"],
            limit: &["al massimo", "almeno", "non più di"],
            place: &["il server è", "il database è", "il repo è", "la porta del server è"],
            report: &["è salito", "è salita", "è sceso", "è scesa", "è passato", "è passata", "ha impiegato"],
            next_time: &["la prossima volta"],
            plan: &["la prossima volta guardo", "la prossima volta provo", "la prossima volta controllo"],
            no_further: &["nessun altro", "nessun'altra", "nessuna altra"],
            instead: &["invece di", "anziché"],
            moves_to: &["passa a", "passano a"],
            ..StatementCues::NONE
        },
    },
    questions: QuestionWords {
        question_words: &[
            "dove", "quando", "quale", "quali", "cosa", "che cosa", "chi ha", "chi è", "chi era", "come si",
            "come mai", "come abbiamo", "come avevamo", "come ho", "come funziona", "come faccio", "a che", "in che",
            "da quando",
        ],
        openers: &["perché", "quanto", "quanti", "quante", "c'è", "ci sono", "è stato", "è stata"],
        recall: &[
            "l'ultima volta", "ultima volta", "l'altra volta", "ieri", "settimana scorsa", "mese scorso",
            "ti ricordi", "ricordi", "ricordami", "avevamo", "abbiamo deciso", "abbiamo scelto", "abbiamo concordato",
            "abbiamo stabilito", "abbiamo detto", "abbiamo usato", "abbiamo messo", "abbiamo risolto", "avevo detto",
            "in sospeso", "ancora aperto",
        ],
        own_things: &[
            "noi", "nostro", "nostra", "nostri", "nostre", "il mio", "la mia", "i miei", "le mie", "quando è",
            "quando abbiamo", "chi ha",
        ],
        code: &["nel codice", "in questo codice", "in questo file", "in questo repo"],
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
    ..Language::NONE
};

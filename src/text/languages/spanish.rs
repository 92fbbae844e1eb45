//! Word lists of Spanish.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// Spanish.
#[rustfmt::skip]
pub(super) static SPANISH: Language = Language {
    code: "es",
    name: "Spanish",
    script: Script::Latin,
    stop_words: "\
        a ahora al algo algun alguna alli ante anteayer antes aqui asi aun aunque ayer bajo bien cada casi como con \
        cual cuales cuando cuanta cuantas cuanto cuantos de debe del desde despues donde dos e el ella ellas ellos \
        en entonces entre era eran es esa esas ese eso esos esta estaba estado estamos estan estar estas este esto \
        estos fue fueron ha habia hace hacer hasta hay hemos hoy la las le les lo los manana mas me mi mientras mis \
        mucho muchos muy nada ni no nos nosotros nuestra nuestras nuestro nuestros nunca o os otra otras otro otros \
        para pero poco por porque puede pueden pues que quien quienes se sea segun ser si siempre sin sobre son soy \
        su sus tal tambien tan tanto te tener tengo ti tiene tienen todas todavia todo todos tu tus un una unas uno \
        unos usted ustedes va vamos van y ya yo",
    ambiguous_stop_words: "\
        a ante antes de del e el es ha hay la las lo los mas me mi no o se sea si sin son soy su tan te ti un van y \
        yo",
    not_stop_words: "once",
    letters: "ñ¿¡",
    endings: "\
        s es a o as os e ar er ir ado ada ados adas ido ida idos idas ando iendo aba aban ia ian ara aran are aron \
        io amos emos imos cion ciones on ones mente an en",
    dates: DateWords {
        months: [
            &["enero"],
            &["febrero"],
            &["marzo"],
            &["abril"],
            &["mayo"],
            &["junio"],
            &["julio"],
            &["agosto"],
            &["septiembre", "setiembre"],
            &["octubre"],
            &["noviembre"],
            &["diciembre"],
        ],
        weekdays: [
            &["lunes"],
            &["martes"],
            &["miércoles", "miercoles"],
            &["jueves"],
            &["viernes"],
            &["sábado", "sabado"],
            &["domingo"],
        ],
        counted: &[
            ("anteayer", DateUnit::Day, 2),
            ("antes de ayer", DateUnit::Day, 2),
            ("ayer", DateUnit::Day, 1),
            ("hoy", DateUnit::Day, 0),
            ("semana pasada", DateUnit::Week, 1),
            ("esta semana", DateUnit::Week, 0),
            ("mes pasado", DateUnit::Month, 1),
            ("este mes", DateUnit::Month, 0),
            ("año pasado", DateUnit::Year, 1),
            ("este año", DateUnit::Year, 0),
        ],
        units: [
            &["día", "días", "dia", "dias"],
            &["semana", "semanas"],
            &["mes", "meses"],
            &["año", "años"],
        ],
        numbers: [
            &["un", "una", "uno"],
            &["dos"],
            &["tres"],
            &["cuatro"],
            &["cinco"],
            &["seis"],
            &["siete"],
        ],
        ago_before: &["hace"],
        last: &["últimos", "últimas", "última", "último", "ultimos", "ultimas", "pasado", "pasada"],
        last_after: &["pasado", "pasada"],
        this: &["esta", "este"],
        on: &["el", "este"],
        prepositions: &["en"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "no era", "no fue", "no es la causa", "pista falsa", "me equivoqué", "estaba equivocado", "olvida eso",
            "nada que ver", "al final no", "descartado", "callejón sin salida",
        ],
        retraction: &["olvida eso", "olvídalo", "al final no", "cambié de idea", "he cambiado de idea"],
        denial: &["no es el", "no es la", "no era el", "no era la"],
        polite: &["por favor", "y", "sí"],
        reminders: &[
            "recuérdalo", "recuerda esto", "recuerda eso", "recuerda", "recuerde", "recuerden", "ten en cuenta",
            "tenga en cuenta", "no lo olvides", "no olvides", "no te olvides",
        ],
        reminders_that: &[
            "recuerda que", "recuerde que", "recuerden que", "ten en cuenta que", "tenga en cuenta que",
            "no olvides que", "no te olvides de que", "no te olvides que",
        ],
        negations: &["no", "nunca", "jamás"],
    },
    questions: QuestionWords {
        question_words: &[
            "dónde", "donde", "qué", "quién", "cuál", "cuándo", "cómo", "que", "en qué", "a qué", "en que", "a que",
            "en cuál", "a quién",
        ],
        past_phrases: &["anteriormente", "previamente", "antiguamente", "solía"],
        past_phrases_at_end: &["antes"],
        left_open: &["queda pendiente", "pendiente", "pendientes", "por hacer", "queda por"],
        done: &["trabajé", "trabajamos", "hicimos", "hice", "pasó", "decidimos", "decidí"],
        current_project: &["aquí", "este proyecto"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["sobre mí", "yo"],
        begins: &["mi", "mis", "prefiero", "vivo", "trabajo", "soy", "tengo"],
        since: "desde",
        subjects: "yo",
        possessives: "mi mis",
        lead: "recuerda que y sí",
        fillers: "el los las la un una dr dr. ahora",
        verbs: "vive trabaja prefiere usa habla escribe come",
        own_verbs: &[
            ("vivo", "vive"), ("trabajo", "trabaja"), ("prefiero", "prefiere"), ("hablo", "habla"),
            ("tengo", "tiene"),
        ],
        be: "soy es",
        named: &["me llamo"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            añade abre borra busca cambia cierra compila comprueba copia crea ejecuta envía escribe espera guarda \
            haz instala inicia lanza lee mira mueve para pon prepara prueba publica quita revisa sube usa verifica",
        joining: "y luego después primero finalmente siempre",
        separators: &[" y ", " luego "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["con", "en", "es"],
        copulas: &["es", "está", "usa", "vive"],
    },
    generic_words: "\
        sigue gracias vale si perfecto ahora tambien mismo misma otro otra archivo archivos funcion modulo sube \
        haz bien favor hazlo siguiente genial",
    headings: HeadingWords {
        lasting: "siempre nunca prefiere prefiero preferencia preferencias regla reglas debe",
        personal: "persona familia amigos casa salud",
        work: "trabajo equipo oficina empresa proyecto proyectos",
        plain: "hechos notas varios",
    },
    parts: PartWords {
        conjunctions: &["y", "e", "o", "u"],
        asking: &[
            "qué", "quién", "quiénes", "cuál", "cuáles", "cuándo", "dónde", "cómo", "cuánto", "cuánta",
            "cuántos", "cuántas",
        ],
        requesting: &["también", "dime", "dame", "busca", "encuentra", "muéstrame", "recuérdame", "explica", "enséñame", "lista"],
        pairing: &["entre", "compara", "comparar", "compare", "tanto"],
        separating: &["con", "como"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

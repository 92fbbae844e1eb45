//! The words by which it is told how a person and an agent answer each other.

use super::Cues;

/// How an agent asks the person to choose.
#[rustfmt::skip]
pub(in crate::digest) const CHOICE: Cues = [
    &[
        "which", "or", "what do you think", "your call", "prefer", "how many", "how long", "how often", "what should",
        "where should", "what do you want",
    ],
    &[
        "welche", "welcher", "welches", "oder", "was meinst du", "wie viele", "wie lange", "wie oft",
        "was ist dir lieber", "was sagst du", "wo soll", "was soll",
    ],
    &[
        "quel", "quelle", "lequel", "laquelle", "ou", "que préfères", "qu'en penses", "combien", "tu préfères", "où",
    ],
    &[
        "cuál", "cuáles", "o", "qué prefieres", "qué opinas", "cuántos", "cuánto", "prefieres", "dónde",
    ],
];

/// How an agent lays out several ways.
#[rustfmt::skip]
pub(in crate::digest) const ALTERNATIVES: Cues = [
    &[
        "options", "two ways", "three ways", "four ways", "several ways", "ways", "alternatives", "either", "compared",
        "candidates", "both work",
    ],
    &[
        "zwei wege", "drei wege", "wege", "möglichkeiten", "optionen", "varianten", "verglichen", "entweder",
        "beides geht", "alternativen", "kandidaten",
    ],
    &[
        "deux façons", "trois façons", "façons", "options", "possibilités", "pistes", "comparé", "soit", "les deux",
    ],
    &[
        "dos formas", "tres formas", "formas", "opciones", "posibilidades", "alternativas", "comparado", "caminos",
    ],
];

/// How a person takes one of several ways, or sets a limit.
#[rustfmt::skip]
pub(in crate::digest) const TAKEN: Cues = [
    &[
        "it is", "then", "at most", "at least", "no more than", "maximum", "minimum", "upwards", "no gaps",
        "as for the", "like the other",
    ],
    &[
        "dann", "also", "höchstens", "mindestens", "maximal", "draus", "es wird", "bleibt es",
    ],
    &[
        "alors", "donc", "au plus", "au moins", "maximum", "minimum", "ce sera",
    ],
    &[
        "entonces", "pues", "como máximo", "como mínimo", "a lo sumo", "será",
    ],
];

/// Words that a task begins with, which settles nothing.
#[rustfmt::skip]
pub(in crate::digest) const TASK: Cues = [
    &[
        "write", "add", "rename", "fix", "run", "push", "show", "explain", "test", "format", "check", "commit", "merge",
        "deploy", "look", "find", "read", "open", "create", "remove", "delete", "update", "refactor", "try", "measure",
        "build", "rerun", "continue", "why", "what", "how", "where", "when", "can", "could", "please", "now", "same",
    ],
    &[
        "schreib", "füge", "füg", "benenne", "benenn", "zeig", "zeige", "erklär", "prüf", "prüfe", "teste", "schau",
        "lies", "lösche", "probier", "probiere", "mess", "miss", "warum", "wieso", "was", "wie", "wo", "kannst",
        "bitte", "jetzt", "push", "weiter", "formatiere", "bau",
    ],
    &[
        "écris", "ajoute", "renomme", "corrige", "lance", "montre", "explique", "vérifie", "essaie", "mesure",
        "pourquoi", "comment", "où", "peux", "maintenant", "regarde", "continue",
    ],
    &[
        "escribe", "añade", "renombra", "arregla", "ejecuta", "muestra", "explica", "comprueba", "prueba", "mide",
        "mira", "puedes", "ahora", "sube", "sigue", "cómo", "qué",
    ],
];

/// How something is put off.
#[rustfmt::skip]
pub(in crate::digest) const POSTPONED: Cues = [
    &[
        "not today", "another day", "some other day", "later", "not now", "next week", "next time", "tomorrow",
        "on monday", "for now we leave", "too tired", "postpone",
    ],
    &[
        "nicht heute", "später", "ein andermal", "nicht jetzt", "nächste woche", "nächstes mal", "morgen", "erstmal",
        "vertagen",
    ],
    &[
        "pas aujourd'hui", "plus tard", "une autre fois", "pas maintenant", "la semaine prochaine", "la prochaine fois",
        "demain",
    ],
    &[
        "hoy no", "más tarde", "otro día", "ahora no", "la próxima semana", "la próxima vez", "mañana", "luego",
    ],
];

/// What is good enough for now, and nothing is left to do about it.
#[rustfmt::skip]
pub(in crate::digest) const ENOUGH: Cues = [
    &["fine for now", "good for now", "good enough for now", "ok for now", "okay for now", "will do for now"],
    &["passt erstmal", "reicht erstmal", "genügt erstmal", "erstmal ok", "erstmal okay", "erstmal gut", "bleibt erstmal"],
    &["suffit pour l'instant", "va pour l'instant"],
    &["basta por ahora", "vale por ahora"],
];

/// How a person asks what is wrong, or how something is.
#[rustfmt::skip]
pub(in crate::digest) const DIAGNOSIS: Cues = [
    &[
        "why", "what happened", "what's wrong", "what is wrong", "find out", "how long", "what's causing", "fails",
        "failed", "failing", "crash", "crashes", "crashed", "broken", "error", "slow", "stutters", "hangs", "stopped",
        "stops", "again", "bug", "dies", "died", "wrong", "loses", "missing",
    ],
    &[
        "warum", "wieso", "weshalb", "was stimmt", "was ist los", "finde heraus", "wie lange", "fehler", "kaputt",
        "stürzt", "langsam", "hängt", "bricht", "falsch", "schon wieder", "fliegt", "fehlt", "schau mal",
    ],
    &[
        "pourquoi", "que se passe", "qu'est-ce qui", "erreur", "plante", "échoue", "lent", "cassé", "encore", "bloque",
        "faux", "manque",
    ],
    &[
        "por qué", "qué pasa", "qué pasó", "error", "falla", "falló", "lento", "roto", "otra vez", "se cuelga", "mal",
        "falta",
    ],
];

/// How an agent says what it would choose.
#[rustfmt::skip]
pub(in crate::digest) const ADVICE: Cues = [
    &[
        "i'd", "i would", "i recommend", "i suggest", "my suggestion", "my recommendation", "i propose", "recommended",
        "the fix would be", "i lean", "would be enough", "i'd go", "i'd lean",
    ],
    &[
        "ich würde", "ich empfehle", "mein vorschlag", "ich schlage", "empfehlung", "ich neige", "abhilfe",
        "reicht das erste", "die lösung wäre",
    ],
    &[
        "je recommande", "je conseille", "je propose", "je suggère", "ma proposition", "je prendrais", "je garderais",
        "je choisirais",
    ],
    &[
        "recomiendo", "sugiero", "propongo", "mi propuesta", "yo usaría", "yo elegiría", "yo dejaría",
    ],
];

/// How somebody agrees.
#[rustfmt::skip]
pub(in crate::digest) const CONSENT: Cues = [
    &[
        "yes", "yep", "yeah", "ok", "okay", "sure", "agreed", "fine", "right", "exactly", "do", "sounds",
    ],
    &[
        "ja", "jo", "genau", "gut", "passt", "einverstanden", "mach", "klingt", "okay",
    ],
    &[
        "oui", "ok", "d", "parfait", "vas", "exactement", "entendu", "bien",
    ],
    &[
        "sí", "si", "vale", "ok", "claro", "bien", "hazlo", "perfecto", "adelante",
    ],
];

/// What an agent proposes to look at or to run: its next step, which settles nothing.
#[rustfmt::skip]
pub(in crate::digest) const PROCESS: Cues = [
    &[
        "check", "confirm", "run", "look", "verify", "test", "measure", "see whether", "watch", "try", "ask", "wait",
    ],
    &[
        "prüfen", "testen", "ansehen", "schauen", "messen", "laufen", "nachsehen", "abwarten", "fragen",
    ],
    &[
        "vérifier", "regarder", "tester", "lancer", "mesurer", "attendre", "demander",
    ],
    &[
        "comprobar", "mirar", "probar", "medir", "ejecutar", "esperar", "preguntar",
    ],
];

/// How people take leave. Its time of day is no task.
#[rustfmt::skip]
pub(in crate::digest) const FAREWELL: Cues = [
    &[
        "see you", "until tomorrow", "talk tomorrow", "talk to you", "good night", "bye", "have a good", "have a nice", "that's all for",
    ],
    &[
        "bis morgen", "bis dann", "bis später", "bis bald", "bis montag", "gute nacht", "schönen abend", "schönes wochenende",
        "feierabend", "tschüss",
    ],
    &[
        "à demain", "à bientôt", "à plus", "bonne nuit", "bonne soirée", "bon week-end",
    ],
    &[
        "hasta mañana", "hasta luego", "nos vemos", "buenas noches", "buen fin de semana",
    ],
];

/// How a person takes back what was just settled or done.
#[rustfmt::skip]
pub(in crate::digest) const RETRACTION: Cues = [
    &[
        "forget it", "forget that", "scrap that", "scrap it", "scratch that", "never mind that", "changed my mind", "on second thought",
    ],
    &[
        "vergiss es", "vergiss das", "doch nicht", "ich hab's mir anders überlegt", "hab es mir anders überlegt",
    ],
    &[
        "oublie ça", "oublie", "finalement non", "j'ai changé d'avis",
    ],
    &[
        "olvida eso", "olvídalo", "al final no", "cambié de idea", "he cambiado de idea",
    ],
];

/// How somebody says what something is not. It rules a finding out that it speaks of; by itself it says nothing.
#[rustfmt::skip]
pub(in crate::digest) const DENIAL: Cues = [
    &[
        "it is not the", "it's not the", "it isn't the",
    ],
    &[
        "es ist nicht der", "es ist nicht die", "es ist nicht das", "es war nicht der", "es war nicht die", "es war nicht das",
        "dann war es nicht", "liegt nicht am", "liegt nicht an", "lag nicht am", "lag nicht an",
    ],
    &[
        "ce n'est pas le", "ce n'est pas la", "ce n'est pas l",
    ],
    &[
        "no es el", "no es la", "no era el", "no era la",
    ],
];

/// How a sentence begins that says that nothing has changed, with a word that a rule may begin with too.
pub(in crate::digest) const STILL: [&str; 7] = [
    "immer noch",
    "immer wieder",
    "nur noch",
    "toujours pas",
    "toujours la même",
    "toujours le même",
    "siempre lo mismo",
];

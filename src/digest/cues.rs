//! The words by which sentences are told apart without a model: what settles something, names a cause, leaves something open.
//!
//! Four languages stand in one table each. A cue is a phrase of whole words in small letters. A sentence of a turn is not asked
//! which language it is in: people mix them, and a cue of one language is rarely a word of another.

mod dialogue;

pub(super) use dialogue::*;

/// The cues of one kind, a list a language: English, German, French, Spanish.
pub(super) type Cues = [&'static [&'static str]; 4];

/// What somebody says who settles something, no matter who speaks.
#[rustfmt::skip]
pub(super) const DECISION: Cues = [
    &[
        "decided", "decision:", "decision is", "the decision", "settled on", "we settle on", "agreed on", "agreed to",
        "agreed that", "agreed:", "opted for", "we chose", "i chose", "chose to", "has been chosen", "we went with",
        "i went with", "from now on", "we go with", "going with", "go with", "sticking with", "stick with",
        "we stay with", "staying with", "we standardise on", "we standardize on", "is final",
    ],
    &[
        "entschieden", "entscheiden wir uns", "wir entscheiden uns", "entscheidung:", "entscheidung ist", "beschlossen", "beschluss", "festgelegt", "geeinigt",
        "einigen uns auf", "ab jetzt", "ab sofort", "künftig", "in zukunft", "ab heute", "wir bleiben bei",
        "bleiben wir bei", "es bleibt dabei", "ausgemacht", "nehmen wir", "bleiben also bei",
    ],
    &[
        "décidé", "décidons", "décision :", "décision:", "la décision", "choisi", "choisissons", "retenu", "opté",
        "convenu", "désormais", "dorénavant", "à partir de maintenant", "à partir d'aujourd'hui", "on part sur",
        "partons sur", "on reste sur", "restons sur", "on garde", "gardons",
    ],
    &[
        "decidido", "decidimos", "decisión:", "la decisión", "acordado", "acordamos", "elegido", "elegimos", "optado",
        "optamos", "a partir de ahora", "de ahora en adelante", "nos quedamos con", "quedamos en", "vamos con",
    ],
];

/// What settles something if a person says it. An agent says the same when it describes the code, or its next step.
#[rustfmt::skip]
pub(super) const PERSONS_DECISION: Cues = [
    &[
        "let's use", "let's keep", "let's go", "let's take", "let's stay", "let's stick", "let's drop", "let's not",
        "let's make it", "we'll use", "we'll keep", "we'll go", "we'll take", "we'll stay", "we will use",
        "we will keep", "we use", "we keep", "we take", "we drop", "we said", "must always", "must never",
        "should always", "should never", "we never", "we always", "leave it at", "leave it as", "then use", "then take",
        "then keep", "never use", "always use", "make it", "like everywhere else", "as everywhere else", "gone for good", "for good",
    ],
    &[
        "wir nehmen", "ich nehme", "dann nehmen", "nimm", "machen wir", "wir machen", "verwenden wir", "wir verwenden",
        "wir benutzen", "wir behalten", "behalten wir", "wir setzen auf", "wir lassen", "lassen wir", "bleib bei",
        "soll immer", "soll nie", "lieber doch", "dann lieber", "dann doch", "wir hatten gesagt", "wir haben gesagt",
        "wir bleiben", "wie überall sonst",
    ],
    &[
        "on prend", "prenons", "on utilise", "utilisons", "on passe à", "passons à", "on conserve", "on fait",
        "faisons", "on met", "mettons", "on laisse", "on choisit", "on abandonne", "on supprime", "on avait dit",
        "on a dit", "on reste", "doit toujours", "ne doit jamais",
    ],
    &[
        "usamos", "usaremos", "usemos", "dejamos", "mantenemos", "seguimos con", "hagamos", "hacemos", "ponemos",
        "pongamos", "quitamos", "dijimos", "habíamos dicho", "quédate con", "nos quedamos", "debe siempre",
        "nunca debe", "siempre debe",
    ],
];

/// Words with which an imperative of a person begins that may settle something, such as "Use 5432 for staging".
#[rustfmt::skip]
pub(super) const IMPERATIVE: Cues = [
    &[
        "use", "keep", "stick", "stay", "take", "drop", "always", "never", "only",
    ],
    &[
        "nimm", "verwende", "behalte", "bleib", "immer", "nie", "nutze", "nur",
    ],
    &[
        "garde", "utilise", "prends", "reste", "toujours", "jamais",
    ],
    &[
        "usa", "mantén", "quédate", "siempre", "nunca", "deja",
    ],
];

/// What makes of such an imperative a rule rather than a task.
#[rustfmt::skip]
pub(super) const BINDING: Cues = [
    &[
        "for", "everywhere", "always", "never", "not", "instead", "rather than", "only", "as", "until", "when",
        "unless", "per",
    ],
    &[
        "für", "überall", "statt", "stattdessen", "nicht", "nur", "als", "bis", "pro", "immer",
    ],
    &[
        "pour", "partout", "au lieu", "pas", "seulement", "comme", "jusqu'à", "par",
    ],
    &[
        "para", "en vez", "en lugar", "no", "sólo", "solo", "como", "hasta", "por",
    ],
];

/// What makes of a sentence a possibility, a wish, an announcement or a report that nothing is settled.
#[rustfmt::skip]
pub(super) const HEDGE: Cues = [
    &[
        "i'd rather", "if you agree", "could", "might", "may", "maybe", "perhaps", "probably", "possibly", "try",
        "let's try", "presumably", "likely", "would", "should we", "shall", "i suspect", "i think", "i guess",
        "i assume", "my guess", "seems", "looks like", "appears", "not sure", "unsure", "option", "options",
        "alternatively", "alternative", "undecided", "not decided", "haven't decided", "hasn't been decided",
        "no decision", "to be decided", "decide later", "before deciding", "need to decide", "have to decide",
        "want me to", "let me know", "your call", "up to you", "can decide", "decide whether", "decide on",
        "the decision whether", "leaning", "consider", "worth considering", "tempted",
    ],
    &[
        "wäre", "wären", "könnte", "könnten", "vielleicht", "wahrscheinlich", "vermutlich", "probier", "probieren",
        "probieren wir", "möglicherweise", "eventuell", "würde", "würden", "ich glaube", "ich denke", "ich vermute",
        "scheint", "sieht aus", "offenbar", "option", "alternative", "noch nicht entschieden", "nicht entschieden",
        "unentschieden", "noch offen", "soll ich", "sollen wir", "entscheiden müssen", "müssen entscheiden",
        "noch entscheiden", "sag bescheid",
    ],
    &[
        "serait", "seraient", "pourrait", "pourrions", "peut-être", "probablement", "essayons", "essaie", "sans doute",
        "vraisemblablement", "il semble", "semble", "je pense", "je crois", "je suppose", "option", "alternative",
        "pas encore décidé", "pas décidé", "à décider", "veux-tu", "voulez-vous", "dis-moi", "faudrait", "on verra",
    ],
    &[
        "sería", "serían", "podría", "podríamos", "quizá", "quizás", "tal vez", "probablemente", "prueba", "probemos",
        "posiblemente", "parece", "creo", "supongo", "sospecho", "opción", "alternativa", "sin decidir", "no decidido",
        "por decidir", "quieres que", "avísame", "habría que",
    ],
];

/// Words with which a sentence begins that holds under a condition alone.
#[rustfmt::skip]
pub(super) const CONDITION: Cues = [
    &[
        "if", "unless", "should", "either",
    ],
    &[
        "wenn", "falls", "sofern", "sollte", "entweder",
    ],
    &[
        "si", "soit",
    ],
    &[
        "si",
    ],
];

/// What names a cause, or what something turned out to be.
#[rustfmt::skip]
pub(super) const FINDING: Cues = [
    &[
        "found:",
        "root cause", "the cause", "caused by", "turned out", "turns out", "the culprit", "culprit", "the problem was",
        "the problem is", "the issue was", "the issue is", "the bug was", "the bug is", "the reason", "fails because",
        "failed because", "because", "due to", "was missing", "is missing", "came from", "comes from", "stems from",
        "the fix", "fixed by", "explains why", "that's why", "which is why", "found it", "it was the", "so that's",
        "never released", "leaked",
    ],
    &[
        "gefunden:",  "gefunden hab",
        "ursache", "der grund", "grund war", "lag daran", "liegt daran", "lag an", "liegt an", "das problem war",
        "das problem ist", "der fehler war", "der fehler ist", "stellte sich heraus", "weil", "wegen", "fehlte",
        "kam von", "kommt von", "deshalb", "behoben", "schuld",
    ],
    &[
        "trouvé",
        "la cause", "cause racine", "causé par", "venait de", "vient de", "provenait", "provient", "le problème était",
        "le problème est", "le problème venait", "parce que", "parce qu'", "à cause", "en raison", "il manquait",
        "manquait", "c'était", "corrigé", "coupable", "s'avère",
    ],
    &[
        "encontrado",  "encontré",
        "la causa", "causado por", "venía de", "viene de", "se debía", "se debe", "el problema era", "el problema es",
        "el error era", "porque", "debido a", "por culpa", "faltaba", "resultó", "el culpable", "corregido",
    ],
];

/// How a sentence speaks of what is left to do.
#[rustfmt::skip]
pub(super) const OPEN: Cues = [
    &[
        "not done:", "not applied", "unapplied", "would be sensible", "would be worth", "isn't deployed",
        "is not deployed", "until you", "still wrong", "nobody looks", "nothing looks", "not reloaded", "not decided",
        "not fixed", "placeholder", "should check", "i leave", "leave it open", "stays open", "remains open",
        "to be done", "will come back", "todo:", "to do:", "still to do", "left to do", "what is left", "what's left",
        "remaining:", "remains to", "not yet", "not done yet", "open:", "open point", "open question", "follow-up",
        "follow up", "next step", "next:", "still needs", "still need", "still has to", "still have to",
        "still missing", "still open", "still to", "have not", "haven't", "has not", "hasn't", "did not run",
        "didn't run", "did not touch", "left untouched", "needs to be", "you'll need to", "you will need to",
        "open questions", "did not add", "didn't add", "did not test", "didn't test", "not tested", "untested", "before the release",
        "before deploying", "pending", "outstanding", "remind me", "later we", "needs someone", "waiting for", "unresolved",
    ],
    &[
        "offen sind", "offen:", "sollte der vorstand", "nicht freigegeben", "noch keine", "bleibt noch",
        "nicht erledigt", "bleibt liegen", "nicht behoben", "muss man noch", "sollte noch", "nicht verschmolzen",
        "noch offen", "bleibt offen", "offen ist", "offen bleibt", "fehlt noch", "fehlen noch", "muss noch",
        "müssen noch", "steht noch aus", "ausstehend", "noch nicht", "noch zu", "nächster schritt", "als nächstes",
        "noch übrig", "übrig bleibt", "todo:", "später noch", "wartet auf",
    ],
    &[
        "reste possible", "ne sont pas", "à convenir", "à recharger", "il manque encore", "reste donc", "reste ouvert",
        "pas corrigé", "devra", "devrait vérifier", "reste à faire", "il reste", "restent", "encore à", "pas encore",
        "à faire", "prochaine étape", "en attente", "il faudra", "faut encore", "todo :", "todo:", "en suspens",
        "ouvert :",
    ],
    &[
        "no está hecho", "queda abierto", "está pendiente", "sigue ahí", "sigue pendiente", "sigue abierto",
        "sin resolver", "queda para el lunes", "queda para la semana", "queda para mañana", "por resolver", "queda por", "quedan por", "queda pendiente",
        "pendiente", "pendientes", "falta", "faltan", "todavía no", "aún no", "por hacer", "próximo paso",
        "habrá que", "hay que", "todo:",
    ],
];

/// What takes back what was said before.
#[rustfmt::skip]
pub(super) const REFUTATION: Cues = [
    &[
        "was not it", "wasn't it", "is not it", "isn't it", "not the cause", "wasn't the", "was not the", "i was wrong",
        "guess was wrong", "suspicion was wrong", "theory was wrong", "assumption was wrong", "diagnosis was wrong", "scrap that", "forget that", "scratch that", "that was a red herring", "red herring", "dead end",
        "not the culprit", "innocent", "changed my mind", "on second thought", "actually no", "turned out not",
        "ruled out", "rules out", "had nothing to do", "has nothing to do", "i take that back",
        "revert that", "undo that", "my earlier guess", "my earlier suspicion", "my earlier theory",
        "my earlier assumption", "my earlier diagnosis", "my first guess",
    ],
    &[
        "war es nicht", "war's nicht", "daran lag es nicht", "lag es nicht", "doch nicht", "falsche fährte",
        "sackgasse", "ich lag falsch", "lag ich falsch", "nicht die ursache", "vergiss das", "nichts damit zu tun",
        "hat damit nichts", "falscher verdacht", "irrtum", "unschuldig", "stimmte nicht",
    ],
    &[
        "ce n'était pas", "n'était pas", "pas la cause", "fausse piste", "je me trompais", "je m'étais trompé",
        "oublie ça", "finalement non", "rien à voir", "pas ça", "écarté", "innocent",
    ],
    &[
        "no era", "no fue", "no es la causa", "pista falsa", "me equivoqué", "estaba equivocado", "olvida eso",
        "nada que ver", "al final no", "descartado", "callejón sin salida",
    ],
];

/// How an agent offers something.
#[rustfmt::skip]
pub(super) const OFFER: Cues = [
    &[
        "want me to", "would you like", "shall i", "should i", "let me know", "happy to", "i can also", "i could also",
        "if you want", "if you like", "feel free", "do you want", "ready when you are", "say the word",
    ],
    &[
        "soll ich", "möchtest du", "willst du", "sag bescheid", "gerne kann ich", "wenn du möchtest", "wenn du willst",
        "kann ich auch",
    ],
    &[
        "veux-tu", "voulez-vous", "souhaites-tu", "dis-moi", "si tu veux", "je peux aussi", "n'hésite",
    ],
    &[
        "quieres que", "te gustaría", "avísame", "si quieres", "puedo también", "dime si",
    ],
];

/// Whether a sentence, in small letters with plain apostrophes, holds one of these cues as whole words.
pub(super) fn holds(sentence: &str, cues: &Cues) -> bool {
    cues.iter().flat_map(|words| words.iter()).any(|cue| holds_phrase(sentence, cue))
}

/// Whether a sentence, in small letters, begins with one of these words.
pub(super) fn begins_with(sentence: &str, cues: &Cues) -> bool {
    let first = sentence.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty()).unwrap_or_default();
    cues.iter().flat_map(|words| words.iter()).any(|cue| *cue == first)
}

/// Whether a text holds one of these phrases, in small letters with plain apostrophes, as whole words.
pub fn holds_any(text: &str, phrases: &[&str]) -> bool {
    let text = plain(text);
    phrases.iter().any(|phrase| holds_phrase(&text, phrase))
}

fn holds_phrase(sentence: &str, cue: &str) -> bool {
    sentence.match_indices(cue).any(|(at, _)| {
        let before = sentence[..at].chars().next_back();
        let after = sentence[at + cue.len()..].chars().next();
        // A cue that ends with a mark ends its word by itself.
        let ends = !cue.ends_with(char::is_alphanumeric) || !after.is_some_and(char::is_alphanumeric);
        !before.is_some_and(char::is_alphanumeric) && ends
    })
}

/// Returns a sentence as cues are compared with it.
pub(super) fn plain(sentence: &str) -> String {
    sentence.to_lowercase().replace(['\u{2019}', '\u{2bc}'], "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_are_whole_words_in_any_of_the_languages() {
        for yes in [
            "We DECIDED on SQLite.",
            "wir nehmen die zweite",
            "D’accord, on garde Postgres",
            "Nos quedamos con la cola",
        ] {
            assert!(holds(&plain(yes), &DECISION) || holds(&plain(yes), &PERSONS_DECISION), "{yes}");
        }
        for no in ["Undecidedly so.", "The tests pass.", "Das Nehmen ist seliger"] {
            assert!(!holds(&plain(no), &DECISION), "{no}");
        }
        assert!(begins_with("use 5432 for staging", &IMPERATIVE) && !begins_with("users are staged", &IMPERATIVE));
    }

    #[test]
    fn every_cue_is_as_sentences_are_compared() {
        for cues in [DECISION, PERSONS_DECISION, IMPERATIVE, BINDING, HEDGE, FINDING, OPEN, REFUTATION, OFFER] {
            for cue in cues.iter().flat_map(|words| words.iter()) {
                assert_eq!(plain(cue), *cue);
                assert!(holds(&format!("so {cue} it"), &cues), "{cue}");
            }
        }
    }
}

//! Words that begin what is to be done, as instructions and notes say it.

/// In English, with forms of the past that no ending tells.
const ENGLISH: &str = "add apply archive ask back backup benchmark build built bump call change check clean clear clone close collect \
    commit compare compile compress configure copy create cut delete deploy describe disable do document download drop dump edit enable \
    encrypt execute export fetch fill find fix flush format generate get give go import increase initialise initialize inspect install \
    invoke keep label launch lint list load lock log look made make mark measure mention merge migrate mount move name note notify open \
    order paste plan pin post prepare print publish pull push put ran read rebase rebuild record refresh regenerate reload remove rename \
    render repeat replace report reset resolve restart restore reverse review revert rotate run save scan search select send sent set \
    show sign sort split squash stage start stash stop submit sync tag take tell test toggle trigger turn unmount unpack update upgrade \
    upload use validate verify wait warm wash water weigh wipe write wrote";
/// In German, as one says it to a person who is known well.
const GERMAN: &str = "aktualisiere baue bau beende benenne benutze commite erhöhe erstelle erzeuge exportiere frag frage führe führ gib \
    halte hole importiere installiere kopiere lade leg lege lies lösche mach mache markiere merge miss nimm notiere öffne ordne pack \
    prüfe prüf pushe räume ruf rufe schalte schau schick schicke schließe schreib schreibe sende setz setze sichere sieh sortiere speichere \
    starte stell stelle stoppe such suche tagge teste tu tue überprüfe verschiebe verwende warte zeig zeige";
/// In French and Spanish.
const ROMANCE: &str = "ajoute arrête attends change charge commence compile copie crée démarre enregistre envoie exécute ferme installe \
    lance lis mets ouvre pousse prends prépare publie regarde relance renomme supprime télécharge teste utilise vérifie añade abre borra \
    busca cambia cierra compila comprueba copia crea ejecuta envía escribe espera guarda haz instala inicia lanza lee mira mueve para pon \
    prepara prueba publica quita revisa sube usa verifica";

/// Whether a word, in small letters, begins what is to be done or was done.
pub(super) fn is_verb(word: &str) -> bool {
    let known =
        |word: &str| [ENGLISH, GERMAN, ROMANCE].iter().any(|list| list.split_whitespace().any(|verb| verb == word));
    // `tagged`, `updated`, `copied`
    let past = || {
        let stem = word.strip_suffix("ed")?;
        let single = || stem.get(..stem.len().checked_sub(1)?);
        let copy = || stem.strip_suffix('i').map(|stem| format!("{stem}y"));
        Some(
            known(stem)
                || known(&format!("{stem}e"))
                || single().is_some_and(known)
                || copy().is_some_and(|stem| known(&stem)),
        )
    };
    known(word) || past().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_known_in_the_form_of_a_note_too() {
        for word in ["run", "ran", "tagged", "updated", "copied", "prüfe", "vérifie", "ejecuta"] {
            assert!(is_verb(word), "{word}");
        }
        for word in ["", "ed", "red", "the", "needed", "éed"] {
            assert!(!is_verb(word), "{word}");
        }
    }
}

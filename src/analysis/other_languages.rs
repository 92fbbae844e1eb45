//! Little words of languages other than English. They show that a question is not in English, and none of them is a slip.

/// German, French, Spanish, Italian, Dutch and Portuguese words that are no common English ones. Sorted, lower-case, without
/// diacritics.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "aan", "aber", "ahora", "ainda", "ait", "algo", "algun", "alguna", "alle", "allem", "allen", "aller", "alles", "allora",
    "altijd", "amanha", "anche", "ancora", "andere", "anderen", "aqui", "asi", "assim", "auch", "aucun", "aucune", "auf",
    "aujourd", "aunque", "aus", "aussi", "autre", "autres", "aux", "avant", "avec", "avez", "avoir", "avons", "ayer",
    "bajo", "beaucoup", "bei", "beim", "bist", "cada", "casi", "cela", "celle", "celui", "ces", "cet", "cette", "ceux",
    "chaque", "che", "chez", "comme", "como", "cual", "cuales", "cuando", "cuanto", "cuantos", "dalla", "damit", "danke",
    "dann", "dans", "darf", "dass", "degli", "dei", "dein", "deine", "deinem", "deinen", "dela", "dele", "della", "delle",
    "dello", "dem", "demain", "denn", "depois", "depuis", "der", "deren", "des", "desde", "despues", "dessen", "deux",
    "deze", "dich", "diese", "diesem", "diesen", "dieser", "dieses", "dir", "doch", "domani", "donc", "donde", "dont",
    "dort", "durch", "een", "ein", "eine", "einem", "einen", "einer", "eines", "ela", "elas", "ele", "eles", "ella",
    "ellas", "elles", "ellos", "entao", "entonces", "eran", "esos", "essere", "est", "esta", "estaba", "estado", "estamos",
    "estan", "estao", "estas", "esto", "estos", "etaient", "etait", "etre", "etwas", "euch", "euer", "eure", "faire",
    "foram", "fue", "fueron", "geen", "gegen", "gestern", "gibt", "gisteren", "haben", "habia", "hace", "hacer", "hasta",
    "hatte", "hatten", "hebben", "heeft", "het", "heute", "hij", "hinter", "hoje", "hoy", "ich", "ieri", "ihm", "ihn",
    "ihnen", "ihr", "ihre", "ihrem", "ihren", "ils", "immer", "isso", "ist", "isto", "jede", "jedem", "jeden", "jeder",
    "jedes", "jetzt", "jij", "jouw", "jusque", "kann", "kein", "keine", "keinem", "keinen", "keiner", "konnen", "konnte",
    "kunnen", "les", "leur", "leurs", "lorsque", "maar", "manana", "meer", "mehr", "mein", "meine", "meinem", "meinen",
    "meiner", "mesmo", "meu", "mich", "mientras", "mijn", "minha", "mir", "mit", "moet", "moi", "moins", "molto", "morgen",
    "mucho", "muchos", "muito", "muitos", "muss", "musste", "muy", "naar", "nach", "nao", "nella", "nicht", "nichts",
    "niet", "noch", "nog", "noi", "nosotros", "nossa", "nosso", "notre", "nous", "nuestra", "nuestro", "numa", "nunca",
    "nur", "oder", "oggi", "ogni", "ohne", "onde", "onder", "ont", "ontem", "ook", "otra", "otro", "parce", "pas", "pelo",
    "pendant", "perche", "pero", "peut", "poi", "pois", "por", "porque", "pourquoi", "puede", "pueden", "pues", "puis",
    "qual", "quale", "quand", "quando", "quanto", "que", "quel", "quella", "quelle", "quelles", "quello", "quelque",
    "quelques", "quels", "quem", "questa", "queste", "questi", "questo", "qui", "quien", "quienes", "quoi", "rien", "schon",
    "segun", "sehr", "sein", "seine", "seinem", "seinen", "seiner", "seit", "sempre", "senza", "seus", "siamo", "sich",
    "sie", "siempre", "sind", "sobre", "soll", "sollte", "sondern", "sono", "sont", "sous", "souvent", "sua", "suas",
    "suis", "tambem", "tambien", "tegen", "tener", "tengo", "tiene", "tienen", "todas", "todavia", "toen", "toi", "tous",
    "toutes", "tres", "tudo", "tutti", "tutto", "uber", "uit", "uma", "umas", "una", "unas", "und", "une", "unos", "uns",
    "unser", "unsere", "unter", "usted", "vandaag", "veel", "viel", "voce", "vom", "von", "voor", "vor", "vos", "votre",
    "vous", "waar", "waarom", "wann", "wanneer", "warum", "wat", "weil", "welche", "welchem", "welchen", "welcher",
    "welches", "welke", "wenig", "wenn", "wer", "werd", "werde", "werden", "wessen", "wieder", "wij", "wir", "wird",
    "wohin", "worden", "wordt", "wurde", "wurden", "zich", "zij", "zijn", "zonder", "zum", "zur", "zwischen",
];

/// Whether `word` (lower-case, without diacritics) is a little word of another language.
pub fn is_little_word_elsewhere(word: &str) -> bool {
    WORDS.binary_search(&word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::is_stop_word;

    #[test]
    fn the_list_is_sorted_and_holds_no_english() {
        assert!(WORDS.is_sorted());
        for word in ["wann", "warum", "pourquoi", "donde"] {
            assert!(is_little_word_elsewhere(word), "{word}");
        }
        for word in ["die", "war", "also", "fast", "pour", "sin", "come"] {
            assert!(!is_little_word_elsewhere(word), "{word}");
        }
        assert!(WORDS.iter().all(|word| !is_stop_word(word)));
    }
}

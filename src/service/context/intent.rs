//! The intent of a prompt: to recall something, to learn something, or to have something done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tars_text::analysis::{is_foreign_stop_word, is_stop_word, normalize_word};
use tars_text::classifier;

/// The intent of a prompt. It decides how readily notes come unprompted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To recall what was said, done or settled before.
    Recall,
    /// To get an answer, which notes may hold.
    Question,
    /// To have something done; notes come if they constrain it.
    Task,
    /// To look at the code, which no note knows better.
    Code,
}

/// The least probability with which a prompt is about the code alone, so that no notes are searched for it.
const SURELY_CODE: f32 = 0.9;

/// The least probability with which a prompt asks for something that notes may know. A task gets notes less readily.
const SURELY_ASKS: f32 = 0.6;

/// The least probability of a question with which a prompt is one; a smaller one belongs to work on the code.
const PERHAPS_ASKS: f32 = 0.1;

/// Returns the intent of a prompt.
pub fn intent(prompt: &str) -> Intent {
    let guess = classifier::intent(prompt);
    match guess.best() {
        (classifier::Intent::Code, probability) if probability >= SURELY_CODE => Intent::Code,
        (classifier::Intent::Task, _) => Intent::Task,
        _ if guess.any_of(&[classifier::Intent::Task]) > 1.0 - SURELY_ASKS => Intent::Task,
        _ if guess.any_of(&[classifier::Intent::Recall, classifier::Intent::Question]) < PERHAPS_ASKS => Intent::Task,
        (classifier::Intent::Recall, probability) if probability >= SURELY_ASKS => Intent::Recall,
        _ => Intent::Question,
    }
}

/// Whether a question is in a language other than English, by its stop words.
pub(super) fn is_foreign(text: &str) -> bool {
    let count = |is: &dyn Fn(&str) -> bool| parted(text).filter(|word| is(&plain_word(word))).count();
    let is_elsewhere = |word: &str| is_foreign_stop_word(word) || ARTICLES.contains(&word) || ELIDED.contains(&word);
    count(&is_elsewhere) > count(&|word| is_stop_word(word) && !ELIDED.contains(&word))
}

/// Removes foreign stop words from a question in a language other than English: a search would find notes in which such a word is rare.
pub(super) fn without_little_words(text: &str) -> String {
    if !is_foreign(text) {
        return text.to_owned();
    }
    let is_stop_word = |word: &str| is_foreign_stop_word(word) || LITTLE.contains(&word) || ELIDED.contains(&word);
    parted(text).filter(|word| !is_stop_word(&plain_word(word))).collect::<Vec<_>>().join(" ")
}

/// Returns the words of a question, with French elisions split: "l'adresse" is two words.
fn parted(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace()
        .flat_map(|word| match word.split_once(['\'', '\u{2019}']) {
            Some((before, behind)) if ELIDED.contains(&before.to_lowercase().as_str()) => [Some(before), Some(behind)],
            _ => [Some(word), None],
        })
        .flatten()
}

fn plain_word(word: &str) -> String {
    normalize_word(word.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Articles and pronouns of other languages that occur in English only in names.
const ARTICLES: &[&str] =
    &["de", "la", "le", "il", "et", "du", "au", "je", "tu", "el", "los", "las", "der", "das", "und"];

/// French words that are elided before an apostrophe.
const ELIDED: &[&str] = &["l", "d", "j", "qu", "n", "c", "s", "m", "t", "jusqu", "lorsqu", "puisqu"];

/// Stop words of other languages that are also English words or prefixes of English words. Without diacritics.
#[rustfmt::skip]
const LITTLE: &[&str] = &[
    // German
    "die", "der", "das", "den", "war", "was", "wie", "wo", "ob", "als", "bis", "um", "aus", "mal", "nochmal", "ja", "nein", "halt", "eben",
    "gerade", "sei", "so", "es", "er", "man", "hat", "habe", "hast", "bin", "du", "da", "wir", "in", "an", "am", "im", "zu", "fur", "auf",
    "kurz", "anderes", "eigentlich", "bitte", "denn", "also", "dann", "und", "steht", "machen", "genau", "welche", "wieso", "waren",
    // French
    "de", "la", "le", "et", "du", "au", "a", "il", "elle", "je", "tu", "on", "se", "ce", "ne", "y", "sur", "par", "pour", "plus", "en", "un",
    "deja", "comment", "ou", "est", "fait",
    // Spanish
    "el", "los", "las", "no", "lo", "su", "es", "al", "con", "sin", "o", "si", "me", "ya", "era", "como", "para", "mas", "hay", "son", "nos",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_stop_words_are_removed() {
        assert_eq!(without_little_words("wann war der Termin beim Augenarzt"), "Termin Augenarzt");
        assert_eq!(without_little_words("Il me faut l'adresse d\u{2019}Odile"), "faut adresse Odile");
        let english = "what does the German word der mean";
        assert_eq!(without_little_words(english), english);
    }

    #[test]
    fn most_prompts_of_every_language_are_classified_as_a_person_means_them() {
        use Intent::{Code, Question, Recall, Task};
        let known = [
            ("which port was it again?", Recall),
            ("Woran lag es beim letzten Mal", Recall),
            ("when is our appointment with the dentist?", Recall),
            ("what is the difference between a left join and a lateral join?", Question),
            ("Add a retry to the uploader", Task),
            ("sortiere die Imports", Task),
            ("is debounce used anywhere? just grep", Code),
            ("Schau dir hier den Parser an", Task),
            ("Quale porta avevamo scelto per lo staging?", Recall),
            ("quando è il nostro appuntamento dal dentista?", Recall),
            ("mi spieghi la differenza tra un left join e un lateral join?", Question),
            ("come si scrive un lateral join", Question),
            ("come back to the parser", Task),
            ("Aggiungi un tentativo al caricamento", Task),
            ("cerca nel codice dove si usa debounce", Code),
            ("o que decidimos ontem sobre o cache", Recall),
            ("quando é a nossa consulta no dentista?", Recall),
            ("qual é a diferença entre um left join e um lateral join?", Question),
            ("Adiciona uma nova tentativa ao envio", Task),
            ("procura no código onde se usa debounce", Code),
            ("welke poort was het ook alweer?", Recall),
            ("wanneer is onze afspraak bij de tandarts?", Recall),
            ("wat is het verschil tussen een left join en een lateral join?", Question),
            ("Voeg een nieuwe poging toe aan de uploader", Task),
            ("zoek in de code waar debounce wordt gebruikt", Code),
            ("Jaki port ustaliliśmy dla stagingu?", Recall),
            ("kiedy jest nasza wizyta u dentysty?", Recall),
            ("powiedz mi, czym się różni left join od lateral join?", Question),
            ("Dodaj ponowną próbę do wysyłania", Task),
            ("poszukaj w kodzie, gdzie jest debounce", Code),
            ("какой порт мы решили взять для стенда", Recall),
            ("когда наш приём у стоматолога?", Recall),
            ("чем left join отличается от lateral join?", Question),
            ("Добавь повторную попытку в загрузчик", Task),
            ("найди в коде, где используется debounce", Code),
            ("geçen hafta hangi portu seçtik", Recall),
            ("diş hekimi randevumuz ne zaman?", Recall),
            ("left join mi daha hızlı, lateral join mi?", Question),
            ("Yükleyiciye yeniden deneme ekle", Task),
            ("debounce bu kodda nerede kullanılıyor", Code),
            ("ステージングのポートは何番だったっけ", Recall),
            ("歯医者の予約はいつですか", Recall),
            ("left join と lateral join の違いは何ですか", Question),
            ("アップローダーにリトライを追加して", Task),
            ("このコードで debounce を探して", Code),
            ("测试环境的端口是多少来着", Recall),
            ("我们什么时候去看牙医？", Recall),
            ("left join 和 lateral join 有什么区别？", Question),
            ("给上传器加一个重试", Task),
            ("在代码里找 debounce", Code),
            ("스테이징 포트가 뭐였더라", Recall),
            ("우리 치과 예약이 언제인가요?", Recall),
            ("left join과 lateral join의 차이는 무엇인가요？", Question),
            ("업로더에 재시도를 추가해 줘", Task),
            ("피해 장소를 담당자는 언제나 묻는다", Task),
            ("이 파일에서 debounce를 찾아 줘", Code),
            ("เมื่อวานเราตกลงใช้พอร์ตอะไร", Recall),
            ("นัดหมอฟันของเราเมื่อไหร่", Recall),
            ("left join กับ lateral join ต่างกันอย่างไร", Question),
            ("เพิ่มการลองใหม่ให้ตัวอัปโหลด", Task),
            ("หา debounce ในโค้ด", Code),
            ("ما الفرق بين left join و lateral join؟", Question),
        ];
        // The kind of a question is a matter of degree; whether a prompt asks is not.
        let is_right = |prompt: &str, expected: Intent| (intent(prompt) == Task) == (expected == Task);
        let wrong: Vec<&str> =
            known.iter().filter(|(prompt, expected)| !is_right(prompt, *expected)).map(|(prompt, _)| *prompt).collect();
        assert!(wrong.len() * 4 <= known.len(), "{} of {}: {wrong:#?}", wrong.len(), known.len());
    }
}

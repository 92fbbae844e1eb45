//! Questions about the past: recognizes them by their words and finds the superseded lines that answer them.

use std::collections::HashSet;
use std::sync::LazyLock;

use tars_agent::digest::PhraseMatcher;
use tars_memory::Superseded;
use tars_text::analysis::{
    Term, detect_language, is_foreign_stop_word, is_stop_word, is_unspaced, normalize_word, term_presence,
    terms_in_any_language,
};
use tars_text::languages::{self, Language, phrase_languages};

/// The share of a question's words that a fact must hold to answer a question about the past.
const ANSWER_SHARE: f64 = 0.5;
/// The same, as a share of what the best fact holds.
const SHARE_OF_BEST: f64 = 0.75;

/// Whether a text asks about a former state, by words of the languages that it may be in.
pub(super) fn asks_about_past(text: &str) -> bool {
    let said = PhraseMatcher::new(text);
    let asks = said.has_question_mark()
        || said.begins(|language| language.questions.question_words)
        || said.begins(|language| language.questions.past_forms)
        || said.holds(|language| language.questions.markers);
    asks && (said.holds(|language| language.questions.past_phrases)
        || said.ends(|language| language.questions.past_phrases_at_end)
        || (said.holds(|language| language.questions.past_phrases_with_past_form)
            && said.holds(|language| language.questions.past_forms)))
}

/// Returns the facts that answer a question about the past, with the share of its words that they hold, best first; among equals
/// the newest comes first.
pub(super) fn matching_facts<'a>(facts: &'a [Superseded], question: &str) -> Vec<(&'a Superseded, f64)> {
    let sought = sought(question);
    let endings: Vec<&str> =
        phrase_languages(question).flat_map(|language| language.questions.past_endings).copied().collect();
    let share = |fact: &Superseded| {
        let (own, next) = (words(&fact.bullet.text), words(&fact.successor));
        let holds = |held: &[String], word: &String| held.iter().any(|other| are_alike(word, other, &endings));
        let count = sought.iter().filter(|word| holds(&own, word) || holds(&next, word)).count();
        count as f64 / sought.len().max(1) as f64
    };
    let mut found: Vec<(&Superseded, f64)> = facts.iter().rev().map(|fact| (fact, share(fact))).collect();
    let best = found.iter().map(|(_, share)| *share).fold(0.0, f64::max);
    found.retain(|(_, share)| *share >= ANSWER_SHARE.max(best * SHARE_OF_BEST));
    found.sort_by(|one, other| other.1.total_cmp(&one.1));
    found
}

/// Returns the words of a question to match with facts, without stop words and without cues of questions and of the past.
fn sought(question: &str) -> Vec<String> {
    let (detected, said) = (detect_language(question), PhraseMatcher::new(question));
    // Without spaces between words, the cues can only be removed as substrings.
    let unspaced = |language: &&&'static Language| !language.function_sequences.is_empty();
    let cues = said.languages().iter().filter(unspaced).flat_map(|language| cues(language));
    let question = cues.fold(question.to_owned(), |rest, cue| rest.replace(cue, " "));
    let is_stop_word = |word: &str| detected.is_some_and(|detected| detected.is_stop_word(word));
    words(&question).into_iter().filter(|word| says_something(word) && !is_stop_word(word)).collect()
}

/// Returns the words of a text without diacritics; for a script without spaces, pairs of characters.
fn words(text: &str) -> Vec<String> {
    match text.contains(is_unspaced) {
        true => terms_in_any_language(text).iter().map(|term| normalize_word(term.text())).collect(),
        false => {
            text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(normalize_word).collect()
        }
    }
}

fn says_something(word: &str) -> bool {
    word.chars().count() > 1
        && !CUES.contains(word)
        && !is_stop_word(word)
        && !is_foreign_stop_word(word)
        && !USED_TO_WORDS.contains(&word)
}

/// Returns the phrases of a language that mark questions and the past.
fn cues(language: &'static Language) -> impl Iterator<Item = &'static str> {
    let questions = &language.questions;
    let lists = [
        questions.past_phrases,
        questions.past_phrases_at_end,
        questions.past_phrases_with_past_form,
        questions.question_words,
        questions.markers,
    ];
    lists.into_iter().flatten().copied()
}

/// The cues of all languages, without diacritics.
static CUES: LazyLock<HashSet<String>> =
    LazyLock::new(|| languages::ALL.into_iter().flat_map(cues).map(normalize_word).collect());

/// Whether a word of a question and a word of a fact are inflected forms of one word: they begin alike, apart from the `ge` of a
/// participle and from the `endings` of past-tense verbs.
fn are_alike(one: &str, other: &str, endings: &[&str]) -> bool {
    fn stem(word: &str) -> &str {
        word.strip_prefix("ge")
            .filter(|rest| rest.chars().count() > 4 && (word.ends_with('t') || word.ends_with("en")))
            .unwrap_or(word)
    }
    let begin = |one: &str, other: &str| {
        let shared = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
        let longer = one.chars().count().max(other.chars().count());
        one == other || (shared >= 4 && shared * 10 >= longer * 7)
    };
    let is_present = |stump: &str| {
        let rest = other.strip_prefix(stump).map(|rest| rest.chars().count());
        stump.chars().count() >= MINIMUM_STEM && rest.is_some_and(|rest| rest <= LONGEST_ENDING)
    };
    begin(one, other)
        || begin(stem(one), other)
        || begin(one, stem(other))
        || endings.iter().filter_map(|ending| one.strip_suffix(ending)).any(is_present)
        || term_presence(one, &[Term::Word(other.to_owned())])[0] > 0.0
}

/// Minimum length of a verb's stem without the ending of its past, in letters.
const MINIMUM_STEM: usize = 3;
/// Maximum length of the ending of its present form, in letters.
const LONGEST_ENDING: usize = 3;

/// Words of "used to" that the stop word lists of the analysis lack.
const USED_TO_WORDS: &[&str] = &["use", "used"];

#[cfg(test)]
mod tests {
    use super::*;
    use tars_memory::Bullet;

    #[test]
    fn questions_about_the_past_are_recognized() {
        for text in [
            "where did I work before",
            "Where did I work before the museum?",
            "what was the port previously?",
            "which port did we use to have before?",
            "wo habe ich früher gearbeitet",
            "où est-ce que je travaillais avant",
            "¿dónde trabajaba antes?",
        ] {
            assert!(asks_about_past(text), "{text}");
        }
        for text in [
            "where do I work",
            "run the tests before every commit",
            "should I run the tests before a commit?",
            "the former office",
            "a former colleague called",
            "wo arbeite ich",
            "où est-ce que je travaille",
            "¿dónde trabajo?",
        ] {
            assert!(!asks_about_past(text), "{text}");
        }
    }

    #[test]
    fn questions_about_the_past_are_recognized_in_ten_more_languages() {
        let languages = [
            (
                "it",
                ["dove lavoravo prima del museo?", "dove lavoravo prima", "quale porta usavamo in precedenza?"],
                ["dove lavoro", "devo eseguire i test prima del commit?", "esegui i test prima di ogni commit"],
            ),
            (
                "pt",
                ["onde eu trabalhava antes?", "onde eu morava antes do porto", "qual era a porta anteriormente?"],
                ["onde eu trabalho", "devo correr os testes antes do commit?", "corre os testes antes de cada commit"],
            ),
            (
                "nl",
                ["waar werkte ik vroeger", "waar woonde ik eerder?", "welke poort gebruikten we voorheen?"],
                ["waar werk ik", "moet ik de tests eerder draaien dan de build?", "draai vroeger de tests"],
            ),
            (
                "pl",
                ["gdzie wcześniej pracowałem", "gdzie mieszkałam przedtem?", "jaki port był poprzednio?"],
                ["gdzie pracuję", "czy uruchomić testy wcześniej niż build?", "uruchom testy wcześniej"],
            ),
            (
                "ru",
                ["где я раньше работал", "где я жил до этого?", "какой порт был раньше?"],
                ["где я работаю", "запускать ли тесты раньше сборки?", "запускай тесты раньше"],
            ),
            (
                "tr",
                ["eskiden nerede çalışıyordum", "daha önce nerede oturuyordum?", "port önceden neydi？"],
                ["nerede çalışıyorum", "testleri daha önce mi çalıştırmalıyım?", "testleri önceden çalıştır"],
            ),
            (
                "ja",
                ["以前はどこで働いていましたか", "かつてのポートは何番でしたか？", "昔はどこに住んでいた？"],
                ["どこで働いていますか", "コミットの前にテストを実行しますか？", "以前の設定に戻して"],
            ),
            (
                "zh",
                ["我以前在哪里工作", "服务器的端口以前是多少？", "我们之前用什么数据库？"],
                ["我在哪里工作", "提交之前要运行测试吗？", "恢复以前的设置"],
            ),
            (
                "ko",
                ["예전에 어디서 일했나요", "이전에는 포트가 몇 번이었나요？", "전에는 어디에 살았지?"],
                ["어디서 일하나요", "커밋하기 전에 테스트를 돌릴까요?", "예전 설정으로 되돌려 줘"],
            ),
            (
                "th",
                ["เมื่อก่อนฉันทำงานที่ไหน", "ก่อนหน้านี้พอร์ตอะไร", "เคยอยู่ที่ไหน?"],
                ["ฉันทำงานที่ไหน", "ต้องรันเทสต์ก่อนคอมมิตไหม", "รันเทสต์ก่อนคอมมิต"],
            ),
        ];
        for (code, about_past, others) in languages {
            for text in about_past {
                assert!(asks_about_past(text), "{code}: {text}");
            }
            for text in others {
                assert!(!asks_about_past(text), "{code}: {text}");
            }
        }
    }

    #[test]
    fn inflected_forms_of_a_word_match() {
        for (one, other) in [
            ("work", "works"),
            ("gearbeitet", "arbeitet"),
            ("travaillais", "travaille"),
            ("trabajaba", "trabaja"),
            ("wohnte", "wohnt"),
        ] {
            assert!(are_alike(one, other, &[]) && are_alike(other, one, &[]), "{one} {other}");
        }
        for (one, other) in [("port", "portrait"), ("museum", "music"), ("gestern", "stern"), ("8080", "8081")] {
            assert!(!are_alike(one, other, &[]), "{one} {other}");
        }
    }

    #[test]
    fn a_fact_answers_if_it_holds_half_of_the_questions_words() {
        let fact = |text: &str, by: &str| Superseded {
            bullet: Bullet { text: text.into(), lines: 0..1, ..Bullet::default() },
            since: None,
            until: jiff::civil::date(2026, 3, 14),
            successor: by.into(),
            place: "tars/Memory".into(),
        };
        let facts = [
            fact("Anna works at the harbour office", "Anna works at the museum"),
            fact("Backups run at 03:00", "Backups run at 04:30"),
            fact("Anna arbeitet im Hafen", "Anna arbeitet im Museum"),
            fact("Anna travaille au port", "Anna travaille au musée"),
            fact("Anna trabaja en el puerto", "Anna trabaja en el museo"),
            fact("Giulia abita a Torino", "Giulia abita a Genova"),
            fact("Rui mora em Braga", "Rui mora em Faro"),
            fact("Sanne woont in Utrecht", "Sanne woont in Leiden"),
            fact("Marek pracuje w porcie", "Marek pracuje w muzeum"),
            fact("Анна работает в порту", "Анна работает в музее"),
            fact("Ayşe limanda çalışıyor", "Ayşe müzede çalışıyor"),
            fact("港の事務所で働いている", "博物館で働いている"),
            fact("安娜在港口工作", "安娜在博物馆工作"),
            fact("회의는 항구에서 한다", "회의는 박물관에서 한다"),
        ];
        let found = |question: &str| -> Vec<&str> {
            matching_facts(&facts, question).into_iter().map(|(fact, _)| fact.bullet.text.as_str()).collect()
        };
        assert_eq!(found("where did I work before"), ["Anna works at the harbour office"]);
        assert_eq!(found("where did Anna work before the museum?"), ["Anna works at the harbour office"]);
        assert_eq!(found("wo habe ich früher gearbeitet"), ["Anna arbeitet im Hafen"]);
        assert_eq!(found("où est-ce que je travaillais avant"), ["Anna travaille au port"]);
        assert_eq!(found("¿dónde trabajaba antes?"), ["Anna trabaja en el puerto"]);
        assert_eq!(found("dove abitavo prima?"), ["Giulia abita a Torino"]);
        assert_eq!(found("onde eu morava antes?"), ["Rui mora em Braga"]);
        assert_eq!(found("waar woonde ik vroeger?"), ["Sanne woont in Utrecht"]);
        assert_eq!(found("gdzie wcześniej pracowałem?"), ["Marek pracuje w porcie"]);
        assert_eq!(found("где я раньше работал?"), ["Анна работает в порту"]);
        assert_eq!(found("eskiden nerede çalışıyordum?"), ["Ayşe limanda çalışıyor"]);
        assert_eq!(found("以前はどこで働いていましたか"), ["港の事務所で働いている"]);
        assert_eq!(found("安娜以前在哪里工作？"), ["安娜在港口工作"]);
        assert_eq!(found("예전에는 회의를 어디서 했나요"), ["회의는 항구에서 한다"]);
        assert_eq!(found("what did we eat before"), [""; 0]);
    }
}

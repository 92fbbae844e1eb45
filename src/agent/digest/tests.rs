//! Tests the classification of sentences in each language.

use super::outcome::kind_of;
use super::standing::standing_statements;
use tars_base::domain::OutcomeKind;

/// Sentences of one language.
struct Said {
    code: &'static str,
    /// A person's decisions.
    decided: &'static [&'static str],
    /// An agent's findings.
    found: &'static [&'static str],
    /// An agent's open tasks.
    open: &'static [&'static str],
    /// A person's statements that hold beyond the session.
    standing: &'static [&'static str],
    /// Sentences that settle nothing and find nothing, from either speaker.
    nothing: &'static [&'static str],
    /// A person's statements that hold only for now.
    passing: &'static [&'static str],
}

#[rustfmt::skip]
const ALL: [Said; 14] = [
    Said {
        code: "en",
        decided: &["We decided on SQLite.", "ok, let's keep Postgres then"],
        found: &["The root cause was a stale lock."],
        open: &["Staging still needs a restart."],
        standing: &["Always run the linter before a commit.", "We use Postgres for everything that is shared."],
        nothing: &["Should we go with Redis?", "Maybe we should use Redis.", "Add a test for the parser."],
        passing: &["For now, always skip the slow tests.", "Why does it always fail?"],
    },
    Said {
        code: "de",
        decided: &["Wir haben uns für SQLite entschieden.", "wir nehmen die zweite Variante"],
        found: &["Es lag daran, dass die Zone fehlte."],
        open: &["Die Migration steht noch aus."],
        standing: &["Ab jetzt immer erst die Tests laufen lassen.", "Ich arbeite als Busfahrerin."],
        nothing: &["Sollen wir Redis nehmen?", "Vielleicht wäre Redis besser.", "Schreib einen Test für den Parser."],
        passing: &["Heute immer die langsamen Tests auslassen.", "immer noch derselbe Fehler"],
    },
    Said {
        code: "fr",
        decided: &["Nous avons décidé de garder SQLite.", "d'accord, on garde Postgres"],
        found: &["Le problème venait du cache."],
        open: &["Il reste à migrer la base."],
        standing: &["Désormais, écris les commits en anglais.", "J'habite à Lyon."],
        nothing: &["Faut-il prendre Redis ?", "Redis serait peut-être mieux.", "Ajoute un test pour l'analyseur."],
        passing: &["Cette fois, toujours sans les tests lents.", "Toujours pas."],
    },
    Said {
        code: "es",
        decided: &["Hemos decidido usar SQLite.", "Vale, nos quedamos con la cola de Redis."],
        found: &["El problema era la caché."],
        open: &["Queda pendiente el despliegue."],
        standing: &["Siempre usa espacios en este proyecto.", "Trabajo en el puerto."],
        nothing: &["¿Usamos Redis?", "Quizás sería mejor Redis.", "Añade una prueba para el analizador."],
        passing: &["Esta vez siempre sin las pruebas lentas.", "siempre lo mismo con esto"],
    },
    Said {
        code: "it",
        decided: &["Abbiamo deciso di usare SQLite.", "va bene, teniamo Postgres", "Usa sempre la porta 5432 per i test."],
        found: &["La causa era un file di blocco rimasto.", "Il problema era la cache."],
        open: &["Resta da migrare il database.", "Il deploy non è ancora fatto, manca ancora la chiave."],
        standing: &["D'ora in poi scrivi i commit in inglese.", "Preferisco risposte brevi.", "Lavoro per il comune di Trento."],
        nothing: &["Usiamo Redis?", "Forse sarebbe meglio Redis.", "Aggiungi un test per il parser.", "Se vuoi posso anche pulire la cache."],
        passing: &["Per ora salta sempre i test lenti.", "sempre lo stesso errore qui", "Perché fallisce sempre?"],
    },
    Said {
        code: "pt",
        decided: &["Decidimos usar SQLite.", "certo, ficamos com o Postgres", "Usa sempre a porta 5432 para os testes."],
        found: &["A causa era um ficheiro de bloqueio antigo.", "O problema era a cache."],
        open: &["A migração está pendente.", "Ainda não fiz o deploy."],
        standing: &["A partir de agora escreve os commits em inglês.", "Prefiro respostas curtas.", "Moro em Coimbra."],
        nothing: &["Vamos usar Redis?", "Talvez fosse melhor usar Redis.", "Adiciona um teste para o analisador.", "Se quiser, posso também limpar a cache."],
        passing: &["Por enquanto, sempre sem os testes lentos.", "sempre o mesmo erro aqui"],
    },
    Said {
        code: "nl",
        decided: &["We hebben besloten SQLite te gebruiken.", "goed, we nemen de tweede variant"],
        found: &["De oorzaak was een oud lockbestand.", "Het lag aan de cache, want die was vol."],
        open: &["De migratie moet nog gebeuren.", "De server is nog niet herstart."],
        standing: &["Vanaf nu altijd eerst de tests draaien.", "Ik heb liever korte antwoorden.", "Ik woon in Utrecht."],
        nothing: &["Zullen we Redis nemen?", "Misschien zou Redis beter zijn.", "Schrijf een test voor de parser.", "Als je wilt, kan ik ook de cache legen."],
        passing: &["Voorlopig altijd de trage tests overslaan.", "altijd hetzelfde met die server"],
    },
    Said {
        code: "pl",
        decided: &["Zdecydowaliśmy się na SQLite.", "dobrze, zostajemy przy Postgresie"],
        found: &["Przyczyną był stary plik blokady.", "Okazało się, że cache był pełny."],
        open: &["Serwer nie został zrestartowany, trzeba jeszcze to zrobić.", "Migracja jest do zrobienia."],
        standing: &["Od teraz zawsze najpierw uruchamiaj testy.", "Wolę krótkie odpowiedzi.", "Mieszkam w Gdańsku od lat."],
        nothing: &["Czy bierzemy Redisa?", "Może lepszy byłby Redis.", "Dodaj test dla parsera.", "Jeśli chcesz, mogę też wyczyścić cache."],
        passing: &["Na razie zawsze pomijaj wolne testy.", "zawsze to samo z tym serwerem"],
    },
    Said {
        code: "ru",
        decided: &["Мы решили использовать SQLite.", "хорошо, берём второй вариант для тестов"],
        found: &["Причина была в старом файле блокировки.", "Оказалось, что кэш был переполнен."],
        open: &["Миграцию ещё не сделали.", "Осталось перезапустить сервер."],
        standing: &["Отныне пиши коммиты на английском.", "Я предпочитаю короткие ответы.", "Я живу в Твери."],
        nothing: &["Берём Redis?", "Возможно, Redis был бы лучше.", "Добавь тест для парсера.", "Если хочешь, могу также очистить кэш."],
        passing: &["Пока что всегда пропускай медленные тесты.", "всегда одно и то же с этим сервером"],
    },
    Said {
        code: "tr",
        decided: &["SQLite kullanmaya karar verdik.", "tamam, Postgres kalsın"],
        found: &["Sorunun sebebi eski bir kilit dosyasıydı.", "Önbellek dolu olduğu için değil, ayar yüzünden düştü."],
        open: &["Veri tabanı göçü henüz yapılmadı.", "Sunucunun yeniden başlatılması kaldı."],
        standing: &["Bundan sonra commit mesajlarını İngilizce yaz.", "Her zaman önce testleri çalıştır.", "Kısa yanıtları tercih ederim."],
        nothing: &["Redis kullanalım mı?", "Belki Redis daha iyi olabilir.", "Ayrıştırıcı için bir test ekle.", "İstersen önbelleği de temizlerim."],
        passing: &["Şimdilik her zaman yavaş testleri atla.", "hep aynı hata burada"],
    },
    Said {
        code: "ja",
        decided: &["SQLiteを使うことにしました。", "では二番目の案でいきましょう。"],
        found: &["古いロックファイルが原因でした。", "キャッシュが満杯だったと判明しました。"],
        open: &["データベースの移行はまだ終わっていません。", "サーバーの再起動が残っています。"],
        standing: &["今後はコミットを英語で書いてください。", "必ず先にテストを実行してください。"],
        nothing: &["Redisを使いましょうか？", "Redisのほうがいいかもしれません。", "パーサーのテストを追加してください。"],
        passing: &["とりあえず常に遅いテストを飛ばしてください。", "いつも同じエラーが出ます。"],
    },
    Said {
        code: "zh",
        decided: &["我们决定使用SQLite。", "好，那就用第二个方案。"],
        found: &["原因是旧的锁文件没有删除。", "问题出在缓存已满。"],
        open: &["数据库迁移还没做。", "下一步是重启服务器。"],
        standing: &["从现在起提交信息都用英文写。", "请记住，我更喜欢简短的回答。"],
        nothing: &["我们要不要用Redis？", "也许Redis更好。", "给解析器加一个测试。"],
        passing: &["暂时总是跳过慢的测试。", "总是失败，不知道怎么办。"],
    },
    Said {
        code: "ko",
        decided: &["SQLite를 쓰기로 결정했습니다.", "좋아, 두 번째 방안으로 가자."],
        found: &["원인은 오래된 잠금 파일이었습니다.", "캐시가 가득 찼기 때문에 멈췄습니다."],
        open: &["데이터베이스 이전이 아직 끝나지 않았습니다.", "서버 재시작이 남아 있습니다."],
        standing: &["앞으로는 커밋을 영어로 작성하세요.", "항상 테스트를 먼저 실행하세요."],
        nothing: &["Redis를 쓸까요?", "Redis가 더 좋을 것 같습니다.", "파서 테스트를 추가해 줘."],
        passing: &["일단 항상 느린 테스트를 건너뛰세요.", "항상 같은 오류가 납니다."],
    },
    Said {
        code: "th",
        decided: &["เราตัดสินใจใช้ SQLite", "งั้นใช้แบบที่สอง"],
        found: &["สาเหตุคือไฟล์ล็อกเก่า", "ปัญหาอยู่ที่แคชเต็ม"],
        open: &["การย้ายฐานข้อมูลยังไม่เสร็จ", "ขั้นต่อไปคือรีสตาร์ตเซิร์ฟเวอร์"],
        standing: &["ตั้งแต่นี้ให้เขียนคอมมิตเป็นภาษาอังกฤษ", "จำไว้ว่าผมชอบคำตอบสั้น"],
        nothing: &["ใช้ Redis ดีไหม?", "Redis อาจจะดีกว่า", "เพิ่มการทดสอบให้ตัวแยกวิเคราะห์"],
        passing: &["ครั้งนี้ข้ามการทดสอบที่ช้าเสมอ", "ทุกครั้งที่รันก็พัง"],
    },
];

#[test]
fn every_language_has_test_sentences() {
    let codes: Vec<&str> = tars_text::languages::ALL.iter().map(|language| language.code).collect();
    assert!(codes.iter().all(|code| ALL.iter().any(|said| said.code == *code)));
}

/// Asserts that at least a share of these results is right; says which are wrong. A model is not right about every sentence.
fn assert_right(least: f64, results: &[(String, bool)]) {
    let wrong: Vec<&String> = results.iter().filter(|(_, right)| !right).map(|(said, _)| said).collect();
    let share = 1.0 - wrong.len() as f64 / results.len() as f64;
    assert!(share >= least, "{share:.2} right of {}: {wrong:#?}", results.len());
}

fn results(of: impl Fn(&Said) -> Vec<(String, bool)>) -> Vec<(String, bool)> {
    ALL.iter()
        .flat_map(|said| of(said).into_iter().map(|(text, right)| (format!("{}: {text}", said.code), right)))
        .collect()
}

#[test]
fn decisions_findings_and_open_tasks_are_found_in_each_language() {
    let all = results(|said| {
        let decided = said.decided.iter().map(|text| (*text, *text, OutcomeKind::Decided));
        let found = said.found.iter().map(|text| (*text, "why does it fail?", OutcomeKind::Found));
        let open = said.open.iter().map(|text| (*text, "go on", OutcomeKind::Open));
        let right = |(text, request, kind): (&str, &str, OutcomeKind)| {
            let found = kind_of(text, request);
            (format!("{text} is {found:?}, not {kind:?}"), found == Some(kind))
        };
        decided.chain(found).chain(open).map(right).collect()
    });
    assert_right(0.7, &all);
}

#[test]
fn questions_possibilities_and_tasks_settle_nothing_in_any_language() {
    let all = results(|said| {
        let settles = |text: &str| matches!(kind_of(text, text), Some(OutcomeKind::Decided | OutcomeKind::Found));
        said.nothing.iter().map(|text| ((*text).to_owned(), !settles(text))).collect()
    });
    assert_right(0.85, &all);
}

#[test]
fn standing_statements_are_found_in_each_language() {
    let all = results(|said| {
        said.standing.iter().map(|text| ((*text).to_owned(), !standing_statements(text).is_empty())).collect()
    });
    assert_right(0.6, &all);
}

#[test]
fn temporary_statements_are_not_standing_in_any_language() {
    let all = results(|said| {
        let texts = said.passing.iter().chain(said.nothing);
        texts.map(|text| ((*text).to_owned(), standing_statements(text).is_empty())).collect()
    });
    assert_right(0.8, &all);
}

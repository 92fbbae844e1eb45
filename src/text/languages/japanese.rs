//! Word lists of Japanese.

use super::{Cues, DateUnit, DateWords, FirstPerson, Language, PartWords, QuestionWords, Script, StepWords};

/// Japanese.
#[rustfmt::skip]
pub(super) static JAPANESE: Language = Language {
    code: "ja",
    name: "Japanese",
    script: Script::Kana,
    function_sequences: &[
        "ですか", "でしょうか", "ましたか", "ますか", "ませんか", "でした", "ました", "です", "ます", "について", "に関する", "とは", "には", "では", "から", "まで",
        "という", "どこ", "いつ", "だれ", "誰", "何", "なに", "なぜ", "どうやって", "どのように", "どのくらい", "どれくらい", "どう", "どれ", "どの", "どんな",
        "いくら", "いくつ", "私たち", "わたしたち", "ください", "ありますか", "ありました", "いますか", "しますか", "しました",
    ],
    particles: &["は", "が", "を", "に", "で", "と", "へ", "も", "の"],
    dates: DateWords {
        weekdays: [
            &["月曜日", "月曜"],
            &["火曜日", "火曜"],
            &["水曜日", "水曜"],
            &["木曜日", "木曜"],
            &["金曜日", "金曜"],
            &["土曜日", "土曜"],
            &["日曜日", "日曜"],
        ],
        counted: &[
            ("一昨日", DateUnit::Day, 2),
            ("おととい", DateUnit::Day, 2),
            ("昨日", DateUnit::Day, 1),
            ("きのう", DateUnit::Day, 1),
            ("今日", DateUnit::Day, 0),
            ("先週", DateUnit::Week, 1),
            ("今週", DateUnit::Week, 0),
            ("先月", DateUnit::Month, 1),
            ("今月", DateUnit::Month, 0),
            ("昨年", DateUnit::Year, 1),
            ("去年", DateUnit::Year, 1),
            ("今年", DateUnit::Year, 0),
        ],
        units: [
            &["日"],
            &["週間"],
            &["か月", "ヶ月", "カ月"],
            &["年間", "年"],
        ],
        numbers: [
            &["一"],
            &["二"],
            &["三"],
            &["四"],
            &["五"],
            &["六"],
            &["七"],
        ],
        ago_after: &["前"],
        last: &["過去", "この"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &["ではありませんでした", "ではなかった", "違いました", "間違いでした", "間違っていました", "勘違い", "関係ありません", "関係なかった", "無関係", "撤回"],
        retraction: &["忘れて", "やっぱりやめ", "気が変わ", "取り消し"],
        denial: &["ではない", "ではありません", "じゃない"],
        polite: &["お願いです", "すみません", "はい", "ちなみに"],
        ..Cues::NONE
    },
    questions: QuestionWords {
        markers: &[
            "どこ", "はいつ", "いつです", "いつでし", "いつから", "いつ決", "誰が", "誰の", "誰に", "誰です", "何です", "何でし", "何を", "何が", "何番", "何時",
            "は何", "なぜ", "どうして", "どうやって", "どうなっ", "どの", "どれ", "いくら", "いくつ", "ですか", "ますか", "でしたか", "ましたか", "でしょうか",
            "だっけ", "たっけ",
        ],
        past_phrases: &["以前", "昔は", "かつて", "もともと", "元々"],
        left_open: &["残って", "残り", "未完了", "やり残"],
        done: &["何をし", "何をやっ", "何が起", "決めた", "決めました", "作業し"],
        current_project: &["ここ", "このプロジェクト"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["私について", "自分について", "個人", "プロフィール"],
        begins: &["私は", "私の", "私が", "僕は", "僕の", "俺は", "わたしは", "自分は"],
        anywhere: &["私にとって"],
        subjects: "私は 僕は 俺は わたしは 自分は",
        lead: "今後は",
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            実行 実行し 実行して 実行する 上げ 上げて 上げる 付け 付けて 付ける プッシュ プッシュし プッシュして プッシュする 作り 作って 作る 作成 作成し 作成して 作成する 更新 更新し 更新して \
            更新する 確認 確認し 確認して 確認する 開いて 開く 書いて 書く 消して 消す 削除 削除し 削除して 削除する 追加 追加し 追加して 追加する 送って 送る コミット コミットし コミットして \
            コミットする マージ マージする テストする ビルド ビルドし ビルドして ビルドする 起動する 再起動する 保存 保存し 保存して 保存する",
        verb_is_last: true,
        joining: "まず 次に それから そして その後 最後に 必ず",
        separators: &["、", "そして", "それから", "その後"],
        ..StepWords::NONE
    },
    parts: PartWords {
        conjunctions: &["および", "及び", "ならびに", "または", "と", "や"],
        pairing: &["比較", "違い", "どちら"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

//! Word lists of Korean.

use super::{
    Cues, DateUnit, DateWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script, StepWords,
};

/// Korean.
#[rustfmt::skip]
pub(super) static KOREAN: Language = Language {
    code: "ko",
    name: "Korean",
    script: Script::Hangul,
    function_sequences: &[
        "언제", "어디", "누가", "누구", "누구의", "무엇", "무엇을", "뭐", "뭐야", "뭐가", "왜", "어떻게", "어떤", "어느", "몇", "얼마", "얼마나", "우리",
        "우리가", "우리는", "저는", "제가", "나는", "내가", "있나요", "있습니까", "있어", "있었나요", "했나요", "했습니까", "했어", "했지", "하나요", "합니까",
        "인가요", "입니까", "이에요", "예요", "이야", "되나요", "됐나요", "무슨", "그리고", "및", "대한", "관한", "대해", "위한", "있는", "하는", "한", "할",
    ],
    particles: &[
        "에서는", "에게서", "으로는", "에서", "에게", "한테", "께서", "부터", "까지", "으로", "처럼", "보다", "이나", "이랑", "에는", "에도", "은", "는",
        "이", "가", "을", "를", "에", "의", "와", "과", "도", "만", "로", "랑",
    ],
    dates: DateWords {
        weekdays: [
            &["월요일"],
            &["화요일"],
            &["수요일"],
            &["목요일"],
            &["금요일"],
            &["토요일"],
            &["일요일"],
        ],
        counted: &[
            ("그저께", DateUnit::Day, 2),
            ("그제", DateUnit::Day, 2),
            ("어제", DateUnit::Day, 1),
            ("오늘", DateUnit::Day, 0),
            ("지난주", DateUnit::Week, 1),
            ("지난 주", DateUnit::Week, 1),
            ("저번 주", DateUnit::Week, 1),
            ("이번 주", DateUnit::Week, 0),
            ("지난달", DateUnit::Month, 1),
            ("지난 달", DateUnit::Month, 1),
            ("이번 달", DateUnit::Month, 0),
            ("작년", DateUnit::Year, 1),
            ("지난해", DateUnit::Year, 1),
            ("올해", DateUnit::Year, 0),
        ],
        units: [
            &["일"],
            &["주일", "주"],
            &["개월", "달"],
            &["년"],
        ],
        numbers: [
            &["한"],
            &["두"],
            &["세"],
            &["네"],
            &["다섯"],
            &["여섯"],
            &["일곱"],
        ],
        ago_after: &["전"],
        last: &["지난", "최근"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &["아니었", "아니었습니다", "원인이 아니", "틀렸", "잘못 짚", "착각", "잊어", "상관없", "관련이 없", "무관", "취소해"],
        retraction: &["잊어", "취소할게", "그만두자", "마음이 바뀌", "없던 일로"],
        denial: &["이 아닙니다", "가 아닙니다", "은 아니"],
        polite: &["네", "예", "그리고", "참고로", "부탁인데"],
        reminders: &["꼭 기억해 줘", "기억해 줘", "기억해줘", "기억해 주세요", "기억해 둬", "기억해", "기억하세요", "잊지 마세요", "잊지 마"],
        ..Cues::NONE
    },
    questions: QuestionWords {
        markers: &[
            "언제 ", "언제인", "언제였", "언제야", "언제부터", "언제까지", "어디", "누구", "누가", "무엇", "뭐", "왜 ", "어떻게", "어떤", "어느", "얼마",
            "몇", "나요", "까요", "습니까", "입니까", "인가요", "더라", "였지", "었지",
        ],
        past_phrases: &["예전", "이전에는", "전에는", "옛날", "원래는", "한때"],
        left_open: &["남아 있", "남은", "할 일", "미완료"],
        done: &["뭐 했", "뭘 했", "무엇을 했", "무슨 일", "결정했", "작업했", "한 일"],
        current_project: &["여기", "이 프로젝트"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["나에 대해", "저에 대해", "개인"],
        begins: &[
            "저는", "나는", "제가", "내가", "저의", "나의", "제 이름", "제 치과", "제 주치의", "제 아내", "제 남편", "제 생일", "내 이름", "내 생일",
        ],
        anywhere: &["저에게는", "나에게는"],
        subjects: "저는 나는 제가 내가",
        lead: "앞으로는 이제부터",
        fillers: "지금 현재",
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            올리 붙이 만들 삭제 추가 실행하고 실행한다 실행해 실행하세요 실행 올리고 올린다 올려 붙이고 붙인다 붙여 푸시하고 푸시한다 푸시해 푸시 만들고 만든다 만들어 업데이트하고 업데이트한다 \
            확인하고 확인한다 확인해 확인 열고 연다 열어 삭제하고 삭제한다 삭제해 추가하고 추가한다 추가해 보내고 보낸다 보내 커밋하고 커밋한다 커밋해 커밋 병합하고 병합한다 빌드하고 빌드한다 \
            빌드해 빌드 배포하고 배포한다 배포해 배포 저장하고 저장한다 저장",
        verb_is_last: true,
        joining: "먼저 그리고 그다음 다음 마지막으로 항상 꼭",
        separators: &[" 그리고 ", " 그다음 ", "하고 ", "고 "],
        ..StepWords::NONE
    },
    headings: HeadingWords {
        lasting: "항상 절대 선호 규칙 원칙 중요 스타일",
        personal: "개인 사람 가족 친구 집 건강",
        work: "업무 일 팀 회사 동료 고객 프로젝트",
        plain: "사실 메모 기타",
    },
    parts: PartWords {
        conjunctions: &["및", "그리고", "또는", "혹은"],
        pairing: &["차이", "차이는", "비교", "비교해", "비교해줘", "둘"],
        bare_nouns: true,
        ..PartWords::NONE
    },
    ..Language::NONE
};

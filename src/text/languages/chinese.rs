//! Word lists of Chinese.

use super::{Cues, DateUnit, DateWords, FirstPerson, Language, PartWords, QuestionWords, Script, StepWords};

/// Chinese.
#[rustfmt::skip]
pub(super) static CHINESE: Language = Language {
    code: "zh",
    name: "Chinese",
    script: Script::Han,
    function_sequences: &[
        "什么时候", "什么时间", "为什么", "是什么", "是多少", "什么", "怎么样", "怎么", "怎样", "如何", "哪里", "哪儿", "哪个", "哪些", "哪一个", "哪天", "多少",
        "几点", "是谁", "我们", "你们", "他们", "在哪", "了吗", "的吗", "有吗", "吗", "呢", "有没有", "是不是", "什麼時候", "為什麼", "什麼", "怎麼", "哪裡",
        "哪個", "我們", "嗎",
    ],
    dates: DateWords {
        weekdays: [
            &["星期一", "周一", "週一"],
            &["星期二", "周二", "週二"],
            &["星期三", "周三", "週三"],
            &["星期四", "周四", "週四"],
            &["星期五", "周五", "週五"],
            &["星期六", "周六", "週六"],
            &["星期日", "星期天", "周日", "週日"],
        ],
        counted: &[
            ("前天", DateUnit::Day, 2),
            ("昨天", DateUnit::Day, 1),
            ("今天", DateUnit::Day, 0),
            ("上个星期", DateUnit::Week, 1),
            ("上個星期", DateUnit::Week, 1),
            ("上星期", DateUnit::Week, 1),
            ("上周", DateUnit::Week, 1),
            ("上週", DateUnit::Week, 1),
            ("本周", DateUnit::Week, 0),
            ("这周", DateUnit::Week, 0),
            ("上个月", DateUnit::Month, 1),
            ("上個月", DateUnit::Month, 1),
            ("上月", DateUnit::Month, 1),
            ("这个月", DateUnit::Month, 0),
            ("本月", DateUnit::Month, 0),
            ("去年", DateUnit::Year, 1),
            ("今年", DateUnit::Year, 0),
        ],
        units: [
            &["天"],
            &["周", "个星期", "星期", "週"],
            &["个月", "個月"],
            &["年"],
        ],
        numbers: [
            &["一"],
            &["两", "兩"],
            &["三"],
            &["四"],
            &["五"],
            &["六"],
            &["七"],
        ],
        ago_after: &["前", "之前", "以前"],
        last: &["最近", "过去", "過去"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "不是它", "不是这个原因", "并不是", "搞错了", "我错了", "弄错了", "猜错了", "忘了它", "没有关系", "无关", "排除了", "死胡同", "搞錯了", "我錯了",
            "沒有關係",
        ],
        retraction: &["算了", "忘了它", "别管了", "不要了", "我改主意了", "还是不"],
        denial: &["不是"],
        polite: &["请", "好的", "好", "是的", "对了", "顺便说一下", "那"],
        reminders: &["请记住这一点", "记住这一点", "请记住", "记住了", "记住", "記住", "别忘了", "別忘了", "请记好", "记好"],
        ..Cues::NONE
    },
    questions: QuestionWords {
        markers: &[
            "什么", "什麼", "吗", "嗎", "呢", "哪里", "哪裡", "哪个", "哪個", "哪些", "哪天", "在哪", "谁", "誰", "怎么", "怎麼", "为什么", "為什麼",
            "如何", "多少", "几点", "是否", "有没有",
        ],
        past_phrases: &["以前", "曾经", "曾經", "从前", "從前", "原先", "我之前", "我们之前", "我們之前", "之前在哪", "之前用"],
        left_open: &["还没做", "还没完成", "待办", "未完成", "剩下", "還沒做"],
        done: &["做了什么", "做了哪些", "做过什么", "完成了什么", "发生了什么", "决定了", "做了什麼"],
        current_project: &["这里", "这个项目", "本项目", "這個專案"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["关于我", "關於我", "个人", "個人", "我"],
        begins: &[
            "我的", "我是", "我在", "我住", "我叫", "我喜欢", "我喜歡", "我更喜欢", "我不吃", "我不喝", "我不喜欢", "我吃素", "我对", "我對", "我从不", "我通常",
            "我总是",
        ],
        anywhere: &["对我来说"],
        subjects: "我",
        lead: "今后",
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            运行 執行 执行 更新 升级 提升 打标签 打上 推送 提交 创建 建立 删除 刪除 添加 新增 检查 檢查 写 打开 关闭 发送 发布 發布 部署 构建 编译 合并 修改 复制 安装 启动 停止 重启 导出 \
            导入 备份 保存 标记 拉取 清理",
        joining: "然后 然後 先 再 并 接着 最后 最後 首先 请 必须",
        separators: &["，", "、", "然后", "然後", "并", "再", "接着", "最后"],
        clauses_of_time: &["之前", "以前", "之后", "以后", "之後", "以後", "时", "時"],
        ..StepWords::NONE
    },
    parts: PartWords {
        conjunctions: &["以及", "还有", "還有", "还是", "還是", "和", "与", "與", "跟", "及", "或"],
        pairing: &["比较", "比較", "对比", "對比"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

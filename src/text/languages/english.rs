//! Word lists of English.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// English.
#[rustfmt::skip]
pub(super) static ENGLISH: Language = Language {
    code: "en",
    name: "English",
    script: Script::Latin,
    stop_words: "\
        a about above after again against all also am an and any are aren as at be because been before being below \
        between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from \
        further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn \
        it its itself ll m me more most mustn my myself no nor not of off on once only or other ought our ours \
        ourselves out over own re s same shan she should shouldn so some such t than that the their theirs them \
        themselves then there these they this those through to too under until up ve very was wasn we were weren \
        what when where which while who whom why will with won would wouldn you your yours yourself yourselves",
    dates: DateWords {
        months: [
            &["january", "jan"],
            &["february", "feb"],
            &["march", "mar"],
            &["april", "apr"],
            &["may"],
            &["june", "jun"],
            &["july", "jul"],
            &["august", "aug"],
            &["september", "sep", "sept"],
            &["october", "oct"],
            &["november", "nov"],
            &["december", "dec"],
        ],
        weekdays: [
            &["monday"],
            &["tuesday"],
            &["wednesday"],
            &["thursday"],
            &["friday"],
            &["saturday"],
            &["sunday"],
        ],
        counted: &[
            ("day before yesterday", DateUnit::Day, 2),
            ("yesterday", DateUnit::Day, 1),
            ("today", DateUnit::Day, 0),
        ],
        units: [
            &["day", "days"],
            &["week", "weeks"],
            &["month", "months"],
            &["year", "years"],
        ],
        numbers: [
            &["a", "one"],
            &["two"],
            &["three"],
            &["four"],
            &["five"],
            &["six"],
            &["seven"],
        ],
        ago_after: &["ago"],
        last: &["last", "past", "previous"],
        this: &["this"],
        on: &["on", "this"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "was not it", "wasn't it", "is not it", "isn't it", "not the cause", "wasn't the", "was not the",
            "i was wrong", "guess was wrong", "suspicion was wrong", "theory was wrong", "assumption was wrong",
            "diagnosis was wrong", "scrap that", "forget that", "scratch that", "that was a red herring",
            "red herring", "dead end", "not the culprit", "innocent", "changed my mind", "on second thought",
            "actually no", "turned out not", "ruled out", "rules out", "had nothing to do", "has nothing to do",
            "i take that back", "revert that", "undo that", "my earlier guess", "my earlier suspicion",
            "my earlier theory", "my earlier assumption", "my earlier diagnosis", "my first guess",
        ],
        retraction: &[
            "forget it", "forget that", "scrap that", "scrap it", "scratch that", "never mind that",
            "changed my mind", "on second thought",
        ],
        denial: &["it is not the", "it's not the", "it isn't the"],
        polite: &["please", "ok", "okay", "and", "also", "so", "hey", "yes", "btw", "by the way", "note"],
        reminders: &[
            "remember that", "remember this", "remember it", "remember", "keep that in mind", "keep this in mind",
            "keep in mind", "bear in mind", "don't forget that", "don't forget this", "don't forget it",
            "don't forget", "do not forget that", "do not forget it", "do not forget", "make a note of that",
            "make a note of it", "make a note",
        ],
        reminders_that: &[
            "remember that", "keep in mind that", "bear in mind that", "don't forget that", "do not forget that",
            "make a note that",
        ],
        negations: &[
            "not", "never", "no", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "werent", "hasnt", "havent", "wont", "cant", "cannot",
        ],
    },
    questions: QuestionWords {
        question_words: &["where", "what", "who", "whom", "whose", "which", "when", "how"],
        past_phrases: &["previously", "formerly", "former", "used to", "in the past", "originally"],
        past_phrases_at_end: &["before", "earlier"],
        past_phrases_with_past_form: &["before"],
        past_forms: &["did", "was", "were", "had"],
        left_open: &[
            "still open", "is open", "what's open", "left open", "open ends", "left to do", "still to do",
            "unfinished", "todo", "todos",
        ],
        done: &[
            "work on", "worked on", "working on", "did i do", "did we do", "have we done", "was done", "happened",
            "decide", "decided", "get done", "got done",
        ],
        current_project: &["here", "this project", "this repo"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["person", "personal", "the person", "me", "myself", "about me"],
        begins: &["i", "my"],
        anywhere: &["for me"],
        since: "from since",
        subjects: "i",
        possessives: "my",
        lead: "from now on remember that note and so also yes by the way btw",
        fillers: "the a an dr dr. mr mr. mrs mrs. now currently",
        contractions: &[("im ", "i am "), ("ive ", "i have ")],
        verbs: "\
            lives works prefers likes uses speaks writes has is eats drinks runs plays needs wants takes drives owns \
            reads travels sleeps rents commutes",
        be: "am is",
        named: &["my name is", "name", "i am called"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            add apply archive ask back backup benchmark build built bump call change check clean clear clone close \
            collect commit compare compile compress configure copy create cut delete deploy describe disable do \
            document download drop dump edit enable encrypt execute export fetch fill find fix flush format generate \
            get give go import increase initialise initialize inspect install invoke keep label launch lint list \
            load lock log look made make mark measure mention merge migrate mount move name note notify open order \
            paste plan pin post prepare print publish pull push put ran read rebase rebuild record refresh \
            regenerate reload remove rename render repeat replace report reset resolve restart restore reverse \
            review revert rotate run save scan search select send sent set show sign sort split squash stage start \
            stash stop submit sync tag take tell test toggle trigger turn unmount unpack update upgrade upload use \
            validate verify wait warm wash water weigh wipe write wrote",
        joining: "and then finally first firstly next afterwards please always to",
        separators: &[" and ", " then "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["with", "on", "in", "at", "as", "to", "by", "from", "for", "is", "are", "runs", "uses"],
        copulas: &[
            "is", "are", "was", "were", "uses", "use", "prefers", "prefer", "wants", "costs", "runs", "lives",
            "means", "equals", "needs", "needs:", "works",
        ],
    },
    generic_words: "\
        push pull commit merge rebase branch test tests run rerun build fix module modules file files function \
        functions method class code line lines please thanks thank great good nice perfect ok okay yes yeah \
        sure go ahead continue same other another again next one ones now too also well back format lint rename \
        try done let make do it change changes everything rest thing things way looks look green ci pr show \
        diff undo revert step two three four five remaining tell first last second third both all new old like \
        want need keep going stop wait moment still",
    headings: HeadingWords {
        lasting: "\
            always never prefer prefers preferred preference preferences rule rules must principle principles \
            style convention conventions important essential essentials core",
        personal: "person personal people me family friends home household health life hobbies",
        work: "work job team office company career colleagues clients customers project projects",
        plain: "facts memory notes misc other",
    },
    parts: PartWords {
        conjunctions: &["and", "or", "plus", "versus", "vs"],
        asking: &["what", "who", "whom", "whose", "which", "when", "where", "why", "how", "whether"],
        inverted: &["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "should"],
        requesting: &["also", "tell", "give", "show", "find", "list", "remind", "get", "explain", "check", "look", "search", "fetch"],
        pairing: &["between", "compare", "comparing", "compared", "both", "either", "differ", "differs"],
        separating: &["with", "to", "from", "than"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

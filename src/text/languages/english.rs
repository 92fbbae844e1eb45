//! Word lists of English.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, QuestionWords, Script, StatementCues,
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
        decision: &[
            "decided", "decision:", "decision is", "the decision", "settled on", "we settle on", "agreed on",
            "agreed to", "agreed that", "agreed:", "opted for", "we chose", "i chose", "chose to", "has been chosen",
            "we went with", "i went with", "from now on", "we go with", "going with", "go with", "sticking with",
            "stick with", "we stay with", "staying with", "we standardise on", "we standardize on", "is final",
        ],
        persons_decision: &[
            "let's use", "let's keep", "let's go", "let's take", "let's stay", "let's stick", "let's drop",
            "let's not", "let's make it", "we'll use", "we'll keep", "we'll go", "we'll take", "we'll stay",
            "we will use", "we will keep", "we use", "we keep", "we take", "we drop", "we said", "must always",
            "must never", "should always", "should never", "we never", "we always", "leave it at", "leave it as",
            "then use", "then take", "then keep", "never use", "always use", "make it", "like everywhere else",
            "as everywhere else", "gone for good", "for good",
        ],
        imperative: &["use", "keep", "stick", "stay", "take", "drop", "always", "never", "only"],
        binding: &[
            "for", "everywhere", "always", "never", "not", "instead", "rather than", "only", "as", "until", "when",
            "unless", "per",
        ],
        hedge: &[
            "i'd rather", "if you agree", "could", "might", "may", "maybe", "perhaps", "probably", "possibly", "try",
            "let's try", "presumably", "likely", "would", "should we", "shall", "i suspect", "i think", "i guess",
            "i assume", "my guess", "seems", "looks like", "appears", "not sure", "unsure", "option", "options",
            "alternatively", "alternative", "undecided", "not decided", "haven't decided", "hasn't been decided",
            "no decision", "to be decided", "decide later", "before deciding", "need to decide", "have to decide",
            "want me to", "let me know", "your call", "up to you", "can decide", "decide whether", "decide on",
            "the decision whether", "leaning", "consider", "worth considering", "tempted",
        ],
        condition: &["if", "unless", "should", "either"],
        finding: &[
            "found:", "root cause", "the cause", "caused by", "turned out", "turns out", "the culprit", "culprit",
            "the problem was", "the problem is", "the issue was", "the issue is", "the bug was", "the bug is",
            "the reason", "fails because", "failed because", "because", "due to", "was missing", "is missing",
            "came from", "comes from", "stems from", "the fix", "fixed by", "explains why", "that's why",
            "which is why", "found it", "it was the", "so that's", "never released", "leaked",
        ],
        open: &[
            "not done:", "not applied", "unapplied", "would be sensible", "would be worth", "isn't deployed",
            "is not deployed", "until you", "still wrong", "nobody looks", "nothing looks", "not reloaded",
            "not decided", "not fixed", "placeholder", "should check", "i leave", "leave it open", "stays open",
            "remains open", "to be done", "will come back", "todo:", "to do:", "still to do", "left to do",
            "what is left", "what's left", "remaining:", "remains to", "not yet", "not done yet", "open:",
            "open point", "open question", "follow-up", "follow up", "next step", "next:", "still needs",
            "still need", "still has to", "still have to", "still missing", "still open", "still to", "have not",
            "haven't", "has not", "hasn't", "did not run", "didn't run", "did not touch", "left untouched",
            "needs to be", "you'll need to", "you will need to", "open questions", "did not add", "didn't add",
            "did not test", "didn't test", "not tested", "untested", "before the release", "before deploying",
            "pending", "outstanding", "remind me", "later we", "needs someone", "waiting for", "unresolved",
        ],
        refutation: &[
            "was not it", "wasn't it", "is not it", "isn't it", "not the cause", "wasn't the", "was not the",
            "i was wrong", "guess was wrong", "suspicion was wrong", "theory was wrong", "assumption was wrong",
            "diagnosis was wrong", "scrap that", "forget that", "scratch that", "that was a red herring",
            "red herring", "dead end", "not the culprit", "innocent", "changed my mind", "on second thought",
            "actually no", "turned out not", "ruled out", "rules out", "had nothing to do", "has nothing to do",
            "i take that back", "revert that", "undo that", "my earlier guess", "my earlier suspicion",
            "my earlier theory", "my earlier assumption", "my earlier diagnosis", "my first guess",
        ],
        offer: &[
            "want me to", "would you like", "shall i", "should i", "let me know", "happy to", "i can also",
            "i could also", "if you want", "if you like", "feel free", "do you want", "ready when you are",
            "say the word",
        ],
        choice: &[
            "which", "or", "what do you think", "your call", "prefer", "how many", "how long", "how often",
            "what should", "where should", "what do you want",
        ],
        alternatives: &[
            "options", "two ways", "three ways", "four ways", "several ways", "ways", "alternatives", "either",
            "compared", "candidates", "both work",
        ],
        picks: &[
            "it is", "then", "at most", "at least", "no more than", "maximum", "minimum", "upwards", "no gaps",
            "as for the", "like the other",
        ],
        task: &[
            "write", "add", "rename", "fix", "run", "push", "show", "explain", "test", "format", "check", "commit",
            "merge", "deploy", "look", "find", "read", "open", "create", "remove", "delete", "update", "refactor",
            "try", "measure", "build", "rerun", "continue", "why", "what", "how", "where", "when", "can", "could",
            "please", "now", "same",
        ],
        postponed: &[
            "not today", "another day", "some other day", "later", "not now", "next week", "next time", "tomorrow",
            "on monday", "for now we leave", "too tired", "postpone",
        ],
        enough: &[
            "fine for now", "good for now", "good enough for now", "ok for now", "okay for now", "will do for now",
        ],
        diagnosis: &[
            "why", "what happened", "what's wrong", "what is wrong", "find out", "how long", "what's causing",
            "fails", "failed", "failing", "crash", "crashes", "crashed", "broken", "error", "slow", "stutters",
            "hangs", "stopped", "stops", "again", "bug", "dies", "died", "wrong", "loses", "missing",
        ],
        advice: &[
            "i'd", "i would", "i recommend", "i suggest", "my suggestion", "my recommendation", "i propose",
            "recommended", "the fix would be", "i lean", "would be enough", "i'd go", "i'd lean",
        ],
        consent: &["yes", "yep", "yeah", "ok", "okay", "sure", "agreed", "fine", "right", "exactly", "do", "sounds"],
        next_steps: &[
            "check", "confirm", "run", "look", "verify", "test", "measure", "see whether", "watch", "try", "ask",
            "wait",
        ],
        farewell: &[
            "see you", "until tomorrow", "talk tomorrow", "talk to you", "good night", "bye", "have a good",
            "have a nice", "that's all for",
        ],
        retraction: &[
            "forget it", "forget that", "scrap that", "scrap it", "scratch that", "never mind that",
            "changed my mind", "on second thought",
        ],
        denial: &["it is not the", "it's not the", "it isn't the"],
        preferences: &[
            "always", "never", "from now on", "going forward", "in future", "in the future", "i prefer", "i'd prefer",
            "i always", "i never", "we always", "we never", "we prefer", "remember that", "remember:",
            "keep in mind that", "don't ever", "you should always", "you should never", "you must always",
            "you must never", "our convention is", "my name is",
        ],
        polite: &["please", "ok", "okay", "and", "also", "so", "hey", "yes", "btw", "by the way", "note"],
        descriptions: &[
            "i'd prefer to", "never mind", "never seen", "never saw", "never heard", "never had", "never got",
            "never been", "never again", "never worked", "never happened", "never thought", "never knew",
            "always been", "always had", "always the", "always this", "always a", "always when", "i always get",
            "i always forget", "i always have", "i never get", "i never know", "i never saw", "i never had",
            "we always get", "we never got", "we never had",
        ],
        uses: &["we use", "i use", "we are using", "this project uses", "this repository uses", "the project uses"],
        used_for: &["for", "as", "not"],
        corrections: &["no, use", "no, we use", "no, take", "no, we", "no: use", "nope, use", "wrong, use"],
        contrast: &["not", "instead of", "rather than"],
        temporary: &[
            "this time", "for now", "just this once", "today", "tomorrow", "this one", "that one", "the other one",
            "right now", "for the moment", "in this session",
        ],
        lasting: &[
            "port", "ports", "host", "hostname", "server", "version", "database", "branch", "domain", "convention",
            "naming", "format", "indentation", "timezone", "time zone", "currency", "units", "license", "licence",
            "schema", "region", "encoding",
        ],
        habits: &["i never", "i always", "we never", "we always", "i prefer", "we prefer"],
        agreed: &[
            "we agreed", "agreed on", "agreed to that", "agreed to this", "we decided", "that's the law",
            "that is the law", "not optional", "our rule is",
        ],
        names: &[
            "is called", "is named", "are called", "i'm with", "i work at", "i work for", "allergic to", "i live in",
            "i moved to", "i'm vegetarian", "i'm vegan", "i don't eat", "i can't eat", "my dentist is",
            "my doctor is",
        ],
        negations: &["not", "never", "no", "dont", "doesnt", "isnt", "cannot"],
        statements: StatementCues {
            aside: &["btw", "by the way"],
            over: &[
                "gone for good", "for good", "are over", "out with", "is dead", "goes off on", "go completely",
                "goes completely", "like everywhere else",
            ],
            stays: &["stays", "stay"],
            no_state: &[
                "open", "red", "green", "empty", "up", "down", "blank", "black", "stuck", "broken", "slow", "away",
                "there", "here",
            ],
            limit: &["max", "at most", "no more than", "at least"],
            place: &[
                "staging is", "new staging is", "production is", "the server is", "the host is", "the port is",
                "the database is", "the repo is",
            ],
            report: &[
                "went", "dropped", "rose", "grew", "fell", "jumped", "was", "were", "says that", "takes", "took",
            ],
            next_time: &["next time"],
            plan: &["next time i", "next time we"],
            no_further: &["no other", "no further"],
            instead: &["not", "instead", "instead of"],
            changes: &[("from", "to")],
            moves_to: &["move to", "moves to"],
            then: &["then"],
            chosen: &["then", "everywhere"],
            no_choice: &[
                "do", "go", "so", "ok", "okay", "yes", "no", "not", "that", "this", "it", "the", "i", "he", "she",
                "they", "is", "are", "was", "were",
            ],
            ..StatementCues::NONE
        },
    },
    questions: QuestionWords {
        question_words: &["where", "what", "who", "whom", "whose", "which", "when", "how"],
        openers: &["why", "is", "are", "was", "were", "does", "do", "did", "has", "have"],
        recall: &[
            "again", "last time", "the other time", "before", "earlier", "remember", "remind me", "did we", "have we",
            "had we", "we decided", "we settled", "we agreed", "did i", "do we", "we had", "was it", "were we",
            "yesterday", "last week", "last month", "last friday", "last monday", "last tuesday", "last wednesday",
            "last thursday", "still open", "what is open", "settle on", "the reason for", "we had this",
        ],
        own_things: &["we", "our", "us", "my", "ours", "mine", "when is", "who is", "who has"],
        code: &["grep", "in this code", "in the code", "in this file", "in this repo", "in the repo"],
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
    ..Language::NONE
};

//! Word lists of French.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// French.
#[rustfmt::skip]
pub(super) static FRENCH: Language = Language {
    code: "fr",
    name: "French",
    script: Script::Latin,
    stop_words: "\
        ai aie ait alors au aucun aucune aujourd aussi autre autres aux avait avant avec avez avoir avons beaucoup c \
        ce cela celle celui ces cet cette ceux chaque chez combien comme comment d dans de deja demain depuis des \
        deux donc dont du elle elles en encore entre est est-ce et etaient etait etes etions etre eu eux faire fait \
        hier hui ici il ils j je jusqu jusque l la le lequel les leur leurs lorsqu lorsque lui m ma mais me meme mes \
        moi moins mon n ne ni non nos notre nous on ont ou par parce pas pendant peut plus pour pourquoi puis puisqu \
        qu quand que quel quelle quelles quelque quelques quels qui quoi rien s sa sans se sera ses si son sont sous \
        souvent suis sur t ta te tes toi ton tous tout toute toutes tres tu un une va vers vos votre vous",
    ambiguous_stop_words: "\
        c comment d de du en encore entre j l la le m ma me meme n ni non on par plus pour s sa sans se sera si son \
        sur t te ton tout un",
    not_stop_words: "but ours",
    letters: "çœ",
    elided: "l d j qu n c s m t jusqu lorsqu puisqu",
    endings: "\
        s x es e ee ees er ez ent ait aient ant ante ants antes ation ations ement ements aux al ale ales eur eurs \
        euse euses if ive ifs ives ions",
    dates: DateWords {
        months: [
            &["janvier"],
            &["février", "fevrier"],
            &["mars"],
            &["avril"],
            &["mai"],
            &["juin"],
            &["juillet"],
            &["août", "aout"],
            &["septembre"],
            &["octobre"],
            &["novembre"],
            &["décembre", "decembre"],
        ],
        weekdays: [
            &["lundi"],
            &["mardi"],
            &["mercredi"],
            &["jeudi"],
            &["vendredi"],
            &["samedi"],
            &["dimanche"],
        ],
        counted: &[
            ("avant-hier", DateUnit::Day, 2),
            ("avant hier", DateUnit::Day, 2),
            ("aujourd'hui", DateUnit::Day, 0),
            ("semaine dernière", DateUnit::Week, 1),
            ("semaine derniere", DateUnit::Week, 1),
            ("semaine passée", DateUnit::Week, 1),
            ("cette semaine", DateUnit::Week, 0),
            ("mois dernier", DateUnit::Month, 1),
            ("mois passé", DateUnit::Month, 1),
            ("ce mois-ci", DateUnit::Month, 0),
            ("ce mois", DateUnit::Month, 0),
            ("année dernière", DateUnit::Year, 1),
            ("annee derniere", DateUnit::Year, 1),
            ("an dernier", DateUnit::Year, 1),
            ("cette année", DateUnit::Year, 0),
        ],
        counted_if_own_language: &[("hier", DateUnit::Day, 1)],
        units: [
            &["jour", "jours"],
            &["semaine", "semaines"],
            &["mois"],
            &["an", "ans", "année", "années"],
        ],
        numbers: [
            &["un", "une"],
            &["deux"],
            &["trois"],
            &["quatre"],
            &["cinq"],
            &["six"],
            &["sept"],
        ],
        ago_before: &["il y a"],
        last: &["derniers", "dernières", "dernier", "dernière"],
        last_after: &["dernier", "dernière", "derniere", "passé"],
        prepositions: &["en"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "ce n'était pas", "n'était pas", "pas la cause", "fausse piste", "je me trompais", "je m'étais trompé",
            "oublie ça", "finalement non", "rien à voir", "pas ça", "écarté", "innocent",
        ],
        retraction: &["oublie ça", "oublie", "finalement non", "j'ai changé d'avis"],
        denial: &["ce n'est pas le", "ce n'est pas la", "ce n'est pas l"],
        polite: &["s'il te plaît", "et", "oui", "au fait"],
        reminders: &[
            "retiens-le", "retiens ça", "retiens cela", "retiens", "retenez-le", "retenez", "souviens-toi",
            "souvenez-vous", "n'oublie pas ça", "n'oublie pas", "n'oubliez pas", "garde ça en tête", "garde en tête",
        ],
        reminders_that: &[
            "retiens que", "retenez que", "souviens-toi que", "souvenez-vous que", "n'oublie pas que",
            "n'oubliez pas que", "garde en tête que",
        ],
        negations: &["ne", "pas", "jamais"],
    },
    questions: QuestionWords {
        question_words: &["où", "qui", "quel", "quelle", "quels", "quelles", "quand", "comment", "que", "qu"],
        past_phrases: &["auparavant", "autrefois", "précédemment", "jadis"],
        past_phrases_at_end: &["avant"],
        left_open: &["reste à faire", "reste ouvert", "en suspens", "encore à faire", "reste-t-il"],
        done: &["travaillé", "avons-nous fait", "ai-je fait", "a-t-on fait", "s'est passé", "décidé"],
        current_project: &["ici", "ce projet", "dans ce projet"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["moi", "personnel", "à propos de moi"],
        begins: &[
            "mon", "ma", "mes", "je suis", "je préfère", "je travaille", "je mange", "je parle", "je veux", "je ne",
            "j ai", "j habite", "j utilise", "j aime",
        ],
        anywhere: &["chez moi"],
        since: "depuis",
        subjects: "je j",
        possessives: "mon ma mes",
        lead: "désormais retiens que et oui",
        fillers: "le la les un une dr dr. maintenant",
        contractions: &[
            ("jhabite ", "je habite "), ("jutilise ", "je utilise "), ("jaime ", "je aime "), ("jai ", "je ai "),
        ],
        verbs: "habite travaille préfère aime utilise parle écrit mange",
        be: "suis est",
        named: &["je m appelle"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            ajoute arrête attends change charge commence compile copie crée démarre enregistre envoie exécute ferme \
            installe lance lis mets ouvre pousse prends prépare publie regarde relance renomme supprime télécharge \
            teste utilise vérifie",
        joining: "et puis ensuite enfin d'abord toujours",
        separators: &[" et ", " puis "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["avec", "sur", "dans", "est"],
        copulas: &["est", "sont", "utilise"],
    },
    generic_words: "\
        continue merci oui non parfait encore pareil meme autre fichier fichiers fonction vas fais lance \
        maintenant aussi suite suivant bien stp pousse modules bon plait",
    headings: HeadingWords {
        lasting: "toujours jamais préfère préférence préférences règle règles doit important",
        personal: "personne personnel famille amis maison santé",
        work: "travail équipe bureau entreprise projet projets",
        plain: "faits notes divers",
    },
    parts: PartWords {
        conjunctions: &["et", "ou", "ainsi"],
        asking: &[
            "qui", "quoi", "quel", "quelle", "quels", "quelles", "quand", "où", "pourquoi", "comment",
            "combien", "lequel", "laquelle", "qu",
        ],
        requesting: &["aussi", "dis", "donne", "montre", "trouve", "retrouve", "cherche", "rappelle", "explique", "liste"],
        pairing: &["entre", "compare", "comparer", "comparez", "diffère"],
        separating: &["avec", "à", "au", "de", "du"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

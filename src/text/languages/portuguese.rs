//! Word lists of Portuguese.

use super::{
    Cues, DateUnit, DateWords, FactWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script,
    StepWords,
};

/// Portuguese.
#[rustfmt::skip]
pub(super) static PORTUGUESE: Language = Language {
    code: "pt",
    name: "Portuguese",
    script: Script::Latin,
    stop_words: "\
        a ainda amanha anteontem ao aos aquela aquele aqueles aqui as assim ate cada com como da das de dela dele \
        depois desde do dois dos duas e ela elas ele eles em entao entre era eram essa essas esse esses esta estamos \
        estao estas estava este estes eu faz fica foi foram ha hoje isso isto ja la lhe mais mas me mesmo meu meus \
        minha minhas muito muitos na nao nas nem no nos nossa nossas nosso nossos num numa nunca o onde ontem os ou \
        outra outras outro outros para pela pelas pelo pelos pode podem pois por porque quais qual quando quanta \
        quantas quanto quantos que quem se seja sem sempre ser seu seus si sido so sobre sua suas tambem tem temos \
        tenho ter teu teus ti tinha toda todas todo todos tu tua tuas tudo um uma umas uns vai vamos vez voce voces",
    ambiguous_stop_words: "a as ate da das de do dos e em era fica ha la mas me na no nos o os quanta se so ti um",
    letters: "ãõç",
    endings: "\
        s es a o as os e ar er ir ado ada ados adas ido ida idos idas ando endo indo ava avam ia iam ara aram are ou \
        amos emos imos cao coes ao oes aes mente am em al ais",
    dates: DateWords {
        months: [
            &["janeiro"],
            &["fevereiro"],
            &["março"],
            &["abril"],
            &["maio"],
            &["junho"],
            &["julho"],
            &["agosto"],
            &["setembro"],
            &["outubro"],
            &["novembro"],
            &["dezembro"],
        ],
        weekdays: [
            &["segunda-feira", "segunda"],
            &["terça-feira", "terça", "terca"],
            &["quarta-feira", "quarta"],
            &["quinta-feira", "quinta"],
            &["sexta-feira", "sexta"],
            &["sábado", "sabado"],
            &["domingo"],
        ],
        counted: &[
            ("anteontem", DateUnit::Day, 2),
            ("antes de ontem", DateUnit::Day, 2),
            ("ontem", DateUnit::Day, 1),
            ("hoje", DateUnit::Day, 0),
            ("semana passada", DateUnit::Week, 1),
            ("esta semana", DateUnit::Week, 0),
            ("essa semana", DateUnit::Week, 0),
            ("mês passado", DateUnit::Month, 1),
            ("mes passado", DateUnit::Month, 1),
            ("este mês", DateUnit::Month, 0),
            ("esse mês", DateUnit::Month, 0),
            ("ano passado", DateUnit::Year, 1),
            ("este ano", DateUnit::Year, 0),
            ("esse ano", DateUnit::Year, 0),
        ],
        units: [
            &["dia", "dias"],
            &["semana", "semanas"],
            &["mês", "mes", "meses"],
            &["ano", "anos"],
        ],
        numbers: [
            &["um", "uma"],
            &["dois", "duas"],
            &["três", "tres"],
            &["quatro"],
            &["cinco"],
            &["seis"],
            &["sete"],
        ],
        ago_before: &["há", "faz"],
        ago_after: &["atrás", "atras"],
        last: &["últimos", "últimas", "última", "último", "ultimos", "ultimas", "ultima", "passado", "passada"],
        last_after: &["passado", "passada"],
        this: &["esta", "este", "essa", "esse"],
        on: &["na", "no", "nesta", "neste"],
        prepositions: &["em"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "não era", "não foi", "não é a causa", "pista falsa", "me enganei", "enganei-me", "eu estava errado",
            "esquece isso", "esqueça isso", "nada a ver", "no fim não", "descartado", "beco sem saída",
        ],
        retraction: &[
            "esquece isso", "esqueça isso", "esquece", "deixa pra lá", "deixa estar", "no fim não", "mudei de ideia",
        ],
        denial: &["não é o", "não é a", "não era o", "não era a"],
        polite: &["por favor", "sim", "aliás", "a propósito"],
        reminders: &[
            "lembra-te disso", "lembra-te", "lembre-se disso", "lembre-se", "lembra disso", "lembra", "lembre",
            "tem em conta", "tenha em mente", "não te esqueças", "não se esqueça", "não esqueças", "não esqueça",
        ],
        reminders_that: &[
            "lembra-te de que", "lembra-te que", "lembre-se de que", "lembre-se que", "lembra que", "lembre que",
            "tem em conta que", "tenha em mente que", "não te esqueças que", "não se esqueça de que",
            "não esqueças que", "não esqueça que",
        ],
        negations: &["não", "nunca", "jamais", "nenhum", "nenhuma"],
    },
    questions: QuestionWords {
        question_words: &[
            "onde", "quando", "qual", "quais", "quem", "o que", "como foi", "como se", "como é", "como nós",
            "como decidimos", "em que", "a que", "de quem",
        ],
        past_phrases: &[
            "anteriormente", "previamente", "antigamente", "outrora", "originalmente", "costumava", "costumávamos",
        ],
        past_phrases_at_end: &["antes"],
        past_phrases_with_past_form: &["antes"],
        past_forms: &[
            "era", "eram", "trabalhava", "trabalhávamos", "morava", "morávamos", "vivia", "usava", "usávamos",
            "tinha", "tínhamos",
        ],
        past_endings: &["va", "vamos", "vam"],
        left_open: &["em aberto", "por fazer", "falta fazer", "pendente", "pendentes"],
        done: &["fizemos", "fiz", "trabalhei", "trabalhamos", "trabalhámos", "aconteceu", "decidimos"],
        current_project: &["aqui", "este projeto", "neste projeto"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["sobre mim", "pessoal"],
        begins: &[
            "meu", "minha", "meus", "minhas", "o meu", "a minha", "os meus", "as minhas", "eu sou", "eu moro",
            "eu trabalho", "eu prefiro", "eu uso", "eu não", "eu tenho", "eu falo", "prefiro", "moro em", "moro no",
            "moro na", "vivo em", "vivo no", "vivo na", "trabalho em", "trabalho no", "trabalho na", "trabalho para",
            "trabalho como", "sou alérgico", "sou alérgica", "sou vegetariano", "sou vegetariana", "não como carne",
            "não bebo", "tenho alergia", "chamo me", "me chamo",
        ],
        anywhere: &["para mim"],
        since: "desde",
        subjects: "eu",
        possessives: "meu minha meus minhas",
        lead: "agora lembra lembre que e sim aliás",
        fillers: "o um uma agora atualmente",
        verbs: "mora vive trabalha prefere fala escreve come bebe dirige conduz corre joga",
        own_verbs: &[
            ("moro", "mora"), ("vivo", "vive"), ("trabalho", "trabalha"), ("prefiro", "prefere"), ("falo", "fala"),
            ("tenho", "tem"), ("bebo", "bebe"),
        ],
        be: "sou é",
        named: &["meu nome é", "o meu nome é", "chamo me", "me chamo"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            abra abre adicione adiciona altere apague apaga arquive atualize atualiza baixe compile configure copie \
            corrija crie envie envia escreva espere execute executa exporte feche formate grave importe incremente \
            inicie instale lance leia limpe marque mova mude pare prepare publique reinicie remova remove renomeie \
            renomeia reveja rode roda salve teste verifique verifica",
        joining: "e depois então primeiro finalmente sempre",
        separators: &[" e ", " depois ", " em seguida "],
        ..StepWords::NONE
    },
    facts: FactWords {
        before_value: &["é", "com", "em", "usa"],
        copulas: &[
            "é", "está", "usa", "usam", "prefere", "vive", "trabalha", "custa", "significa",
        ],
    },
    generic_words: "\
        continua obrigado obrigada valeu sim perfeito agora tambem mesmo mesma outro outra arquivo arquivos \
        ficheiro ficheiros funcao modulo faz rode teste proximo proxima resto otimo certo beleza \
        favor",
    headings: HeadingWords {
        lasting: "\
            sempre nunca prefiro prefere preferência preferências regra regras deve importante estilo \
            convenções",
        personal: "pessoal pessoas família amigos casa saúde",
        work: "trabalho equipe equipa escritório empresa colegas clientes projeto projetos",
        plain: "fatos factos notas diversos",
    },
    parts: PartWords {
        conjunctions: &["e", "ou"],
        asking: &[
            "quem", "quê", "qual", "quais", "quando", "onde", "como", "quanto", "quanta", "quantos", "quantas",
        ],
        requesting: &["também", "diga", "diz", "mostra", "mostre", "procura", "procure", "encontra", "encontre", "lembra", "explica", "lista"],
        pairing: &["entre", "compare", "compara", "comparar", "tanto"],
        separating: &["com", "quanto"],
        ..PartWords::NONE
    },
    ..Language::NONE
};

//! Word lists of Turkish.

use super::{
    Cues, DateUnit, DateWords, FirstPerson, HeadingWords, Language, PartWords, QuestionWords, Script, StepWords,
};

/// Turkish.
#[rustfmt::skip]
pub(super) static TURKISH: Language = Language {
    code: "tr",
    name: "Turkish",
    script: Script::Latin,
    stop_words: "\
        acaba ama ancak artik asla az bana bazi ben benden beni benim bir biri biz bizde bizden bize bizi bizim bu \
        bugun buna bunda bundan bunlar bunu bunun burada cok cunku da daha dan de degil den diye dolayi dun en gibi \
        hala hangi hangisi hani hem hep hepsi her hic icin ile in ise kac kadar kendi ki kim kimden kime kimi kimin \
        mi mu nasil ne neden nedir nerede nereden nereye nesi nicin nin niye nun o olan olarak oldu oldugu olmak on \
        ona onda ondan onlar onlari onu onun orada oysa pek sana sanki sen senden seni senin si siz sizden size sizi \
        sizin sonra su suna sunu ta tan te ten tum un var vardi ve veya ya yani yarin ye yi yok yoksa yu zaman zaten",
    ambiguous_stop_words: "\
        bazi ben bir biz bu da dan de den dun en hep her in ki mi mu ne nun o on sen si size su ta te ten un var ve \
        ya ye",
    not_stop_words: "on an",
    letters: "ığşç",
    endings: "\
        i u a e in un im um yi yu ya ye si su da de ta te dan den tan ten la le yla yle lar ler lari leri larin \
        lerin lara lere larda lerde lardan lerden larim lerim larimiz lerimiz imiz umuz miz muz siz suz lik luk ci \
        cu nin nun sini sunu sina sine sinda sinde sundan sinden sindan ini unu inda inde unda unde indan inden \
        undan unden ina ine una une yor iyor uyor iyoruz uyoruz di du ti tu dik duk tik tuk dim dum tim tum mis mus \
        ecek acak mek mak me ma mesi masi mede mada meye maya dir dur tir tur ilir ulur",
    softened: &[('b', 'p'), ('c', 'c'), ('d', 't'), ('g', 'k')],
    dates: DateWords {
        months: [
            &["ocak"],
            &["şubat", "subat"],
            &["mart"],
            &["nisan"],
            &["mayıs", "mayis"],
            &["haziran"],
            &["temmuz"],
            &["ağustos", "agustos"],
            &["eylül", "eylul"],
            &["ekim"],
            &["kasım", "kasim"],
            &["aralık", "aralik"],
        ],
        weekdays: [
            &["pazartesi"],
            &["salı", "sali"],
            &["çarşamba", "carsamba"],
            &["perşembe", "persembe"],
            &["cuma"],
            &["cumartesi"],
            &["pazar"],
        ],
        counted: &[
            ("evvelsi gün", DateUnit::Day, 2),
            ("önceki gün", DateUnit::Day, 2),
            ("dün", DateUnit::Day, 1),
            ("bugün", DateUnit::Day, 0),
            ("geçen hafta", DateUnit::Week, 1),
            ("bu hafta", DateUnit::Week, 0),
            ("geçen ay", DateUnit::Month, 1),
            ("bu ay", DateUnit::Month, 0),
            ("geçen yıl", DateUnit::Year, 1),
            ("geçen sene", DateUnit::Year, 1),
            ("bu yıl", DateUnit::Year, 0),
            ("bu sene", DateUnit::Year, 0),
        ],
        units: [
            &["gün"],
            &["hafta"],
            &["ay"],
            &["yıl", "sene"],
        ],
        numbers: [
            &["bir"],
            &["iki"],
            &["üç"],
            &["dört"],
            &["beş"],
            &["altı"],
            &["yedi"],
        ],
        ago_after: &["önce"],
        last: &["son", "geçen"],
        ..DateWords::NONE
    },
    cues: Cues {
        refutation: &[
            "değilmiş", "o değildi", "bu değildi", "sebep değildi", "yanlış iz", "yanılmışım", "yanılıyordum",
            "unut bunu", "onu unut", "ilgisi yok", "ilgisi yokmuş", "vazgeçtim", "çıkmaz sokak",
        ],
        retraction: &["unut bunu", "boş ver", "boşver", "vazgeçtim", "fikrimi değiştirdim"],
        denial: &["bu değil", "o değil", "değildi"],
        polite: &["lütfen", "ve", "evet", "tamam", "bu arada"],
        reminders: &[
            "bunu unutma", "bunu unutmayın", "bunu aklında tut", "bunu not et", "unutma", "unutmayın", "aklında olsun",
            "aklında tut", "not et",
        ],
        reminders_that: &["unutma ki", "unutmayın ki", "aklında olsun ki"],
        negations: &["değil", "asla", "hiç", "yok"],
    },
    questions: QuestionWords {
        question_words: &[
            "nerede", "nereye", "nereden", "ne zaman", "hangi", "hangisi", "kimin", "kimdi", "kiminle", "nasıl",
        ],
        markers: &[
            "nerede", "nereye", "nereden", "ne zaman", "hangi", "hangisi", "neydi", "nedir", "kimdi", "nasıl", "kaç",
            "mı", "mü", "mıydı", "miydi", "muydu", "müydü",
        ],
        past_phrases: &["eskiden", "önceden", "evvelce"],
        past_phrases_with_past_form: &["daha önce"],
        past_forms: &[
            "çalışıyordum", "çalışıyordu", "çalıştım", "çalışmıştım", "yaşıyordum", "yaşıyordu", "yaşadım",
            "oturuyordum", "kullanıyorduk", "kullandık", "kullanıyordum", "vardı", "idi", "neydi",
        ],
        past_endings: &["yordum", "yorduk", "yordu", "tim", "dim"],
        left_open: &["hâlâ açık", "hala açık", "yapılacak", "yarım kalan", "kalan işler"],
        done: &["yaptık", "yaptım", "çalıştık", "çalıştım", "oldu", "karar verdik"],
        current_project: &["burada", "bu proje", "bu projede"],
        ..QuestionWords::NONE
    },
    first_person: FirstPerson {
        headings: &["hakkımda", "kişisel"],
        begins: &["benim", "ben asla", "ben her zaman", "ben hep", "adım"],
        ends: &[
            "yaşıyorum", "çalışıyorum", "oturuyorum", "kullanıyorum", "konuşuyorum", "seviyorum", "yemiyorum",
            "içmiyorum", "tercih ederim", "tercih ediyorum", "alerjim var", "vejetaryenim",
        ],
        anywhere: &["benim için"],
        possessives: "benim",
        lead: "bundan sonra unutma ve evet",
        fillers: "bir şimdi artık",
        own_verbs: &[
            ("yaşıyorum", "yaşıyor"), ("çalışıyorum", "çalışıyor"), ("oturuyorum", "oturuyor"),
            ("kullanıyorum", "kullanıyor"), ("konuşuyorum", "konuşuyor"), ("seviyorum", "seviyor"),
            ("yemiyorum", "yemiyor"),
        ],
        named: &["benim adım", "adım"],
        ..FirstPerson::NONE
    },
    steps: StepWords {
        verbs: "\
            aç artır başlat bekle bul çalıştır derle değiştir dene durdur düzelt ekle etiketle gönder güncelle \
            hazırla indir kaldır kapat kaydet kopyala kur oku oluştur ölç paylaş sil taşı yap yaz yayınla yükle \
            yükselt",
        verb_is_last: true,
        joining: "ve sonra ardından önce daima",
        separators: &[" ve ", " sonra ", " ardından "],
        ..StepWords::NONE
    },
    generic_words: "\
        devam tesekkurler tesekkur lutfen evet tamam guzel harika simdi ayni diger baska dosya dosyalar \
        fonksiyon modul yap calistir sonraki kalan bitti tekrar",
    headings: HeadingWords {
        lasting: "daima asla tercih tercihler kural kurallar önemli stil",
        personal: "kişisel insanlar aile arkadaşlar ev sağlık",
        work: "iş ekip ofis şirket müşteriler proje projeler",
        plain: "bilgiler notlar diğer",
    },
    parts: PartWords {
        conjunctions: &["ve", "ile", "veya"],
        asking: &[
            "ne", "kim", "kimin", "kime", "kimi", "nerede", "nereye", "nereden", "neden", "niçin", "nasıl",
            "hangi", "hangisi", "kaç", "kaça", "nedir",
        ],
        pairing: &["arasında", "arasındaki", "farkı", "karşılaştır", "hem"],
        separating: &["ile"],
        bare_nouns: true,
        ..PartWords::NONE
    },
    ..Language::NONE
};

//! Word lists of Turkish.

use super::{
    Cues, DateUnit, DateWords, FirstPerson, HeadingWords, Language, QuestionWords, Script, StatementCues, StepWords,
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
        decision: &[
            "karar verdik", "karar verdim", "kararlaştırdık", "kararlaştırıldı", "karar:", "karar verildi",
            "kararımız", "seçtik", "seçildi", "anlaştık", "üzerinde anlaştık", "bundan sonra", "bundan böyle",
            "artık hep", "devam ediyoruz", "kalıyoruz",
        ],
        persons_decision: &[
            "kullanalım", "kullanıyoruz", "kullanacağız", "alalım", "alıyoruz", "kalsın", "bırakalım", "bırakıyoruz",
            "yapalım", "yapıyoruz", "geçelim", "geçiyoruz", "demiştik", "her zaman olmalı", "asla olmamalı",
        ],
        imperative: &["kullan", "kullanın", "bırak", "hep", "asla", "daima", "sadece", "yalnızca"],
        binding: &[
            "için", "her yerde", "her zaman", "asla", "değil", "yerine", "sadece", "yalnızca", "olarak", "kadar",
        ],
        hedge: &[
            "olabilir", "olabilirdi", "belki", "muhtemelen", "herhalde", "galiba", "sanırım", "sanıyorum",
            "deneyelim", "dene", "gibi görünüyor", "görünüyor", "düşünüyorum", "tahminimce", "seçenek", "alternatif",
            "henüz karar verilmedi", "karar verilmedi", "karar vermedik", "ister misin", "haber ver",
        ],
        condition: &["eğer", "yoksa"],
        finding: &[
            "buldum", "bulundu", "sebebi", "nedeni", "sebep", "kök neden", "neden olmuş", "yüzünden", "çünkü",
            "sorun şuydu", "sorun buydu", "hata şuydu", "meğer", "ortaya çıktı", "eksikti", "kaynaklanıyordu",
            "kaynaklanıyor", "suçlu",
        ],
        open: &[
            "henüz", "yapılacak", "kaldı", "hâlâ gerekiyor", "hala gerekiyor", "daha gerekiyor", "eksik kaldı",
            "bekliyor", "sonraki adım", "açık kaldı", "açık:", "todo:", "çözülmedi", "tamamlanmadı",
        ],
        refutation: &[
            "değilmiş", "o değildi", "bu değildi", "sebep değildi", "yanlış iz", "yanılmışım", "yanılıyordum",
            "unut bunu", "onu unut", "ilgisi yok", "ilgisi yokmuş", "vazgeçtim", "çıkmaz sokak",
        ],
        offer: &[
            "ister misin", "ister misiniz", "haber ver", "istersen", "isterseniz", "ayrıca yapabilirim", "yapayım mı",
        ],
        choice: &[
            "hangisi", "hangi", "mi", "mı", "mu", "mü", "yoksa", "ne dersin", "ne düşünüyorsun", "kaç", "ne kadar",
            "nerede",
        ],
        alternatives: &[
            "iki yol", "üç yol", "yollar", "seçenekler", "olasılıklar", "alternatifler", "karşılaştırdım", "ikisi de",
        ],
        picks: &["o zaman", "öyleyse", "en fazla", "en çok", "en az", "olsun"],
        task: &[
            "yaz", "ekle", "düzelt", "çalıştır", "göster", "açıkla", "kontrol", "test", "bak", "bul", "oku", "aç",
            "oluştur", "sil", "güncelle", "dene", "ölç", "neden", "niye", "nasıl", "nerede", "şimdi", "devam",
            "adını",
        ],
        postponed: &[
            "bugün değil", "daha sonra", "sonra", "başka zaman", "şimdi değil", "gelecek hafta", "haftaya",
            "bir dahaki sefere", "yarın", "erteleyelim",
        ],
        enough: &["şimdilik yeter", "şimdilik yeterli", "şimdilik iyi"],
        diagnosis: &[
            "neden", "niye", "ne oldu", "sorun ne", "hata", "bozuk", "yavaş", "takılıyor", "çöküyor", "yine",
            "yanlış", "eksik", "çalışmıyor",
        ],
        advice: &["öneririm", "öneriyorum", "tavsiye ederim", "önerim", "ben olsam"],
        consent: &["evet", "tamam", "olur", "peki", "tabii", "elbette", "aynen", "anlaştık", "harika", "yap"],
        next_steps: &["kontrol etmek", "test etmek", "bakmak", "ölçmek", "çalıştırmak", "beklemek", "sormak"],
        farewell: &[
            "yarın görüşürüz", "görüşürüz", "hoşça kal", "hoşçakal", "iyi geceler", "iyi akşamlar",
            "iyi hafta sonları",
        ],
        retraction: &["unut bunu", "boş ver", "boşver", "vazgeçtim", "fikrimi değiştirdim"],
        denial: &["bu değil", "o değil", "değildi"],
        preferences: &[
            "her zaman", "hep", "daima", "asla", "bundan sonra", "bundan böyle", "tercih ederim", "tercih ederiz",
            "unutma", "unutma ki", "aklında tut", "hatırla", "her zaman kullan", "asla kullanma", "kuralımız",
            "benim adım", "adım",
        ],
        polite: &["lütfen", "ve", "evet", "tamam", "bu arada"],
        descriptions: &["her zaman aynı", "hep aynı", "her zamanki", "asla görmedim", "hiç görmedim", "hep böyle"],
        uses: &["kullanıyoruz", "kullanırız", "biz kullanıyoruz", "bu proje"],
        used_for: &["için", "olarak", "yerine", "kullanıyor"],
        corrections: &["hayır, kullan", "hayır, onun yerine", "hayır, biz"],
        contrast: &["değil", "yerine"],
        temporary: &["bu sefer", "bu kez", "şimdilik", "bugün", "yarın", "diğeri", "ötekini", "bu oturumda"],
        lasting: &[
            "port", "portu", "portta", "sunucu", "sürüm", "veritabanı", "veri tabanı", "alan adı", "biçim",
            "saat dilimi", "para birimi", "birimler", "lisans", "şema",
        ],
        habits: &["ben asla", "ben her zaman", "biz her zaman", "tercih ederim", "tercih ederiz"],
        agreed: &["anlaştık", "karar verdik", "zorunlu", "kuralımız"],
        names: &[
            "yaşıyorum", "oturuyorum", "alerjim var", "yemiyorum", "vejetaryenim", "doktorum", "da çalışıyorum",
            "de çalışıyorum",
        ],
        negations: &["değil", "asla", "hiç", "yok"],
        statements: StatementCues {
            aside: &["bu arada"],
            limit: &["en fazla", "en çok", "en az"],
            place: &["sunucunun adresi", "sunucunun adı", "port numarası"],
            report: &["arttı", "düştü", "yükseldi", "sürdü"],
            next_time: &["bir dahaki sefere"],
            plan: &["bir dahaki sefere bakarım", "bir dahaki sefere ben"],
            no_further: &["başka hiçbir"],
            ..StatementCues::NONE
        },
    },
    questions: QuestionWords {
        question_words: &[
            "nerede", "nereye", "nereden", "ne zaman", "hangi", "hangisi", "kimin", "kimdi", "kiminle", "nasıl",
        ],
        openers: &["neden", "niye", "niçin", "kaç", "ne kadar", "nedir"],
        markers: &[
            "nerede", "nereye", "nereden", "ne zaman", "hangi", "hangisi", "neydi", "nedir", "kimdi", "nasıl", "kaç",
            "mı", "mü", "mıydı", "miydi", "muydu", "müydü",
        ],
        recall: &[
            "geçen sefer", "geçen hafta", "geçen ay", "dün", "hatırlıyor musun", "hatırlat", "karar verdik",
            "karar vermiştik", "kararlaştırdık", "kararlaştırmıştık", "anlaştık", "anlaşmıştık", "demiştik",
            "seçmiştik", "neydi",
        ],
        own_things: &["bizim", "bizde", "benim", "ne zaman", "kullanıyoruz", "kullandık"],
        code: &["kodda", "bu kodda", "bu dosyada", "bu depoda", "kodun içinde"],
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
    ..Language::NONE
};

//! Folds a line to what a reader sees who ignores scripts, styles and case.

use unicode_categories::UnicodeCategories;
use unicode_normalization_alignments::UnicodeNormalization;

/// Lookalikes of Latin letters in other scripts: the single characters that `confusables.txt` of Unicode UTS #39 lists
/// for these letters, without those that a compatibility decomposition maps to Latin, plus the small capitals, which
/// Cyrillic small letters resemble. Letters that occur in no word of [`escape`](super::escape) are left out.
#[rustfmt::skip]
const LOOKALIKES: &[(char, &str)] = &[
    ('a', "ɑΑαАаᎪᗅᴀꓮ𐊠𖽀"),
    ('b', "ƄʙΒВЬвᏏᏴᑲᖯᗷꓐꞴ𐊂𐊡𐌁"),
    ('c', "СсᏟᴄⲤⲥꓚꮯ𐊢𐌂𐐕𐐽𐔜"),
    ('d', "ԁᎠᏧᑯᗞᗪᴅꓒꓓ"),
    ('e', "ΕЕеҽᎬᴇⴹꓰꬲ𐊆𑢦𑢮"),
    ('f', "ϜքᖴẝꓝꜰꞘꞙꬵ𐊇𐊥𐔥𑢢𑣂"),
    ('g', "ƍɡɢԌցᏀᏳᶃꓖ"),
    ('h', "ʜΗНнһհᎻᏂᕼⲎꓧ𐋏"),
    ('i', "ıɩɪιіӏᎥꙇꭵ𑣃"),
    ('k', "ΚКкᏦᛕᴋⲔꓗ𐔘"),
    ('l', "ƖǀʟΙІӀᏞᒪᛁⲒⳐⵏꓡꓲ𐊊𐌉𐐛𐔦𑢣𑢲𖼖𖼨"),
    ('m', "ΜϺМмᎷᗰᛖᴍⲘꓟ𐊰𐌑"),
    ('n', "ɴΝոռⲚꓠ𐔓"),
    ('o', "ΟοσОоՕօଠഠဝჿዐᴏᴑⲞⲟⵔꓳꬽ𐊒𐊫𐐄𐐬𐓂𐓪𐔖𑢵𑣈𑣗"),
    ('p', "ΡρРрᏢᑭᴘⲢⲣꓑ𐊕"),
    ('r', "ƦʀгᎡᏒᖇᴦⲅꓣꭇꭈꮁ𐒴𖼵"),
    ('s', "ƽЅѕՏᏕᏚꓢꜱꮪ𐊖𐐠𐑈𑣁𖼺"),
    ('t', "ΤТтᎢᴛⲦꓔ𐊗𐊱𐌕𑢼𖼊"),
    ('u', "ʋυՍսሀᑌᴜꓴꞟꭎꭒ𐓎𐓶𑢸𑣘𖽂"),
    ('v', "νѴѵᏙᐯᴠⴸꓦꛟꮩ𐔝𑜆𑢠𑣀𖼈"),
    ('y', "ɣʏΥγУуҮүყᎩᎽᶌỿⲨꓬꭚ𐊲𑢤𑣜𖽃"),
];

/// Signs that look like a colon, from the same file.
#[rustfmt::skip]
const COLONS: [char; 16] = [
    '\u{2d0}', '\u{2f8}', '\u{589}', '\u{5c3}', '\u{703}', '\u{704}', '\u{903}', '\u{a83}', '\u{16ec}', '\u{1803}',
    '\u{1809}', '\u{205a}', '\u{2236}', '\u{a4fd}', '\u{a789}', '\u{fe30}',
];

/// Maps each letter to the small Latin letter that it resembles, without diacritics, and each colon-like sign to a
/// colon. `i` and `l`, whose capitals look alike, become one letter, and so do `rn` and `m`: compare the result only
/// with other folded text.
pub(super) fn folded(text: &str) -> String {
    let colons = text.chars().map(|c| if COLONS.contains(&c) { ':' } else { c });
    let letters = colons.nfkd().map(|(c, _)| c).filter(|c| !c.is_mark_nonspacing());
    letters
        .flat_map(|c| lookalike(c).to_lowercase())
        .map(|c| if c == 'i' { 'l' } else { c })
        .collect::<String>()
        .replace("rn", "m")
}

fn lookalike(character: char) -> char {
    if character.is_ascii() {
        return character;
    }
    // Letters in circles and squares, and regional indicators, are in alphabetic order and have no decomposition.
    for first in ['\u{1f150}', '\u{1f170}', '\u{1f1e6}'] {
        let place = u32::from(character).wrapping_sub(u32::from(first));
        if let Ok(place @ 0..26) = u8::try_from(place) {
            return char::from(b'a' + place);
        }
    }
    LOOKALIKES.iter().find(|(_, others)| others.contains(character)).map_or(character, |(latin, _)| *latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_is_folded_to_what_it_looks_like() {
        for (latin, others) in LOOKALIKES {
            for other in others.chars() {
                assert_eq!(folded(&other.to_string()), folded(&latin.to_string()), "{other} {:x}", u32::from(other));
            }
        }
        assert_eq!(folded("Ｓｙｓｔｅｍ：𝐬𝐲𝐬ｔéм﹕🅂🅢🆂🇸 İI1|"), "system:system:ssss ll1|");
        assert_eq!(folded("rn 日本 Ö"), "m 日本 o");
    }
}

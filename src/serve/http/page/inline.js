// Converts inline markdown to nodes. Unknown markup stays text.

import { clean, el } from "./dom.js";

/** Longest line that is parsed, in characters: a longer one is not prose, and is shown unparsed and truncated. */
const MAX_LINE = 8000;
/** Deepest nesting of emphasis. */
const MAX_DEPTH = 6;

/** Each alternative has a bounded length, so that a hostile line takes linear time. */
const MARKUP = new RegExp([
  /\\(?<escaped>[!-\/:-@[-`{-~])/u,
  /(?<ticks>`{1,3})(?<code>[^`]{1,1000})\k<ticks>/u,
  /(?<embed>!?)\[\[(?<wiki>[^[\]]{1,300})\]\]/u,
  /(?<image>!?)\[(?<label>[^[\]]{0,500})\]\((?<target><[^<>]{0,500}>|[^\s()<>]{0,1000}(?:\([^\s()]{0,200}\))?)(?:\s+"[^"]{0,200}")?\)/u,
  /(?<strong>\*\*|__)(?=\S)(?<bold>.{0,1000}?\S)\k<strong>/u,
  /~~(?=\S)(?<gone>[^~]{1,500})~~/u,
  /==(?=\S)(?<marked>[^=]{1,500})==/u,
  /\*(?=[^\s*])(?<star>[^*]{1,500})\*/u,
  /(?<![\p{L}\p{N}_])_(?=[^\s_])(?<low>[^_]{1,500})_(?![\p{L}\p{N}_])/u,
  /(?<url>https?:\/\/[^\s<>"`|\\]{1,500}[^\s<>"`|\\.,;:!?)\]'*_])/u,
  /(?<comment><!--.{0,1000}?-->)/u,
].map(({ source }) => source).join("|"), "gu");

/** Attributes right behind a picture, a link or code, as some programs write them: `{height: 1rem}`, `{.wide}`, `{:height 200}`. */
const ATTRIBUTES = /^\{([^{}\n]{0,200})\}/;
/** Extensions of pictures. */
const PICTURE = /\.(png|jpe?g|gif|webp|avif|bmp|svg)$/i;
/** The size that Obsidian takes from the end of a label: `|300`, `|300x200`. */
const SIZE = /(?:^|\|)(\d{1,4})(?:x(\d{1,4}))?$/;

/**
 * Returns the nodes of a line. Following a link to a note calls `follow(name)`; without `follow` such links are coloured text. Only links
 * to notes, `http`, `https` and `obsidian` are links; others are text. `picture(name)` returns the address of a picture of the vault.
 */
export function inline(text, follow, { picture, depth = 0 } = {}) {
  const shown = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} … (${text.length - MAX_LINE} more characters)` : text;
  const nodes = [];
  let end = 0;
  const plain = (until) => { if (until > end) nodes.push(document.createTextNode(clean(shown.slice(end, until)))); };
  for (const match of depth > MAX_DEPTH || text.length > MAX_LINE ? [] : shown.matchAll(MARKUP)) {
    // Inside the attributes of what came before.
    if (match.index < end) continue;
    plain(match.index);
    end = match.index + match[0].length;
    const attributes = attributesOf(match.groups, shown.slice(end, end + 202));
    end += attributes?.[0].length ?? 0;
    nodes.push(...node(match, follow, { picture, depth: depth + 1, attributes: attributes?.[1] ?? "" }));
  }
  plain(shown.length);
  return nodes;
}

/** Returns a line without its leading heading, quotation, list or task marker. */
export function withoutMarker(line) {
  return line.trim().replace(/^(#{1,6}|>|[-*+]|\d{1,9}[.)]) +/, "").replace(/^\[[ xX]\] +/, "");
}

/** Returns a heading without the attributes at its end. */
export function withoutAttributes(heading) {
  return heading.replace(/\s+\{[:.#][^{}]{0,200}\}\s*$/, "");
}

/** Returns the attributes behind a picture, or behind a link or code if they look like some. */
function attributesOf({ embed, image, wiki, label, code }, rest) {
  if (wiki === undefined && label === undefined && code === undefined) return null;
  const found = ATTRIBUTES.exec(rest);
  return found && (embed || image || /^\s*[:.#]|[=:]/.test(found[1])) ? found : null;
}

function node({ 0: whole, groups: found }, follow, { picture, depth, attributes }) {
  const within = (name, text) => [el(name, {}, inline(text, follow, { picture, depth }))];
  if (found.escaped) return [found.escaped];
  if (found.code !== undefined) return [el("code", { text: found.code.trim() || found.code })];
  if (found.embed && PICTURE.test(wikiName(found.wiki))) return [pictureOf(wikiName(found.wiki), found.wiki.split("|").slice(1).join("|"), attributes, picture)];
  if (found.wiki !== undefined) return [wikiLink(found.wiki, follow)];
  if (found.image) return [pictureOf(found.target.replace(/^<|>$/g, ""), found.label, attributes, picture)];
  if (found.label !== undefined) return [link(found, whole, follow, depth)];
  if (found.bold !== undefined) return within("strong", found.bold);
  if (found.gone !== undefined) return within("del", found.gone);
  if (found.marked !== undefined) return within("mark", found.marked);
  if (found.star !== undefined) return within("em", found.star);
  if (found.low !== undefined) return within("em", found.low);
  if (found.url !== undefined) return [outward(found.url, [found.url])];
  return [];
}

/** Returns what a wiki link names, without label and heading. */
const wikiName = (inside) => inside.split(/[|#]/)[0].trim();

/** Returns a picture of the vault. One of another server would cause a request, so its alternative text replaces it. */
function pictureOf(name, label, attributes, picture) {
  const size = SIZE.exec(label);
  const text = size ? label.slice(0, size.index) : label;
  const words = () => el("span", { class: "picture", text: `picture: ${text || name}` });
  if (!picture || !PICTURE.test(name) || /^[a-z][a-z0-9+.-]*:|^\/\//i.test(name)) return words();
  const image = el("img", {
    class: "picture", src: picture(name), alt: text || name, title: name, loading: "lazy",
    width: size?.[1] ?? side("width", attributes), height: size?.[2] ?? side("height", attributes),
    // It is gone, hidden, or in no form that is shown.
    on: { error: () => image.replaceWith(words()) },
  });
  return image;
}

/** Returns the length of a side in pixels, if attributes name it; other units than pixels and letters are left to the page. */
function side(name, attributes) {
  const found = new RegExp(`(?:^|[\\s:,;])${name}\\s*[:=]?\\s*["']?(\\d{1,4}(?:\\.\\d{1,3})?)(px|r?em)?(?![\\w%.])`).exec(attributes);
  return found ? Math.round(Number(found[1]) * (found[2] && found[2] !== "px" ? 16 : 1)) : undefined;
}

function wikiLink(inside, follow) {
  const bar = inside.indexOf("|");
  const target = (bar < 0 ? inside : inside.slice(0, bar)).trim();
  const shown = bar < 0 ? target.replace(/#\^?/, " › ") : inside.slice(bar + 1).trim();
  return toNote(`[[${target}]]`, shown || target, follow);
}

function toNote(name, shown, follow) {
  if (!follow) return el("span", { class: "internal", text: shown });
  return el("button", { type: "button", class: "internal", title: `Show ${name}`, text: shown, on: { click: () => follow(name) } });
}

function link(found, whole, follow, depth) {
  const target = found.target.replace(/^<|>$/g, "");
  const label = inline(found.label || target, null, { depth });
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(target)?.[1].toLowerCase();
  if (["http", "https", "obsidian"].includes(scheme)) return outward(target, label);
  if (scheme || target === "" || target.startsWith("//")) return el("span", { title: "not a link that is followed" }, whole);
  if (target.startsWith("#")) return el("span", { class: "internal" }, label);
  return toNote(`[[${decoded(target).replace(/^\.?\//, "")}]]`, found.label || target, follow);
}

function decoded(target) {
  try { return decodeURIComponent(target); } catch { return target; }
}

function outward(address, label) {
  return el("a", { href: address, rel: "noopener noreferrer nofollow", target: "_blank", title: address }, label);
}

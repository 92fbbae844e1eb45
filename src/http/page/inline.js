// Text within a line of markdown to nodes. What is not known stays text.

import { clean, el } from "./dom.js";

/** Longest line that is looked at, in characters: what is longer is no prose, and is shown as it stands, cut. */
const LONGEST = 8000;
/** How deep emphasis may lie in emphasis. */
const DEEPEST = 6;

/** Each alternative is bounded, so that a hostile line costs no more than its length. */
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

/**
 * Returns the nodes of a line. `follow(name)` is called where a link to a note is followed; without it such links are text in
 * another colour. Links to anything but notes, `http`, `https` and `obsidian` are text.
 */
export function inline(text, follow, depth = 0) {
  const shown = text.length > LONGEST ? `${text.slice(0, LONGEST)} … (${text.length - LONGEST} more characters)` : text;
  const nodes = [];
  let end = 0;
  const plain = (until) => { if (until > end) nodes.push(document.createTextNode(clean(shown.slice(end, until)))); };
  for (const match of depth > DEEPEST || text.length > LONGEST ? [] : shown.matchAll(MARKUP)) {
    plain(match.index);
    nodes.push(...node(match, follow, depth));
    end = match.index + match[0].length;
  }
  plain(shown.length);
  return nodes;
}

/** Returns a line without the marks of a heading, a quotation, a list or a task at its beginning. */
export function withoutMarker(line) {
  return line.trim().replace(/^(#{1,6}|>|[-*+]|\d{1,9}[.)]) +/, "").replace(/^\[[ xX]\] +/, "");
}

function node({ 0: whole, groups: found }, follow, depth) {
  const within = (name, text) => [el(name, {}, inline(text, follow, depth + 1))];
  if (found.escaped) return [found.escaped];
  if (found.code !== undefined) return [el("code", { text: found.code.trim() || found.code })];
  if (found.wiki !== undefined) return [wikiLink(found.wiki, follow)];
  if (found.label !== undefined) return [link(found, whole, follow, depth)];
  if (found.bold !== undefined) return within("strong", found.bold);
  if (found.gone !== undefined) return within("del", found.gone);
  if (found.marked !== undefined) return within("mark", found.marked);
  if (found.star !== undefined) return within("em", found.star);
  if (found.low !== undefined) return within("em", found.low);
  if (found.url !== undefined) return [outward(found.url, [found.url])];
  return [];
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
  // A picture would be loaded from somewhere: its words stand for it.
  if (found.image) return el("span", { class: "picture", text: `picture: ${found.label || target}` });
  const label = inline(found.label || target, null, depth + 1);
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

// Converts markdown (the common part of Obsidian's dialect) to nodes. It loads and runs nothing: HTML in a note stays text.

import { el } from "./dom.js";
import { inline, withoutAttributes } from "./inline.js";

/** Most lines of a note that are shown, and deepest nesting of blocks. */
const [MAX_LINES, MAX_DEPTH] = [5000, 8];

const HEADING = /^(#{1,6})\s+(.*)$/;
const FENCE = /^\s*(`{3,}|~{3,})\s*([^\s`]*)/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX/-])\]\s+)?(.*)$/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,80} *$/;
/** A line that only carries attributes of the block above it, as kramdown has them. */
const ATTRIBUTES = /^\s*\{[:.#][^{}]{0,200}\}\s*$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/**
 * Returns the nodes of a text whose first line has the number `first`. Every block has its line range in `data-line` and `data-end`.
 * Following a link to a note calls `follow(name)`; `picture(name)` returns the address of a picture, without it pictures are named.
 */
export function markdown(text, { first = 1, follow, picture } = {}) {
  const lines = text.split("\n");
  const reader = new Reader(lines.slice(0, MAX_LINES), first, { follow, picture });
  const blocks = reader.blocks();
  if (lines.length > MAX_LINES) blocks.push(el("p", { class: "dim" }, `… ${lines.length - MAX_LINES} more lines`));
  return blocks;
}

/** Returns the block of `markdown` that shows a line; the previous block if the line itself shows nothing. */
export function blockOf(element, line) {
  let found = null;
  for (const block of element.querySelectorAll("[data-line]")) {
    if (Number(block.dataset.line) > line) break;
    if (Number(block.dataset.end) >= line || !found || Number(found.dataset.end) < line) found = block;
  }
  return found;
}

class Reader {
  constructor(lines, first, links, depth = 0) {
    Object.assign(this, { lines, first, links, depth, at: 0 });
  }

  /** Reads lines inside a block; `first` is the number of the first one. */
  within(lines, first) {
    return new Reader(lines, first, this.links, this.depth + 1).blocks();
  }

  blocks() {
    const found = [];
    while (this.at < this.lines.length) {
      const block = this.block();
      if (block) found.push(block);
    }
    return found;
  }

  /** Returns the next block, or nothing for lines that show nothing. */
  block() {
    const line = this.lines[this.at];
    if (line.trim() === "" || ATTRIBUTES.test(line)) return this.skip();
    if (line.trimStart().startsWith("<!--")) return this.comment();
    if (FENCE.test(line)) return this.fence();
    const heading = HEADING.exec(line);
    if (heading) return this.made(`h${Math.min(heading[1].length + 1, 6)}`, 1, this.inline(withoutMarks(withoutAttributes(heading[2]))));
    if (RULE.test(line)) return this.made("hr", 1);
    if (/^\s*>/.test(line) && this.depth < MAX_DEPTH) return this.quote();
    if (ITEM.test(line)) return this.list();
    if (line.includes("|") && isTableRule(this.lines[this.at + 1])) return this.table();
    return this.paragraph();
  }

  skip() {
    this.at += 1;
    return null;
  }

  inline(text) {
    return inline(text, this.links.follow, this.links);
  }

  /** Creates a block from the next `count` lines. */
  made(name, count, children = [], properties = {}) {
    const start = this.at;
    this.at += count;
    return el(name, { dir: "auto", ...properties, data: { line: this.first + start, end: this.first + this.at - 1 } }, children);
  }

  /** Counts the next lines while `isWanted` holds; the first line always counts. */
  while(isWanted) {
    let count = 1;
    while (this.at + count < this.lines.length && isWanted(this.lines[this.at + count], this.at + count)) count += 1;
    return count;
  }

  /** Skips comments: they are for programs, as in Obsidian. */
  comment() {
    const end = this.lines.findIndex((line, index) => index >= this.at && line.includes("-->"));
    if (end < 0) return this.made("p", 1, [this.lines[this.at]]);
    this.at = end + 1;
    return null;
  }

  fence() {
    const [, mark, language] = FENCE.exec(this.lines[this.at]);
    let closed = false;
    const count = this.while((line) => {
      if (closed) return false;
      closed = line.trim().startsWith(mark) && line.trim().replaceAll(mark[0], "") === "";
      return true;
    });
    const inner = this.lines.slice(this.at + 1, this.at + count - (closed ? 1 : 0)).join("\n");
    const code = el("code", { text: inner, title: language || undefined });
    return this.made("pre", count, [code], { dir: "ltr", tabindex: "0" });
  }

  quote() {
    const count = this.while((line) => /^\s*>/.test(line));
    const inner = this.lines.slice(this.at, this.at + count).map((line) => line.replace(/^\s*> ?/, ""));
    // The marker of an Obsidian callout; its title or type suffices.
    inner[0] = inner[0].replace(/^\[!(\w{1,20})\][+-]?(.*)$/, (_, kind, heading) => `**${heading.trim() || kind.toLowerCase()}**  `);
    return this.made("blockquote", count, this.within(inner, this.first + this.at));
  }

  list() {
    const [, indent, mark] = ITEM.exec(this.lines[this.at]);
    const isOrdered = /\d/.test(mark);
    const width = (line) => line.length - line.trimStart().length;
    const start = this.at;
    const items = [];
    while (this.at < this.lines.length) {
      const item = ITEM.exec(this.lines[this.at]);
      if (!item || width(this.lines[this.at]) !== indent.length || /\d/.test(item[2]) !== isOrdered) break;
      items.push(this.item(item, width, indent.length));
    }
    const name = isOrdered ? "ol" : "ul";
    const number = isOrdered ? Number.parseInt(mark, 10) : 1;
    const properties = { dir: "auto", start: number === 1 ? undefined : number, data: { line: this.first + start, end: this.first + this.at - 1 } };
    return el(name, properties, items);
  }

  item([, , , box, text], width, indent) {
    const count = this.while((line, index) => {
      if (line.trim() !== "") return width(line) > indent;
      // A blank line belongs to the item if the next line does.
      const next = this.lines[index + 1];
      return next !== undefined && next.trim() !== "" && width(next) > indent;
    });
    const below = this.lines.slice(this.at + 1, this.at + count);
    const inset = Math.min(...below.filter((line) => line.trim() !== "").map(width), 80);
    const lines = [text, ...below.map((line) => line.slice(inset))];
    // An item holds blocks: a quotation, a heading, code. Its first paragraph stands on the line of its mark.
    const [lead, ...rest] = this.depth < MAX_DEPTH ? this.within(lines, this.first + this.at) : this.inline(lines.join(" "));
    const own = lead?.tagName === "P" ? [...lead.childNodes] : lead;
    const mark = box === undefined ? null : task(box);
    return this.made("li", count, [mark, own, rest], { class: box === undefined ? undefined : "task" });
  }

  table() {
    const count = this.while((line, index) => index === this.at + 1 || (line.includes("|") && line.trim() !== ""));
    const rows = this.lines.slice(this.at, this.at + count).filter((_, index) => index !== 1).map(cells);
    const row = (name) => (texts) => el("tr", {}, texts.map((text) => el(name, { dir: "auto" }, this.inline(text))));
    const [head, ...body] = rows;
    const table = el("table", {}, el("thead", {}, row("th")(head)), el("tbody", {}, body.map(row("td"))));
    return this.made("div", count, [table], { class: "table", tabindex: "0", role: "region", "aria-label": "Table" });
  }

  paragraph() {
    const isOther = (line) => line.trim() === "" || ATTRIBUTES.test(line) || HEADING.test(line) || FENCE.test(line) || ITEM.test(line) || /^\s*>/.test(line);
    const count = this.while((line) => !isOther(line));
    const texts = this.lines.slice(this.at, this.at + count);
    const children = texts.flatMap((line, index) => [index > 0 && (/ {2}$|\\$/.test(texts[index - 1]) ? el("br") : " "), ...this.inline(line.trim())]);
    return this.made("p", count, children);
  }
}

/** Returns a heading without its closing marks. */
function withoutMarks(heading) {
  const text = heading.trimEnd();
  let end = text.length;
  while (text[end - 1] === "#") end -= 1;
  return end < text.length && /^$|\s/.test(text[end - 1] ?? "") ? text.slice(0, end).trimEnd() : text;
}

/** Whether a line separates the head of a table from its body. Long lines are excluded, because the pattern is slow on hostile ones. */
function isTableRule(line) {
  return line !== undefined && line.length < 500 && TABLE_RULE.test(line);
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).slice(0, 50).map((cell) => cell.trim());
}

function task(box) {
  const isDone = box.toLowerCase() === "x";
  return el("span", { class: `box ${isDone ? "done" : ""}`, role: "img", "aria-label": isDone ? "done" : "open" }, isDone ? "☑ " : "☐ ");
}

// The lines of an answer as they are shown.

import type { Hit } from "./answers";

/** Lines shown before and after the one that answers. */
const [BEFORE, AFTER] = [1, 3];
/** Longest part of a line that is shown, in characters. */
const MAX_LINE = 400;
/** Bidirectional overrides and other invisible characters, which are shown as escapes. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
/** A rule, or the line below the head of a table. */
const RULE = /^[-=_*|:\s]{3,200}$/;

export interface ShownLine {
  text: string;
  answers: boolean;
}

/** Returns the line that answers with those around it, without empty lines, comments and rules. */
export function answeringLines(hit: Pick<Hit, "content" | "line" | "start_line">): ShownLine[] {
  const all = hit.content.split("\n");
  const at = Math.min(Math.max(0, hit.line - hit.start_line), all.length - 1);
  return all
    .map((line, index) => ({ text: withoutMarker(line), answers: index === at, index }))
    .slice(Math.max(0, at - BEFORE), at + AFTER + 1)
    .filter(({ text, answers }) => answers || !(text === "" || text.startsWith("<!--") || RULE.test(text)))
    .map(({ text, answers }) => ({ text: shortened(text), answers }));
}

/** Returns a line without its leading heading, quotation, list or task marker. */
export function withoutMarker(line: string): string {
  return line.trim().replace(/^(#{1,6}|>|[-*+]|\d{1,9}[.)]) +/, "").replace(/^\[[ xX]\] +/, "");
}

/** Returns a text with invisible and direction-changing characters as escapes. */
export function clean(text: string): string {
  return text.replace(UNSEEN, (letter) => (letter === "\r" ? "" : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`));
}

function shortened(text: string): string {
  return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} …` : text;
}

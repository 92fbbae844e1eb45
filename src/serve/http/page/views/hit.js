// One search result: score and band, heading, lines with the match marked, and its explanation.

import { button, count, el, svg } from "../dom.js";
import { inline, withoutMarker } from "../inline.js";
import { placeName } from "../places.js";

/** Lines shown before and after the match. */
const [BEFORE, AFTER] = [1, 3];
/** Longest part of a line that is shown, in characters. */
const MAX_LINE = 400;

/** Style classes of the bands, and their words where room is scarce. */
const BANDS = { relevant: ["high", "relevant"], "kinda relevant": ["middle", "kinda"], "maybe relevant": ["low", "maybe"], "not relevant": ["none", "not"] };

/** Creates the row of a hit. `explanation` is the answer's explanation, with the search terms. */
export function hitRow(hit, explanation, context) {
  const open = () => {
    context.open(hit.path, { collection: hit.collection, line: hit.line });
    if (matchMedia("(max-width: 899px)").matches) setTimeout(() => context.preview.focus(), 100);
  };
  const name = hit.heading && hit.heading !== hit.title ? hit.heading : hit.title;
  const head = button([
    el("span", { class: "name", dir: "auto" }, name.split(" > ").flatMap((part, index) => (index > 0 ? [el("span", { class: "step" }, " › "), part] : [part]))),
    el("span", { class: "place" }, el("bdi", {}, placeName(hit.path, hit.line)), hit.collection !== "vault" && ` in ${hit.collection}`, hit.date && [" · ", el("span", { class: "whole" }, hit.date)]),
  ], open, { class: "hit-head", data: { row: hit.id } });
  head.addEventListener("focus", () => {
    // On a wide screen, an open preview follows the focus.
    if (matchMedia("(min-width: 900px)").matches && context.preview.isOpen) open();
  });
  return el("li", { class: "hit-row" },
    el("div", { class: "hit-top" }, head, band(hit)),
    hit.superseded && el("p", { class: "warning", dir: "auto" }, supersededText(hit.superseded)),
    el("div", { class: "lines", dir: "auto" }, lines(hit)),
    hit.explanation && why(hit, explanation));
}

function band({ score, relevance }) {
  const meter = svg("svg", { viewBox: "0 0 40 6", width: 40, height: 6, class: "meter", "aria-hidden": "true" },
    svg("rect", { width: 40, height: 6, rx: 3, class: "meter-back" }), svg("rect", { width: Math.max(2, 40 * score), height: 6, rx: 3, class: "meter-bar" }));
  const [kind, short] = BANDS[relevance] ?? BANDS["not relevant"];
  return el("span", { class: `band ${kind}`, title: relevance }, el("span", {}, score.toFixed(2)), meter,
    el("span", { class: "word" }, relevance), el("span", { class: "short word", "aria-hidden": "true" }, short));
}

function supersededText({ since, until, by }) {
  return `No longer true: it held ${since ? `from ${since} ` : ""}until ${until}; now: ${by}`;
}

function lines(hit) {
  const all = hit.content.split("\n");
  const at = hit.line - hit.start_line;
  const from = Math.max(0, Math.min(at - BEFORE, all.length));
  const shown = all.slice(from, at + AFTER + 1);
  return shown.map((line, index) => lineOf(line, from + index === at)).filter(Boolean);
}

function lineOf(line, isMatch) {
  const text = withoutMarker(line);
  if (text === "" || text.startsWith("<!--") || /^[-=_*|:\s]{3,200}$/.test(text)) return isMatch ? el("p", { class: "line match" }, "…") : null;
  const cut = text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} …` : text;
  const nodes = inline(cut, null);
  return el("p", { class: isMatch ? "line match" : "line" }, isMatch ? el("mark", {}, nodes) : nodes);
}

/** Explains the hit's score; docs/json.md describes the fields. */
function why(hit, answer) {
  const own = hit.explanation;
  const parts = [["Its words", own.words], ["Its meaning", own.meaning], ["The passage beside it", own.neighbour], ["Notes that link to it", own.link]];
  const sum = parts.reduce((total, [, part]) => total + part, 0) || 1;
  const row = ([name, part]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, bar(part / sum)), el("td", { class: "number" }, percent(part / sum)));
  const places = [own.lexical_rank && `${place(own.lexical_rank)} by its words`, own.vector_rank && `${place(own.vector_rank)} by its meaning`].filter(Boolean);
  const facts = [
    places.length > 0 && `Of all passages it is ${places.join(" and ")}.`,
    own.favour > 0 && `It is raised by ${percent(own.favour)}: the words stand together, or it is recent or of your project.`,
    own.favour < 0 && `It is lowered by ${percent(-own.favour)}: it repeats what a better result says.`,
    hit.reranked !== undefined && `The reranker is ${percent(hit.reranked)} sure that it answers.`,
  ].filter(Boolean);
  const isBest = own.share >= 0.995;
  const score = answer && (isBest ? `Nothing fits better, and it answers with a certainty of ${percent(answer.confidence)}.`
    : `It fits ${percent(own.share)} as well as the best result, which answers with a certainty of ${percent(answer.confidence)}: together ${hit.score.toFixed(2)}.`);
  const terms = answer?.terms?.map((term) => `${term.text} (${count(term.chunks, "passage")})`).join(", ");
  return el("details", { class: "why" },
    el("summary", { title: "Why it was found (w)" }, `Found by ${foundBy(hit.matched_by)}: why?`),
    facts.length > 0 && el("p", {}, facts.join(" ")),
    el("table", { class: "parts" }, el("tbody", {}, parts.filter(([, part]) => part > 0).map(row))),
    score && el("p", { class: "dim" }, score),
    terms && el("p", { class: "dim", dir: "auto" }, `Looked for: ${terms}.`));
}

const foundBy = (ways) => (ways.length === 0 ? "its filters" : ways.map((way) => (way === "keyword" ? "words" : "meaning")).join(" and "));

const percent = (share) => `${Math.round(share * 100)} %`;

/** Returns a place in a list in words: "the best", "the 2nd". */
function place(number) {
  const ending = /1[1-3]$/.test(String(number)) ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th";
  return number === 1 ? "the best" : `the ${number}${ending}`;
}

function bar(share) {
  return svg("svg", { viewBox: "0 0 120 8", width: 120, height: 8, class: "meter", "aria-hidden": "true" },
    svg("rect", { width: 120, height: 8, rx: 4, class: "meter-back" }), svg("rect", { width: Math.max(1, 120 * Math.min(1, share)), height: 8, rx: 4, class: "meter-bar" }));
}

// A small graph of a note and its neighbours: similar notes are closer, links are solid lines.

import { el, svg } from "./dom.js";

/** Size of the drawing, radii of the ellipse, and longest name in characters: beside a list, and on a phone. */
const WIDE = { width: 500, height: 300, across: 135, down: 118, longest: 18 };
const NARROW = { width: 360, height: 340, across: 76, down: 135, longest: 13 };
/** Most notes in the drawing; more would be indistinguishable. */
const MAX_NOTES = 12;

/**
 * Draws the answer of `related`. Every note is clickable. For people who cannot see the drawing, the list beside it has the same content.
 */
export function graph(related, follow) {
  const notes = related.notes.slice(0, MAX_NOTES);
  const room = matchMedia("(max-width: 899px)").matches ? NARROW : WIDE;
  const drawing = svg("svg", { viewBox: `0 0 ${room.width} ${room.height}`, class: "graph", "aria-hidden": "true" });
  const middle = { x: room.width / 2, y: room.height / 2 };
  const best = Math.max(0.01, ...notes.map((note) => note.score ?? 0));
  const places = notes.map((note, index) => place((note.score ?? 0) / best, index / notes.length, middle, room));
  places.forEach(({ x, y }, index) => drawing.append(edge(notes[index], middle, { x, y })));
  places.forEach((at, index) => drawing.append(point(notes[index], at, { middle, longest: room.longest }, () => follow(notes[index]))));
  drawing.append(svg("circle", { cx: middle.x, cy: middle.y, r: 9, class: "own" }));
  drawing.append(label(shortened(related.title, 2 * room.longest), { x: middle.x, y: middle.y - 15 }, "middle", "own-name"));
  return el("figure", { class: "graph-box" }, drawing, legend());
}

/** Returns the position of a note: around the middle, closer the more similar it is (0 to 1, relative to the most similar one). */
function place(alike, turn, middle, { across, down }) {
  const angle = 2 * Math.PI * turn - Math.PI / 2.5;
  const distance = 1 - 0.35 * Math.min(1, alike);
  return { x: middle.x + Math.cos(angle) * across * distance, y: middle.y + Math.sin(angle) * down * distance };
}

function edge(note, from, to) {
  const isLink = note.is_target || note.is_source;
  return svg("line", { x1: from.x, y1: from.y, x2: to.x, y2: to.y, class: isLink ? "edge link" : "edge" });
}

function point(note, { x, y }, { middle, longest }, follow) {
  const isLeft = x < middle.x - 8;
  const isRight = x > middle.x + 8;
  const beside = { x: x + (isLeft ? -9 : isRight ? 9 : 0), y: isLeft || isRight ? y + 4 : y + (y < middle.y ? -11 : 18) };
  const circle = svg("circle", { cx: x, cy: y, r: 4 + 4 * (note.score ?? 0), class: note.is_target || note.is_source ? "node link" : "node" });
  const name = label(shortened(note.title, longest), beside, isLeft ? "end" : isRight ? "start" : "middle", "name");
  return svg("g", { class: "neighbour", on: { click: follow } }, svg("title", { text: note.path }), circle, name);
}

function label(text, { x, y }, anchor, name) {
  return svg("text", { x, y, "text-anchor": anchor, class: name, text });
}

const shortened = (text, longest) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

function legend() {
  const sample = (name) => svg("svg", { viewBox: "0 0 24 8", width: 24, height: 8, "aria-hidden": "true" }, svg("line", { x1: 0, y1: 4, x2: 24, y2: 4, class: name }));
  return el("figcaption", { class: "dim" }, sample("edge link"), " linked  ", sample("edge"), " about the same; nearer is more alike");
}

// The news: settings that wait for a restart, what waits for a decision, the latest day of the log, and the notes that changed last.
// The search shows it before a question.

import { call } from "../api.js";
import { button, count, el, show } from "../dom.js";
import { keepFocus } from "../list.js";
import { placeName } from "../places.js";
import { entryRow } from "./days.js";

/** Most lines of the day, and notes; notes to ask for, because those of the memory folder are left out. */
const [LINES, NOTES, ASKED] = [6, 6, 30];

/** Draws the news into `box`; `isWanted()` returns whether they are still wanted when the answers are there. */
export async function news(box, context, isWanted) {
  // Each part stands for itself: without a log there are still notes.
  const ask = (operation, request) => call(operation, request).catch(() => null);
  const [status, review, proposals, ends, timeline, notes] = await Promise.all([
    ask("status"), ask("review"), ask("proposals"), ask("done"), ask("timeline", { days: 1 }),
    // Notes with a later day are plans.
    ask("search", { query: "type:note", until: "today", limit: ASKED }),
  ]);
  if (!isWanted()) return;
  const waiting = [
    [review?.length ?? 0, "line", "lines"], [proposals?.filter(({ word }) => word === "open").length ?? 0, "proposal", "proposals"],
    [ends?.found.length ?? 0, "open end", "open ends"],
  ].filter(([number]) => number > 0);
  keepFocus(box, () => show(box, unapplied(status), waits(waiting), day(timeline?.days[0], context), latest(own(notes?.results ?? [], timeline), context)));
}

/** Leaves out the files of the memory folder, which the other parts show. */
function own(hits, timeline) {
  const memory = timeline?.days.find(({ path }) => path)?.path.replace(/[^/]*$/, "") ?? "tars/";
  return hits.filter(({ collection, path }) => collection !== "vault" || !path.startsWith(memory)).slice(0, NOTES);
}

/** Names the settings that the server has not taken, and the remedy. */
export function unapplied(status) {
  const keys = status?.unapplied_settings ?? [];
  if (keys.length === 0) return null;
  return el("p", { class: "warning" }, keys.length === 1 ? "A setting was changed" : "Settings were changed", " since tars started, and not taken yet: ",
    keys.map((key, index) => [index > 0 && ", ", el("code", {}, key)]), ". End ", el("code", {}, "tars serve"), " and start it again.");
}

function waits(waiting) {
  if (waiting.length === 0) return null;
  return el("section", {}, el("h2", {}, "Waits for your decision"),
    el("p", {}, el("a", { class: "waits", href: "#/review", data: { row: "review" } }, waiting.map(([number, one, many], index) => `${index > 0 ? ", " : ""}${count(number, one, many)}`).join(""))));
}

function day(newest, context) {
  if (!newest || newest.entries.length === 0) return null;
  const { day: date, path, entries } = newest;
  const isToday = date === new Date().toLocaleDateString("sv-SE");
  const name = new Date(`${date}T12:00:00`).toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
  const open = (line) => context.open(path, { collection: "vault", line });
  return el("section", {}, el("h2", {}, isToday ? "Today" : name),
    el("ul", { class: "rows" }, entries.slice(-LINES).map((entry) => entryRow(entry, date, open))),
    el("p", {}, el("a", { href: "#/days" }, entries.length > LINES ? `All ${entries.length} lines, and other days` : "Other days")));
}

function latest(hits, context) {
  if (hits.length === 0) return null;
  const row = ({ path, collection, title, date }) => el("li", {}, button([
    el("span", { class: "text", dir: "auto" }, title),
    el("span", { class: "place" }, el("bdi", {}, placeName(path)), collection !== "vault" && ` in ${collection}`, date && ` · ${date}`),
  ], () => context.open(path, { collection }), { class: "entry latest", data: { row: `${collection}:${path}` } }));
  return el("section", {}, el("h2", {}, "Last notes"), el("ul", { class: "rows" }, hits.map(row)));
}

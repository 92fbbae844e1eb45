// Everything that waits for a decision: feedback, extracted lines, proposals, and open ends. Each is kept, edited, dropped or ticked, by
// key.

import { call, isOutdated } from "../api.js";
import { append, button, count, el, show } from "../dom.js";
import { inline } from "../inline.js";
import { currentRow, focusRow, keepFocus } from "../list.js";
import { originText, placeName } from "../places.js";
import { problemBox, toast, toastProblem } from "../shell.js";

export const title = "Review";
export const letter = "r";
export const keys = [["m", "keep it as a fact"], ["p", "keep it as a rule"], ["a", "accept the proposal"], ["e", "edit, then keep"], ["d", "drop it"], ["t", "tick the open end"], ["u", "take the last change back"]];

const SOURCES = { correction: "Correction", reward: "Praise", extracted: "From a session" };
const CHANGES = {
  add: "Add", page: "Put on the project's page", merge: "Make one line of these", replace: "Reword", supersede: "Mark as outdated",
  remove: "Remove", link: "Fix a link", move: "Move to another file",
};

/** Shows the view. */
export function mount(root, context) {
  const body = el("div", {});
  append(root, [el("h1", {}, "Review"), body, feedbackForm(load)]);

  /** The card that gets the focus at the next draw. */
  let focusAt = 0;
  let loads = 0;

  async function load() {
    const own = ++loads;
    try {
      const [waiting, proposals, ends] = await Promise.all([call("review"), call("proposals"), call("done")]);
      // A newer load has started meanwhile.
      if (own !== loads) return;
      keepFocus(body, () => draw(waiting, proposals.filter(({ word }) => word === "open"), ends.found));
      if (focusAt !== null && !focusRow(body, focusAt)) focusRow(body, -1);
      focusAt = null;
    } catch (error) {
      show(body, problemBox(error));
    }
  }

  function draw(waiting, open, ends) {
    show(body,
      waiting.length + open.length + ends.length === 0 && el("p", { class: "empty" }, "Nothing waits for your decision. Feedback, lines extracted from sessions, proposals and open ends appear here."),
      waiting.length > 0 && el("section", {}, el("h2", {}, count(waiting.length, "line waits", "lines wait")), el("ul", { class: "cards" }, waiting.map((line) => waitingCard(line)))),
      open.length > 0 && el("section", {}, el("h2", {}, count(open.length, "proposal")), el("ul", { class: "cards" }, open.map((proposal) => proposalCard(proposal)))),
      ends.length > 0 && el("section", {}, el("h2", {}, count(ends.length, "open end")), el("ul", { class: "cards" }, ends.map((end) => openEndCard(end)))));
  }

  /** Settles a card, reports the result, and goes on to the next card. */
  async function settle(act, restsOn) {
    const rows = [...body.querySelectorAll("[data-row]")];
    focusAt = Math.max(0, rows.indexOf(currentRow()));
    try {
      toast(await act({ restsOn }), { label: "Undo", act: undo });
    } catch (error) {
      if (isOutdated(error)) toast("The notes changed meanwhile. Nothing was done; here is how they are now.");
      else toastProblem(error);
    }
    await load();
  }

  async function undo() {
    try {
      const { undone, refused } = await call("undo", {});
      toast(refused ? `Not taken back: ${refused.path} was changed since.` : undone.length === 0 ? "There is nothing to take back." : "Taken back.");
    } catch (error) {
      toastProblem(error);
    }
    load();
  }

  function waitingCard(line) {
    const promote = (to, text) => settle(async (options) => {
      const request = { id: line.id, path: line.path, settlement: { promote: { to, ...(text && { text }) } } };
      const { status, path } = await call("settle", request, options);
      return status === "known" ? "It was remembered already." : `Kept in ${path}`;
    }, "review");
    const drop = () => settle(async (options) => {
      await call("settle", { id: line.id, path: line.path, settlement: "drop" }, options);
      return "Dropped.";
    }, "review");
    const words = el("p", { class: "words", dir: "auto" }, inline(line.proposal, (name) => context.open(name)));
    const card = cardOf(`${line.path}:${line.id}`, line.proposal);
    const rewrite = () => editInPlace(words, line.proposal, [["Keep as a fact", (text) => promote("semantic", text)], ["Keep as a rule", (text) => promote("procedural", text)]], card);
    return append(card, [
      el("p", { class: "card-head" }, el("span", { class: `badge ${line.source}` }, SOURCES[line.source] ?? line.source), " ", place(line.path, line.line),
        line.origin && line.origin.by !== "person" && el("span", { class: "dim" }, ` · by ${originText(line.origin)}`)),
      words,
      el("p", { class: "actions" }, keyed("Fact", "m", () => promote("semantic")), keyed("Rule", "p", () => promote("procedural")), keyed("Edit", "e", rewrite), keyed("Drop", "d", drop)),
    ]);
  }

  function proposalCard(proposal) {
    const decide = (accept, text) => settle(async (options) => {
      const { status } = await call("decide", { id: proposal.id, accept, ...(text && { text }) }, options);
      return { accepted: "Accepted.", refused: "Refused.", gone: "A line that it was about is not there any more." }[status];
    }, "proposals");
    const { lines = [], sources = [], link, stays } = proposal;
    const follow = (name) => context.open(name);
    const words = proposal.page ? pageOf(proposal.page, follow) : el("p", { class: "words", dir: "auto" }, inline(proposal.text, follow));
    const card = cardOf(proposal.id, proposal.text);
    const bringsWords = ["add", "merge", "replace"].includes(proposal.change);
    const rewrite = () => editInPlace(words, proposal.text, [["Accept in these words", (text) => decide(true, text)]], card);
    return append(card, [
      el("p", { class: "card-head" }, el("span", { class: "badge" }, proposal.job), " ", el("strong", {}, CHANGES[proposal.change] ?? proposal.change), " ", place(proposal.path), proposal.section && ` › ${proposal.section}`),
      // A proposal without words of its own repeats the lines below.
      !lines.includes(proposal.text) && words,
      lines.length > 0 && el("div", { class: "diff" }, lines.map((line) => el("del", { dir: "auto" }, line))),
      stays && el("p", { class: "dim", dir: "auto" }, "Stays: ", stays),
      link && el("p", { dir: "auto" }, `[[${link.target}]] → ${link.to ? `[[${link.to}]]` : "plain words"}`),
      sources.length > 0 && el("details", {}, el("summary", {}, `Rests on ${count(sources.length, "line")}`), el("ul", {}, sources.map((source) => el("li", { dir: "auto" }, source)))),
      el("p", { class: "actions" }, keyed("Accept", "a", () => decide(true)), bringsWords && keyed("Edit", "e", rewrite), keyed("Drop", "d", () => decide(false))),
    ]);
  }

  function openEndCard({ id, path, line, day, project, said }) {
    const tick = () => settle(async (options) => {
      const { ticked } = await call("done", { query: id, tick: "one" }, options);
      return ticked.length === 0 ? "It is not open any more." : "Ticked.";
    }, "done");
    return append(cardOf(`${path}:${id}`, said), [
      el("p", { class: "card-head" }, project && [el("span", { class: "badge" }, project), " "], el("time", { datetime: day }, day), " ", place(path, line)),
      el("p", { class: "words", dir: "auto" }, inline(said, (name) => context.open(name))),
      el("p", { class: "actions" }, keyed("Done", "t", tick)),
    ]);
  }

  const place = (path, line) => button(placeName(path, line), () => context.open(path, { collection: "vault", line }), { class: "internal place" });

  load();
  return {
    focus: () => focusRow(body, 0),
    happened: (name) => { if (name === "written" && !body.querySelector("textarea")) load(); },
    key(event) {
      if (event.key === "u") { undo(); return true; }
      const action = currentRow()?.querySelector(`[data-act="${CSS.escape(event.key)}"]`);
      action?.click();
      return action !== null && action !== undefined;
    },
  };
}

/** The lines of a proposed page by section. */
function pageOf(sections, follow) {
  return el("div", { class: "page" }, sections.map(({ section, lines }) => [
    el("h3", { dir: "auto" }, section), el("ul", {}, lines.map((line) => el("li", { dir: "auto" }, inline(line, follow)))),
  ]));
}

const cardOf = (id, text) => el("li", { class: "card", tabindex: "0", data: { row: id }, "aria-label": text });

const keyed = (label, key, act) => button([label, " ", el("kbd", { "aria-hidden": "true" }, key)], act, { data: { act: key } });

/** Replaces the words with a field; each of `ways` is a button that submits the field's text. */
function editInPlace(words, text, ways, card) {
  const field = el("textarea", { rows: "3", "aria-label": "New words" });
  field.value = text;
  const box = el("div", { class: "edit" }, field, el("p", { class: "actions" }, ways.map(([label, act]) => button(label, () => act(field.value.trim()))), button("Leave it", () => leave())));
  const leave = () => { box.replaceWith(words); card.focus(); };
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); ways[0][1](field.value.trim()); }
    if (event.key === "Escape") { event.stopPropagation(); leave(); }
  });
  words.replaceWith(box);
  field.focus();
}

function feedbackForm(written) {
  const note = el("input", { type: "text", id: "feedback", autocomplete: "off", placeholder: "What was good, or wrong?" });
  const say = (good) => async () => {
    if (note.value.trim() === "") return note.focus();
    try {
      await call("feedback", { good, note: note.value });
      note.value = "";
      toast("Noted: it waits for your review.");
    } catch (error) {
      toastProblem(error);
    }
    written();
  };
  return el("section", {}, el("h2", {}, "Feedback"),
    el("div", { class: "add" }, el("label", { class: "unseen", for: "feedback" }, "What was good, or wrong?"), note, button("It was good", say(true)), button("It was wrong", say(false))));
}

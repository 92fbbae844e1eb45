// Search as you type: hits with their lines, filters as chips, explanations, and the note preview. Before a question: the news.

import { call, Latest } from "../api.js";
import { append, button, debounced, el, show } from "../dom.js";
import { currentRow, focusRow, keepFocus } from "../list.js";
import { collectionRoots } from "../places.js";
import { problemBox, say } from "../shell.js";
import { hitRow } from "./hit.js";
import { news } from "./news.js";

export const title = "Search";
export const letter = "s";
export const keys = [["↓", "from the field to the first line"], ["w", "why a line was found"], ["↑", "back to the field"]];

/** Debounce of the input, in milliseconds. */
const DEBOUNCE = 120;
/** Requested hits. */
const LIMIT = 12;
/** Hits below this score are listed separately as not relevant: see docs/search.md. */
const MIN_SCORE = 0.25;

/** The state without a question. */
const EMPTY = "no question";

const KINDS = [["note", "Notes"], ["semantic", "Facts"], ["procedural", "Rules"], ["daily", "Days"], ["episodic", "Sessions"], ["chat", "Chats"]];
const MODES = [["", "Words and meaning"], ["keyword", "Words alone"], ["vector", "Meaning alone"]];
const TIMES = [["", "Any time"], ["7 days ago", "Last 7 days"], ["30 days ago", "Last 30 days"], ["365 days ago", "Last year"]];
/** Filters inside the query, which are shown as removable chips. */
const TYPED = /(?:^|\s)(-?(?:tags?|path|folder|in|type|after|before):(?:"[^"]*"|\S+))/g;

/** Shows the view. */
export function mount(root, context) {
  const latest = new Latest();
  const parameters = context.parameters();
  const field = el("input", {
    type: "search", id: "query", name: "query", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
    placeholder: "What do you want to find?", "aria-describedby": "count",
  });
  field.value = parameters.get("q") ?? "";
  const chips = el("div", { class: "chips", role: "group", "aria-label": "Filters" });
  const count = el("p", { id: "count", class: "dim count" });
  const notices = el("div", {});
  const list = el("ol", { class: "hits", "aria-label": "Results" });
  const latestNews = el("div", { class: "news" });
  append(root, [
    el("h1", { class: "unseen" }, "Search"),
    el("div", { class: "search-head" }, el("label", { class: "unseen", for: "query" }, "Question"), field, chips, count),
    notices, list, latestNews,
  ]);

  let isTyping = false;
  const later = debounced(() => {
    isTyping = false;
    context.set({ q: field.value.trim() }, { replace: true });
    find();
  }, DEBOUNCE);
  field.addEventListener("input", () => { isTyping = true; drawChips(); later(); });
  field.addEventListener("keydown", (event) => { if (event.key === "Enter") later.now(); });

  let asked = "";
  /** Runs the search in the address. With `again`, repeats an unchanged search. */
  async function find({ again = false } = {}) {
    const request = requestOf(context.parameters());
    const key = request.query === "" ? EMPTY : JSON.stringify(request);
    if (key === asked && !again) return;
    asked = key;
    if (key === EMPTY) {
      latest.drop();
      show(notices);
      show(list);
      const isWanted = () => asked === key;
      news(latestNews, context, isWanted);
      return welcome(count, isWanted);
    }
    show(latestNews);
    root.classList.add("busy");
    try {
      const answer = await latest.call("search", request);
      if (answer) keepFocus(list, () => draw(answer, again));
    } catch (error) {
      show(list);
      show(count);
      show(notices, problemBox(error));
    } finally {
      root.classList.remove("busy");
    }
  }

  function draw(answer, again) {
    const relevant = answer.results.filter((hit) => hit.score >= MIN_SCORE);
    const rest = answer.results.slice(relevant.length);
    const text = relevant.length === 0 ? "Nothing relevant was found." : `${relevant.length} relevant or nearly so`;
    show(count, text, answer.index.pending > 0 ? ` · ${answer.index.pending} changed notes are not indexed yet` : "");
    show(notices, [answer.degraded, ...answer.remarks].filter(Boolean).map((remark) => el("p", { class: "warning", dir: "auto" }, remark)));
    const row = (hit) => hitRow(hit, answer.explanation, context);
    show(list, relevant.map(row), relevant.length === 0 && el("li", { class: "empty" }, "Your notes hold nothing that is relevant to this."));
    if (rest.length > 0) {
      const fold = el("details", { class: "rest", open: relevant.length === 0 && rest.length <= 3 },
        el("summary", {}, relevant.length === 0 ? `${rest.length} lines that are not relevant` : `${rest.length} more that are hardly relevant`),
        el("ol", { class: "hits" }, rest.map(row)));
      list.append(el("li", { class: "rest-row" }, fold));
    }
    if (!again) say(text);
  }

  function drawChips() {
    const now = context.parameters();
    const kinds = (now.get("kind") ?? "").split(",").filter(Boolean);
    const toggle = (kind) => set({ kind: kinds.includes(kind) ? kinds.filter((one) => one !== kind).join(",") : [...kinds, kind].join(",") });
    const kindChips = KINDS.map(([kind, name]) => button(name, () => toggle(kind), { class: "chip", "aria-pressed": String(kinds.includes(kind)) }));
    const typed = [...field.value.matchAll(TYPED)].map(([, filter]) =>
      button([filter, el("span", { "aria-hidden": "true" }, " ×")], () => without(filter), { class: "chip typed", title: `Take ${filter} away` }));
    const place = document.activeElement?.textContent;
    show(chips, typed, kindChips,
      choice("Time", TIMES, now.get("since") ?? "", (since) => set({ since })),
      choice("How", MODES, now.get("mode") ?? "", (mode) => set({ mode })), collections);
    // Redrawing has replaced the pressed chip.
    [...chips.querySelectorAll("button")].find((chip) => chip.textContent === place)?.focus();
  }

  const collections = el("span", {});
  collectionRoots().then((known) => {
    if (known.size < 2) return;
    const names = [["", "All collections"], ...[...known.keys()].map((name) => [name, name])];
    show(collections, choice("Collection", names, context.parameters().get("collection") ?? "", (collection) => set({ collection })));
  });

  function set(changes) {
    context.set(changes, { replace: true });
    drawChips();
    find();
  }

  function without(filter) {
    field.value = field.value.replace(filter, "").replace(/\s+/g, " ").trim();
    drawChips();
    later.now();
    field.focus();
  }

  drawChips();
  find();
  if (!context.parameters().get("note")) field.focus();
  return {
    isSearch: true,
    focus: () => { field.focus(); field.select(); },
    update() {
      const query = context.parameters().get("q") ?? "";
      // The input is newer than the address while the person types.
      if (!isTyping && field.value.trim() !== query) { field.value = query; drawChips(); }
      find();
    },
    happened: (name) => { if (name === "indexed" || asked === EMPTY) find({ again: true }); },
    fieldKey(event) {
      return event.target === field && event.key === "ArrowDown" && focusRow(root, 0);
    },
    key(event) {
      if (event.key !== "w") return false;
      const why = currentRow()?.closest("li")?.querySelector("details.why");
      if (why) why.open = !why.open;
      return why !== undefined && why !== null;
    },
    leave: () => latest.drop(),
  };
}

function requestOf(parameters) {
  const get = (name) => parameters.get(name) ?? "";
  return {
    query: get("q"), limit: LIMIT, min_score: 0, explain: true,
    ...(get("mode") && { mode: get("mode") }),
    ...(get("since") && { since: get("since") }),
    ...(get("kind") && { memory_types: get("kind").split(",") }),
    ...(get("collection") && { collections: [get("collection")] }),
  };
}

function choice(name, options, chosen, choose) {
  const select = el("select", { class: "chip", "aria-label": name }, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  select.classList.toggle("chosen", chosen !== "");
  select.addEventListener("change", () => choose(select.value));
  return select;
}

/** Shows the state before any query: the number of searchable notes. */
async function welcome(count, isWanted) {
  try {
    const { files, chunks } = await call("status");
    if (!isWanted()) return;
    show(count, `${files.toLocaleString("en")} notes with ${chunks.toLocaleString("en")} sections can be searched. `,
      "Ask in your own words, or narrow down: ", ["tag:work", "path:Projects", "after:2026-01", "\"exact words\"", "-unwanted"].map((text) => [el("code", {}, text), " "]));
  } catch (error) {
    show(count, problemBox(error));
  }
}

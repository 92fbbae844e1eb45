// The note preview: its text from the index, the line that was found, and its neighbours.

import { call, Latest } from "./api.js";
import { button, el, show } from "./dom.js";
import { graph } from "./graph.js";
import { blockOf, markdown } from "./markdown.js";
import { copyButton, obsidianLink, placeName } from "./places.js";
import { problemBox } from "./shell.js";

/** Most tokens of a note in the preview; a longer note is better read in an editor. */
const MAX_TOKENS = 40000;

/** The preview: `open` shows a note, `close` hides it. Links to other notes call `follow(name)`. */
export class Preview {
  #box;
  #follow;
  #close;
  #latest = new Latest();
  #shown = null;

  constructor(box, { follow, close }) {
    this.#box = box;
    this.#follow = follow;
    this.#close = close;
  }

  get isOpen() {
    return !this.#box.hidden;
  }

  /** Shows a note of a collection by name (a path, a link, an id), at a line if given. */
  async open({ name, collection, line }) {
    const key = JSON.stringify([name, collection]);
    const isSame = this.#shown?.key === key && this.isOpen;
    this.#box.hidden = false;
    document.body.classList.add("with-preview");
    if (isSame) return this.#mark(line);
    this.#shown = { key };
    if (!this.#box.hasChildNodes()) show(this.#box, el("p", { class: "dim" }, "Loading …"));
    try {
      const request = { names: [name], budget: MAX_TOKENS, collections: collection ? [collection] : [] };
      const answer = await this.#latest.call("get", request);
      if (answer) this.#show(answer.notes[0], line);
    } catch (error) {
      show(this.#box, this.#bar([]), problemBox(error));
    }
  }

  close() {
    this.#latest.drop();
    this.#shown = null;
    this.#box.hidden = true;
    this.#box.replaceChildren();
    document.body.classList.remove("with-preview");
  }

  /** Moves the focus into the preview. */
  focus() {
    this.#box.querySelector("h2")?.focus();
  }

  #show(note, line) {
    const picture = (name) => `/picture?${new URLSearchParams({ in: note.collection, note: note.path, name })}`;
    const body = el("article", { class: "note", dir: "auto" }, markdown(note.content, { first: note.start_line, follow: this.#follow, picture }));
    const head = [
      el("h2", { tabindex: "-1", dir: "auto" }, note.title),
      el("p", { class: "place" }, el("bdi", {}, placeName(note.path, line)), note.collection === "vault" ? "" : ` in ${note.collection}`),
      el("p", { class: "actions" },
        obsidianLink(note.collection, note.path),
        copyButton("Copy path:line", placeName(note.path, line), { data: { key: "y" } })),
    ];
    const cut = note.is_cut && el("p", { class: "dim" }, `The note goes on after line ${note.end_line}.`);
    show(this.#box, this.#bar(head), body, cut, this.#related(note));
    this.#box.scrollTop = 0;
    this.#mark(line);
  }

  #bar(head) {
    const close = button("Close", () => this.#close(), { class: "quiet close", title: "Close the note (Escape)" });
    return el("header", { class: "note-head" }, close, head);
  }

  #mark(line) {
    this.#box.querySelector(".hit")?.classList.remove("hit");
    const block = line && blockOf(this.#box, line);
    if (!block) return;
    block.classList.add("hit");
    const place = this.#box.querySelector(".place bdi");
    if (place) place.textContent = place.textContent.replace(/(:\d+)?$/, `:${line}`);
    // Scrolls only the preview, never the page below it.
    const [inner, outer] = [block.getBoundingClientRect(), this.#box.getBoundingClientRect()];
    this.#box.scrollTop += inner.top - outer.top - outer.height / 3;
  }

  #related(note) {
    const body = el("div", {});
    const fold = el("details", { class: "related", open: sessionStorage.getItem("related") === "open" },
      el("summary", { data: { key: "r" }, title: "Related notes (r)" }, "Related notes"), body);
    const fill = async () => {
      if (!fold.open || body.hasChildNodes()) return;
      show(body, el("p", { class: "dim" }, "Looking for neighbours …"));
      try {
        const related = await call("related", { name: note.path, collections: [note.collection] });
        show(body, relatedNotes(related, this.#follow));
      } catch (error) {
        show(body, problemBox(error));
      }
    };
    fold.addEventListener("toggle", () => {
      sessionStorage.setItem("related", fold.open ? "open" : "closed");
      fill();
    });
    fill();
    return fold;
  }
}

function relatedNotes(related, follow) {
  if (related.notes.length === 0) return el("p", {}, "No note is linked with it or about the same.");
  const go = (note) => follow(note.path, { collection: note.collection, line: note.line });
  const why = (note) => [
    note.is_target && "linked from it", note.is_source && "links to it",
    note.score !== null && note.score >= 0.01 && `${note.score.toFixed(2)} alike`,
  ].filter(Boolean).join(", ");
  const row = (note) => el("li", {},
    button(note.title, () => go(note), { class: "internal", title: note.path }), " ", el("span", { class: "dim" }, why(note)));
  return [
    related.degraded && el("p", { class: "warning" }, `Less was compared: ${related.degraded}`),
    graph(related, go),
    el("ul", { class: "plain" }, related.notes.map(row)),
  ];
}


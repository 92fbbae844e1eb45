// The parts of a conversation: messages, answers, tool calls, and the list of conversations.

import { remove } from "../conversations.js";
import { button, count, el } from "../dom.js";
import { markdown } from "../markdown.js";
import { ago, toast, toastProblem } from "../shell.js";

/** Shows that an answer is in progress. */
export const waiting = () => el("li", { class: "waiting dim" }, "…");

/** Shows a message of the person. */
export const mine = (text) => el("li", { class: "said mine", dir: "auto" }, text);

/** Shows an answer of tars; `follow(name)` opens a note. */
export const answer = (text, follow) => el("div", { class: "note", dir: "auto" }, markdown(text, { follow }));

/** Shows a tool call. */
export function toolLine(name, about, result, failed) {
  const mark = failed ? "✗" : "✓";
  return el("li", { class: "tool" }, el("details", {},
    el("summary", {}, el("code", {}, name), " ", about, " ", el("span", { class: failed ? "failed" : "dim" }, mark)), el("pre", {}, result)));
}

/** Shows the earlier entries. */
export function entriesOf(entries, follow) {
  // Tool results are in the order of the calls.
  let called = [];
  return entries.map(({ role, text, tools = [], stopped }) => {
    if (role === "tool") return toolLine(called.shift() ?? "tool", "", text, stopped);
    called = [...tools];
    if (role === "user") return mine(text);
    if (role === "summary") return el("li", { class: "dim" }, "The messages above were summarized for the model.");
    return text.trim() || stopped ? el("li", { class: "said tars" }, answer(text, follow), stopped && el("p", { class: "dim" }, "(stopped)")) : null;
  });
}

/** Shows a conversation in the list; `open(id)` opens it, and `deleted(id)` is called after its deletion. */
export function pastLine({ id, title, at, messages }, { open, deleted }) {
  const gone = button("Delete", async () => {
    if (!gone.dataset.sure) {
      gone.dataset.sure = "1";
      gone.textContent = "Note it and delete it?";
      return;
    }
    gone.disabled = true;
    try {
      const { noted_in: places } = await remove(id);
      toast(places.length > 0 ? `Deleted; it is noted in ${places.join(", ")}.` : "Deleted.");
      deleted(id);
    } catch (error) {
      toastProblem(error);
      deleted(null);
    }
  }, { class: "quiet", "aria-label": `Delete: ${title}` });
  return el("li", { class: "chat-line" }, button([el("span", { class: "name", dir: "auto" }, title),
    el("span", { class: "place" }, `${ago(at)} · ${count(messages, "message")}`)], () => open(id), { class: "hit-head", data: { row: id } }), gone);
}

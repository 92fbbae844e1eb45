// The context that agents were given: by session, time and question, with the lines and their use.

import { call, Latest } from "../api.js";
import { append, button, count, el, show } from "../dom.js";
import { inline, withoutMarker } from "../inline.js";
import { keepFocus } from "../list.js";
import { originText, placeName } from "../places.js";
import { ago, moment, problemBox, toastProblem } from "../shell.js";

export const title = "Recalled";
export const letter = "w";

const OCCASIONS = { session_start: "The session began", prompt: "Prompt", helper: "Helper of the agent" };
const USES = { expanded: "looked up", quoted: "quoted", helpful: "helpful", not_helpful: "not helpful" };

/** Shows the view. */
export function mount(root, context) {
  const latest = new Latest();
  const summary = el("p", { class: "dim" });
  const list = el("ul", { class: "rows sessions", "aria-label": "Sessions" });
  const detail = el("section", { class: "detail", "aria-live": "polite" });
  append(root, [el("h1", {}, "Recalled"), summary, el("div", { class: "split" }, list, detail)]);

  /** The session in the detail view, if it is in the list. */
  let shown = null;

  async function load() {
    try {
      const [sessions, { recall }] = await Promise.all([call("recalled"), call("stats", { recall: true })]);
      show(summary, sessions.length === 0
        ? "Agents got no context in the last 30 days. With the plugin (docs/plugin.md), prompts bring up relevant notes."
        : `The last ${recall.days} days: ${count(recall.prompts_with_lines, "prompt")} of ${recall.prompts} brought up ${count(recall.lines, "line")}` +
          `${recall.share === null ? "" : `, ${recall.used} of them were used (${Math.round(recall.share * 100)} %)`}.`);
      keepFocus(list, () => show(list, sessions.map(row)));
      mark(shown);
    } catch (error) {
      show(list, el("li", {}, problemBox(error)));
    }
  }

  function row({ session, last, lines, used, question }) {
    return el("li", {}, button([
      el("span", { class: "name", dir: "auto" }, question || "(no question)"),
      el("span", { class: "place" }, `${ago(last)} · ${count(lines, "line")}, ${used} used · `, el("bdi", {}, session.slice(0, 8))),
    ], () => context.set({ session }), { class: "hit-head", data: { row: session } }));
  }

  function mark(session) {
    for (const element of list.querySelectorAll("[data-row]")) {
      if (element.dataset.row === session) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
    }
  }

  async function tell() {
    const session = context.parameters().get("session");
    try {
      const answer = await latest.call("why", session ? { session } : {});
      if (answer) draw(answer);
    } catch (error) {
      show(detail, problemBox(error));
    }
  }

  function draw({ session, events }) {
    shown = session;
    mark(session);
    if (session === null) return show(detail);
    show(detail, el("h2", {}, "Session ", el("bdi", {}, session.slice(0, 8))), events.map((event) => occasion(event, session)));
  }

  function occasion({ at, event, question, pieces }, session) {
    return el("article", { class: "occasion" },
      el("h3", { dir: "auto" }, el("span", { class: "badge" }, OCCASIONS[event] ?? event), " ", question),
      el("p", { class: "dim" }, el("time", { datetime: at }, moment(at))),
      pieces.length === 0 && el("p", { class: "dim" }, "Nothing new was relevant, so the agent got no context."),
      pieces.filter(({ always }) => !always).map((piece) => pieceOf(piece, session)),
      alwaysOf(pieces.filter(({ always }) => always), session));
  }

  /** The lines of every session start are collapsed: nobody wonders why they came. */
  function alwaysOf(pieces, session) {
    if (pieces.length === 0) return null;
    return el("details", {}, el("summary", {}, `Shown at every session start: ${pieces.map(({ path }) => path).join(", ")}`), pieces.map((piece) => pieceOf(piece, session)));
  }

  function pieceOf({ collection, path, start_line: start, heading, score, always, lines }, session) {
    const why = always ? "shown whenever a session begins" : score === null ? "from the days' logs" : `score ${score.toFixed(2)}`;
    return el("div", { class: "piece" },
      el("p", {}, button(placeName(path, lines[0]?.line ?? start), () => context.open(path, { collection, line: lines[0]?.line ?? start }), { class: "internal place" }),
        heading && [" ", el("span", { dir: "auto" }, heading.replaceAll(" > ", " › "))], " ", el("span", { class: "dim" }, why)),
      el("ul", {}, lines.map((line) => lineOf(line, session))));
  }

  function lineOf({ number, text, used, origin }, session) {
    const judge = async (helpful) => {
      try {
        await call("mark", { session, numbers: [number], helpful });
      } catch (error) {
        toastProblem(error);
      }
      tell();
    };
    const mine = (use) => String(used.includes(use));
    return el("li", {}, el("span", { class: "text", dir: "auto" }, inline(withoutMarker(text), null), used.map((use) => [" ", el("span", { class: `badge ${use}` }, USES[use] ?? use)]),
      origin && origin.by !== "person" && [" ", el("span", { class: "dim" }, originText(origin))]),
      number !== null && el("span", { class: "row-actions" },
        button("Helped", () => judge(true), { class: "quiet", "aria-label": `Helped: ${text}`, "aria-pressed": mine("helpful") }),
        button("Did not", () => judge(false), { class: "quiet", "aria-label": `Did not help: ${text}`, "aria-pressed": mine("not_helpful") })));
  }

  load();
  tell();
  return {
    focus: () => list.querySelector("[data-row]")?.focus(),
    update: tell,
    happened: (name) => { if (name === "recalled") { load(); tell(); } },
    leave: () => latest.drop(),
  };
}

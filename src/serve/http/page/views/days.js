// A timeline of the days: notes, decisions and open ends by project and channel, with their sessions.

import { call } from "../api.js";
import { append, button, count, el, show } from "../dom.js";
import { inline, withoutMarker } from "../inline.js";
import { keepFocus } from "../list.js";
import { copyButton } from "../places.js";
import { problemBox, say, toast, toastProblem } from "../shell.js";

export const title = "Days";
export const letter = "d";
export const keys = [["a", "add a line to today's log"]];

/** Shows the view. */
export function mount(root, context) {
  const filters = el("div", { class: "chips", role: "group", "aria-label": "Filters" });
  const list = el("div", { class: "timeline" });
  const more = el("p", {});
  const field = el("input", { type: "text", id: "entry", placeholder: "A line for today's log", autocomplete: "off" });
  const form = el("form", { class: "add" }, el("label", { class: "unseen", for: "entry" }, "A line for today's log"), field, el("button", { type: "submit", class: "main" }, "Note it"));
  append(root, [el("h1", {}, "Days"), form, filters, list, more]);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (field.value.trim() === "") return;
    try {
      await call("daily", { append: field.value });
      field.value = "";
      toast("Noted in today's log.");
    } catch (error) {
      toastProblem(error);
    }
    load();
  });

  let days = [];
  let earlier = null;

  async function load() {
    try {
      // Request as many days as are shown already, so that none disappears.
      ({ days, earlier } = await call("timeline", { days: Math.max(14, Math.min(100, days.length)) }));
      draw();
    } catch (error) {
      show(list, problemBox(error));
    }
  }

  async function loadEarlier() {
    try {
      const older = await call("timeline", { until: earlier });
      days = [...days, ...older.days];
      earlier = older.earlier;
      draw();
    } catch (error) {
      toastProblem(error);
    }
  }

  function draw() {
    const parameters = context.parameters();
    const wanted = { project: parameters.get("project") ?? "", channel: parameters.get("channel") ?? "", outcome: parameters.get("outcome") ?? "" };
    const all = days.flatMap((day) => day.entries);
    const values = (name) => [...new Set(all.map((entry) => entry[name]).filter(Boolean))].sort();
    show(filters,
      choice("Project", "All projects", values("project"), wanted.project, (project) => context.set({ project }, { replace: true })),
      choice("Channel", "All channels", values("channel"), wanted.channel, (channel) => context.set({ channel }, { replace: true })),
      choice("Outcome", "All lines", values("outcome"), wanted.outcome, (outcome) => context.set({ outcome }, { replace: true })));
    const isFiltered = Object.values(wanted).some(Boolean);
    const meets = (entry) => Object.entries(wanted).every(([name, value]) => value === "" || entry[name] === value);
    const shown = days.map((day) => ({ ...day, entries: day.entries.filter(meets), sessions: isFiltered ? [] : day.sessions }))
      .filter((day) => day.entries.length + day.sessions.length > 0);
    keepFocus(list, () => drawDays(shown, isFiltered));
    show(more, earlier && button(`Earlier days, from ${earlier} back`, loadEarlier));
    if (isFiltered) say(count(shown.reduce((sum, day) => sum + day.entries.length, 0), "line"));
  }

  function drawDays(shown, isFiltered) {
    if (shown.length === 0) show(list, el("p", { class: "empty" }, isFiltered ? "No line of these days is like that." : "No day has a log yet. The field above begins today's."));
    else show(list, shown.map((day) => dayOf(day, context)));
  }

  load();
  return {
    focus: () => filters.querySelector("select")?.focus(),
    update: draw,
    happened: (name) => { if (name !== "recalled") load(); },
    key(event) {
      if (event.key !== "a") return false;
      field.focus();
      return true;
    },
  };
}

function choice(name, all, values, chosen, choose) {
  if (values.length === 0) return null;
  const options = [["", all], ...[...new Set([...values, chosen].filter(Boolean))].map((value) => [value, value])];
  const select = el("select", { class: chosen ? "chip chosen" : "chip", "aria-label": name }, options.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));
  select.addEventListener("change", () => choose(select.value));
  return select;
}

function dayOf({ day, path, entries, sessions }, context) {
  const date = new Date(`${day}T12:00:00`);
  const open = (line) => context.open(path, { collection: "vault", line });
  const groups = [];
  for (const entry of entries) {
    if (groups.at(-1)?.[0].heading !== entry.heading) groups.push([]);
    groups.at(-1).push(entry);
  }
  return el("section", { class: "day" },
    el("h2", {}, el("time", { datetime: day }, date.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" }))),
    groups.map((group) => groupOf(group, day, open)),
    sessions.length > 0 && el("div", { class: "group" }, el("h3", {}, "Logs of sessions"),
      el("ul", { class: "rows" }, sessions.map((session) => sessionRow(session, context)))));
}

/** The entries under one heading of a log: a person's lines, or the outcomes of a session. */
function groupOf(entries, day, open) {
  const [{ heading, session, project, transcript, turns }] = entries;
  const turn = turns.length > 0 ? ` --turn ${turns[0]}` : "";
  const command = transcript && `tars transcript ${quoted(transcript)}${turn}`;
  return el("div", { class: session ? "group session" : "group" },
    heading && el("h3", { dir: "auto" }, project ? heading.replace(` · ${project}`, "") : heading,
      project && [" ", el("span", { class: "badge" }, project)],
      command && [" ", copyButton("Copy transcript command", command, { class: "quiet small" })]),
    el("ul", { class: "rows" }, entries.map((entry) => entryRow(entry, day, open))));
}

/** A line of a log as a row; `open(line)` shows it in its file. */
export function entryRow({ line, time, channel, outcome, is_ticked: isTicked, text }, day, open) {
  const [said, request] = outcome ? text.split(/ — (.*)/s) : [text];
  const state = outcome === "Open" ? (isTicked ? "☑ " : "☐ ") : "";
  return el("li", {},
    button([
      el("span", { class: "time" }, time ?? ""),
      el("span", { class: "text", dir: "auto" },
        outcome && el("span", { class: `outcome ${outcome.toLowerCase().replace(" ", "-")}` }, `${state}${outcome}`),
        channel && el("span", { class: "badge channel" }, channel),
        // Links inside a line stay text, because a button cannot contain links. The note shows them.
        inline(withoutMarker(said), null), request && el("span", { class: "dim" }, ` — ${request}`)),
    ], () => open(line), { class: "entry", data: { row: `${day}:${line}` } }));
}

function sessionRow({ id, path, topic, began }, context) {
  return el("li", {}, button([el("span", { class: "time" }, began?.slice(11, 16) ?? ""), el("span", { class: "text", dir: "auto" }, topic || id)],
    () => context.open(path, { collection: "vault" }), { class: "entry", data: { row: id } }));
}

/** Returns a path quoted for a shell. */
const quoted = (path) => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

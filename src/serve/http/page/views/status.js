// The status: index, pending work, model, sizes and problems, and a live list of events.

import { call } from "../api.js";
import { append, button, count, el, show } from "../dom.js";
import { ago, moment, problemBox, toast, toastProblem } from "../shell.js";
import { changes } from "./changes.js";
import { unapplied } from "./news.js";

export const title = "Status";
export const letter = "t";
export const keys = [["i", "index all notes"], ["z", "pause or resume the agents' memory"]];

/** Most events kept on the page. */
const MAX_EVENTS = 20;
const EVENT_NAMES = { indexed: "Notes were indexed", written: "The memory was written", recalled: "An agent got context" };
/** Events since the page was opened, newest first; they survive a change of view. */
const happenings = [];

/** Shows the view. */
export function mount(root) {
  const body = el("div", {});
  const live = el("section", {});
  const log = el("div", {});
  append(root, [el("h1", {}, "Status"), body, live, log]);
  drawEvents(live);
  let paused = [];

  async function load() {
    try {
      const [status, stats, doctor, { agents }] = await Promise.all([call("status"), call("stats"), call("doctor").catch((error) => error), call("agents")]);
      paused = status.paused;
      show(body, unapplied(status), problems(status, doctor), figures(status), collectionTable(status.collections), pauses(), agentTable(agents), model(status, stats));
      await changes(log);
    } catch (error) {
      show(body, problemBox(error));
    }
  }

  function pauses() {
    const all = paused.find(({ session }) => session === null);
    return el("section", {}, el("h2", {}, "Agents' memory"),
      paused.map(({ session, since, until }) => el("p", { class: "warning" }, `Paused since ${moment(since)}${session ? ` for session ${session}` : ""}${until ? `, until ${moment(until)}` : ""}`)),
      el("p", { class: "actions" }, el("span", {}, all ? "Agents get no context, and nothing is noted. " : "Agents get relevant context, and their turns are noted. "),
        button(all ? "Resume" : "Pause", toggle, { title: "z" })));
  }

  async function toggle() {
    const isPaused = paused.some(({ session }) => session === null);
    try {
      await call(isPaused ? "resume" : "pause", {});
      toast(isPaused ? "Resumed." : "Paused.");
    } catch (error) {
      toastProblem(error);
    }
    load();
  }

  async function index() {
    toast("Checking all notes …");
    try {
      const report = await call("index", {});
      toast(`${count(report.files, "note")}: ${report.added} new, ${report.changed} changed, ${report.removed} gone, ${report.failed} failed. ${report.warnings.slice(0, 3).join(" ")}`);
    } catch (error) {
      toastProblem(error);
    }
    load();
  }

  function figures({ files, chunks, passages, embedded, pending, last_index: last, database, watcher, notes, model: { provider }, model_change: change }) {
    const figure = (name, value, more) => el("div", { class: "figure" }, el("dt", {}, name), el("dd", {}, value), more && el("dd", { class: "dim" }, more));
    return el("section", {}, el("h2", {}, "Index"),
      el("dl", { class: "figures" },
        figure("Notes", files.toLocaleString("en"), count(chunks, "section")),
        provider === "none" ? figure("By meaning", "off", "no model is chosen")
          : figure("By meaning", passages === 0 ? "–" : `${Math.floor((100 * embedded) / passages)} %`, `${embedded.toLocaleString("en")} of ${count(passages, "passage")}`),
        change && figure("Changing the model", `${Math.floor((100 * change.embedded) / Math.max(1, change.passages))} %`, `to ${change.to}; the former one answers`),
        figure("Not indexed yet", pending.toLocaleString("en"), pending === 0 ? "everything is up to date" : "changed, or without vectors"),
        figure("Size", size(database.bytes), "on this disk"),
        figure("Last indexed", last ? ago(last) : "never", last ? moment(last) : ""),
        figure("Sessions to note", String(notes.waiting), notes.given_up > 0 ? `${notes.given_up} given up` : watcher ? "a watcher runs" : "no watcher runs")),
      el("p", {}, button("Index all notes", index, { title: "i" })));
  }

  load();
  return {
    focus: () => body.querySelector("button")?.focus(),
    happened(name, data) {
      happenings.unshift({ name, data, at: new Date() });
      happenings.length = Math.min(happenings.length, MAX_EVENTS);
      drawEvents(live);
      load();
    },
    key(event) {
      if (event.key === "i") { index(); return true; }
      if (event.key === "z") { toggle(); return true; }
      return false;
    },
  };
}

/** Lists the problems, or states that there are none. */
function problems({ collections, model }, doctor) {
  const found = [
    ...collections.filter(({ problem }) => problem).map(({ name, problem }) => `${name}: ${problem}`),
    ...collections.filter(({ unreadable }) => unreadable > 0).map(({ name, unreadable }) => `${name}: ${count(unreadable, "note")} cannot be read`),
    ...collections.flatMap(({ conflict_copies: copies }) => copies.map((path) => `left out as a copy of a conflict: ${path}`)),
    ...(model.problem ? [`model ${model.id}: ${model.problem}`] : []),
    ...(doctor instanceof Error ? [doctor.message] : doctor.problems.map(({ path, detail }) => `${path}: ${detail}`)),
  ];
  if (found.length === 0) return el("p", { class: "good" }, "Nothing is wrong.");
  return el("div", { class: "problem" }, el("ul", {}, found.map((text) => el("li", { dir: "auto" }, text))));
}

function collectionTable(collections) {
  const row = ({ name, root, files, pending, evicted }) => el("tr", {},
    el("th", { scope: "row" }, name), el("td", { class: "number" }, files.toLocaleString("en")), el("td", { class: "number" }, String(pending)),
    el("td", { class: "number" }, String(evicted)), el("td", {}, el("bdi", {}, root)));
  return el("section", {}, el("h2", {}, "Collections"), el("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Collections" },
    el("table", {}, el("thead", {}, el("tr", {}, ["Name", "Notes", "Not indexed yet", "Not on this disk", "Folder"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, collections.map(row)))));
}

/** Lists the agents of this machine: what joins tars to each, and when its hooks last ran. */
function agentTable(agents) {
  const here = agents.filter(({ is_present: isPresent }) => isPresent);
  if (here.length === 0) return null;
  const states = { missing: "none", current: "installed", different: "of another version, or edited" };
  const row = ({ label, hooks, mcp, costs }) => el("tr", {},
    el("th", { scope: "row" }, label), el("td", {}, states[hooks] ?? (costs ? "plugin installed" : "no plugin seen yet")),
    el("td", {}, mcp === null ? "–" : mcp ? "listed" : "not listed"),
    el("td", {}, costs ? `${ago(costs.last)} (${costs.event})` : "never"),
    el("td", { class: "number" }, costs ? `${costs.median_ms} ms` : "–"));
  return el("section", {}, el("h2", {}, "Agents"), el("div", { class: "table", tabindex: "0", role: "region", "aria-label": "Agents" },
    el("table", {}, el("thead", {}, el("tr", {}, ["Agent", "Hooks", "MCP server", "Last hook", "Median"].map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, here.map(row)))));
}

function model({ model: { provider, id, kernel, indexed_with: indexedWith } }, { model: stats }) {
  const by = { onnx: kernel === "ready" ? "run by tars itself" : "run by ONNX Runtime", openai: "behind a server", none: "" }[provider] ?? provider;
  return el("section", {}, el("h2", {}, "Models"),
    el("p", {}, provider === "none" ? "No model: notes are found by their words alone." : ["Meaning: ", el("code", {}, id), ` ${by}`, !indexedWith && ", nothing is embedded yet"]),
    el("p", { class: "dim" }, `Language models used ${stats.today_tokens.toLocaleString("en")} tokens today`,
      stats.daily_tokens > 0 ? ` of ${stats.daily_tokens.toLocaleString("en")}.` : "; there is no bound."));
}

function drawEvents(live) {
  const row = ({ name, data, at }) => {
    const details = Object.entries(data).filter(([, value]) => ["string", "number"].includes(typeof value)).map(([key, value]) => `${key} ${value}`).join(", ");
    return el("li", {}, el("time", { datetime: at.toISOString() }, at.toLocaleTimeString("en-GB")), " ", EVENT_NAMES[name] ?? name, details && el("span", { class: "dim", dir: "auto" }, ` ${details}`));
  };
  show(live, el("h2", {}, "Since this page was opened"),
    happenings.length === 0 ? el("p", { class: "dim" }, "Nothing has happened yet.") : el("ul", { class: "plain", role: "log" }, happenings.map(row)));
}

function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power > 1 ? 1 : 0)} ${units[power]}`;
}

// The memory: facts and rules by file and section, with editing and forgetting, and a form for new ones.

import { call, isOutdated } from "../api.js";
import { append, button, count, el, show } from "../dom.js";
import { inline } from "../inline.js";
import { currentRow, keepFocus } from "../list.js";
import { problemBox, say, toast, toastProblem } from "../shell.js";
import { changes } from "./changes.js";
import { remember, rememberForm } from "./remember.js";

export const title = "Memory";
export const letter = "m";
export const keys = [["a", "add a fact or a rule"], ["e", "edit the line"], ["x", "forget the line"], ["u", "take the last change back"]];

/** Shows the view. */
export function mount(root, context) {
  const filter = el("input", { type: "search", id: "filter", placeholder: "Show lines with these words", autocomplete: "off" });
  const body = el("div", {});
  const log = el("div", {});
  const summary = el("p", { class: "dim" });
  const sections = el("datalist", { id: "sections" });
  const form = rememberForm(() => load());
  append(root, [
    el("h1", {}, "Memory"), summary, form.element, sections,
    el("p", { class: "tools" }, el("label", { class: "unseen", for: "filter" }, "Filter"), filter, button("Undo the last change", undo, { title: "u" })),
    body, log,
  ]);
  filter.addEventListener("input", draw);

  let lines = [];
  let isEditing = false;

  async function load() {
    try {
      const [all, layers] = await Promise.all([call("lines"), call("layers")]);
      lines = all;
      show(summary, `${count(all.length, "line")}. Every session of an agent begins with Memory.md: ${layers.core_tokens} tokens now, ${layers.core_limit} are a good measure.`);
      show(sections, [...new Set(all.map((line) => line.heading).filter(Boolean))].map((value) => el("option", { value })));
      draw();
      await changes(log);
    } catch (error) {
      show(body, problemBox(error));
    }
  }

  function draw() {
    isEditing = false;
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = lines.filter((line) => words.every((word) => `${line.heading} ${line.text}`.toLowerCase().includes(word)));
    keepFocus(body, () => drawLines(shown));
    if (words.length > 0) say(count(shown.length, "line"));
  }

  function drawLines(shown) {
    if (shown.length === 0) show(body, el("p", { class: "empty" }, lines.length === 0 ? "Nothing is remembered yet. The field above adds the first line." : "No line has these words."));
    else show(body, grouped(shown, (line) => line.path).map(file));
  }

  function file([path, own]) {
    const name = { semantic: "Facts", procedural: "Rules" }[own[0].kind];
    const isCore = /\/(Memory|Procedural)\.md$/.test(path);
    return el("section", { class: "file" },
      el("h2", {}, isCore ? name : path.replace(/\.md$/, ""), " ", button(path, () => context.open(path, { collection: "vault" }), { class: "internal place" })),
      grouped(own, (line) => line.heading).map(([heading, rows]) => [
        heading && el("h3", { dir: "auto" }, heading), el("ul", { class: "rows" }, rows.map(row)),
      ]));
  }

  function row(line) {
    const item = el("li", { class: "row", tabindex: "0", data: { row: `${line.path}:${line.id}:${line.line}` }, "aria-label": line.text });
    const text = el("span", { class: "text", dir: "auto" }, inline(line.text.replace(/\n/g, " "), (name) => context.open(name)));
    const actions = el("span", { class: "row-actions" },
      button("Edit", () => edit(item, line), { "aria-label": `Edit: ${line.text}`, data: { act: "e" } }),
      button("Forget", () => forget(line), { "aria-label": `Forget: ${line.text}`, data: { act: "x" } }));
    return append(item, [text, actions]);
  }

  function edit(item, line) {
    isEditing = true;
    const field = el("textarea", { rows: "2", "aria-label": "New words of the line" });
    field.value = line.text;
    const warnings = el("div", {});
    const done = () => { draw(); document.querySelector(`[data-row="${CSS.escape(`${line.path}:${line.id}:${line.line}`)}"]`)?.focus(); };
    const save = async () => {
      if (field.value.trim() === line.text) return done();
      const request = { text: field.value, memory_type: line.kind, replace: line.id };
      if (await remember(request, warnings, { restsOn: "lines", outdated: load })) await load();
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); save(); }
      if (event.key === "Escape") { event.stopPropagation(); done(); }
    });
    show(item, el("div", { class: "edit" }, field, warnings,
      el("p", { class: "actions" }, button("Save", save, { class: "main" }), button("Leave it", done),
        el("span", { class: "dim" }, "Outdated lines move to archive/superseded.md"))));
    field.focus();
  }

  async function forget(line) {
    const { kind: _, ...found } = line;
    try {
      const { removed } = await call("forget", { query: line.id, remove: { lines: [found] } }, { restsOn: "lines" });
      if (removed.length === 0) toast("The line is not there any more.");
      else toast(`Forgotten: ${line.text.slice(0, 80)}`, { label: "Undo", act: undo });
    } catch (error) {
      if (isOutdated(error)) toast("The notes changed meanwhile. Nothing was removed; here is how they are now.");
      else toastProblem(error);
    }
    await load();
  }

  async function undo() {
    try {
      const { undone, refused } = await call("undo", {});
      if (refused) toast(`Not taken back: ${refused.path} was changed since.`);
      else toast(undone.length === 0 ? "There is nothing to take back." : `Taken back: ${undone[0].command}, ${undone[0].path}`);
    } catch (error) {
      toastProblem(error);
    }
    await load();
  }

  load();
  return {
    focus: () => filter.focus(),
    happened: (name) => { if (name === "written" && !isEditing) load(); },
    key(event) {
      if (event.key === "a") { form.focus(); return true; }
      if (event.key === "u") { undo(); return true; }
      const action = currentRow()?.querySelector(`[data-act="${CSS.escape(event.key)}"]`);
      if (!action) return false;
      action.click();
      return true;
    },
  };
}

/** Groups values by a key, in the order of the first occurrence. */
function grouped(values, keyOf) {
  const groups = new Map();
  for (const value of values) {
    const key = keyOf(value);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(value);
  }
  return [...groups];
}

// Keyboard shortcuts of the page, and the dialog that lists them.

import { button, el, show } from "./dom.js";
import { walk } from "./list.js";
import { dismissToast } from "./shell.js";

/** Shortcuts of every view: the key and its effect. */
const KEYS = [
  ["/", "search, also from an empty field"], ["j k ↓ ↑", "next and previous line"], ["Enter", "open the line"], ["Escape", "close the note, leave a field"],
  ["o", "open the note in Obsidian"], ["y", "copy its path and line"], ["r", "related notes"], ["?", "these keys"],
];

const isField = (element) => element?.matches?.("input, textarea, select");

/** Handles key presses. The view's own handler comes first (`view.key(event)` returns whether it handled the key). */
export function handleKeys(context, views) {
  let wantsView = false;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const taken = wantsView ? goTo(event.key) : keyOf(event);
    wantsView = !wantsView && event.key === "g" && !isField(event.target);
    if (taken) event.preventDefault();
  });

  function goTo(letter) {
    const found = Object.entries(views).find(([, view]) => view.letter === letter);
    if (!found) return false;
    context.go(found[0]);
    // The view is mounted after the address has changed.
    setTimeout(() => context.view?.focus?.(), 0);
    return true;
  }

  function keyOf(event) {
    if (event.key === "Escape") return escape(event);
    if (isField(event.target)) return fieldKey(event);
    if (event.target.closest("#preview") && !["/", "?", "g"].includes(event.key)) return previewKey(event.key);
    if (context.view?.key?.(event)) return true;
    if (event.key === "/") { openSearch(context); return true; }
    if (event.key === "?") { openHelp(document.getElementById("help")); return true; }
    if (walk(event, document.getElementById("main"), () => context.view?.focus?.())) return true;
    return context.preview.isOpen && previewKey(event.key);
  }

  /** In a field, keys are text. A slash at its beginning is a wish to search, except where it begins a command. */
  function fieldKey(event) {
    const field = event.target;
    if (event.key === "/" && field.value === "" && !event.isComposing && !field.matches("select, [data-commands]")) {
      openSearch(context);
      return true;
    }
    return context.view?.fieldKey?.(event) ?? false;
  }

  function previewKey(key) {
    const target = document.querySelector(`#preview [data-key="${CSS.escape(key)}"]`);
    target?.click();
    return target !== null;
  }

  function escape(event) {
    if (isField(event.target)) { event.target.blur(); return true; }
    if (dismissToast()) return true;
    if (!context.preview.isOpen) return false;
    context.close();
    return true;
  }
}

function openSearch(context) {
  if (context.view?.isSearch) return context.view.focus();
  context.go("search");
  setTimeout(() => context.view?.focus?.(), 0);
}

/** Opens the dialog of shortcuts at its top. */
function openHelp(dialog) {
  dialog.showModal();
  dialog.scrollTop = 0;
}

/** Fills the dialog of shortcuts, and connects the button that opens it. */
export function helpDialog(dialog, opener, views) {
  const row = ([keys, text]) => el("tr", {}, el("th", { scope: "row" }, keys.split(" ").map((key) => [el("kbd", {}, key), " "])), el("td", {}, text));
  const table = (name, rows) => el("table", {}, el("caption", {}, name), el("tbody", {}, rows.map(row)));
  const own = Object.values(views).filter((view) => view.keys).map((view) => table(view.title, view.keys));
  show(dialog,
    // The focus goes to the first button, so it stands at the top.
    el("header", { class: "help-head" }, el("h2", { id: "help-title" }, "Keys"), button("Close", () => dialog.close(), { autofocus: true })),
    el("div", { class: "help" },
      table("Everywhere", KEYS),
      table("Go to", Object.values(views).map((view) => [`g ${view.letter}`, view.title])),
      own));
  opener.addEventListener("click", () => openHelp(dialog));
}

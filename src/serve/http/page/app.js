// Assembles the page: the current view, the note in the preview, and the keys.
//
// The address holds the whole state: `#/search?q=…&note=PATH&in=COLLECTION&line=N`. Going back works.

import { listen } from "./api.js";
import { el, show } from "./dom.js";
import { handleKeys, helpDialog } from "./keys.js";
import { Preview } from "./preview.js";
import { dismissToast, locked, say } from "./shell.js";
import * as chat from "./views/chat.js";
import * as days from "./views/days.js";
import * as memory from "./views/memory.js";
import * as recalled from "./views/recalled.js";
import * as review from "./views/review.js";
import * as search from "./views/search.js";
import * as status from "./views/status.js";

/** The views, in the order of the navigation. A view is `{ title, mount(root, context) }`. The object that `mount` returns may have
 *  `update(parameters)`, `happened(name, data)`, `key(event)`, `focus()` and `leave()`. */
const VIEWS = { search, chat, memory, days, review, recalled, status };

/** Parameters of the preview rather than the view. */
const PREVIEW = ["note", "in", "line"];

const main = document.getElementById("main");
const state = { name: null, view: null };

const context = {
  /** Returns the parameters of the address. */
  parameters: () => address().parameters,
  /** Changes parameters and removes empty ones. With `replace`, the change adds no history entry. */
  set(changes, { replace = false } = {}) {
    const { name, parameters } = address();
    for (const [key, value] of Object.entries(changes)) {
      if (value === undefined || value === null || value === "") parameters.delete(key);
      else parameters.set(key, value);
    }
    const query = parameters.toString();
    const hash = `#/${name}${query ? `?${query}` : ""}`;
    if (hash === location.hash) return;
    history[replace ? "replaceState" : "pushState"](null, "", hash);
    changed();
  },
  /** Shows a note beside the view. */
  open(name, { collection, line, replace } = {}) {
    context.set({ note: name, in: collection, line }, { replace: replace ?? preview.isOpen });
  },
  close: () => context.set({ note: "", in: "", line: "" }, { replace: true }),
  go(name) {
    location.hash = `#/${name}`;
  },
  get view() { return state.view; },
  get preview() { return preview; },
};

const preview = new Preview(document.getElementById("preview"), {
  follow: (name, place = {}) => context.open(name, place),
  close: () => { context.close(); state.view?.focus?.(); },
});

function address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const name = Object.hasOwn(VIEWS, path) ? path : "search";
  return { name, parameters: new URLSearchParams(query) };
}

function changed() {
  const { name, parameters } = address();
  const own = new URLSearchParams([...parameters].filter(([key]) => !PREVIEW.includes(key)));
  if (name !== state.name) {
    state.view?.leave?.();
    dismissToast();
    state.name = name;
    document.title = `${VIEWS[name].title} · tars`;
    for (const link of document.querySelectorAll("#nav a")) {
      const isHere = link.dataset.view === name;
      if (isHere) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    main.replaceChildren();
    main.className = `view-${name}`;
    state.view = VIEWS[name].mount(main, context);
    main.scrollTop = 0;
    say(VIEWS[name].title);
  } else state.view?.update?.(own);
  const note = parameters.get("note");
  if (note) preview.open({ name: note, collection: parameters.get("in") ?? "", line: Number(parameters.get("line")) || null });
  else if (preview.isOpen) preview.close();
}

function connected(isConnected) {
  const live = document.getElementById("live");
  const text = isConnected ? "connected: changes show by themselves" : "not connected";
  live?.classList.toggle("on", isConnected);
  live?.setAttribute("aria-label", text);
  live?.setAttribute("title", text);
}

show(document.getElementById("nav"), Object.entries(VIEWS).map(([name, view]) =>
  el("a", { href: `#/${name}`, data: { view: name }, title: `${view.title} (g ${view.letter})` }, view.title)));
helpDialog(document.getElementById("help"), document.getElementById("help-button"), VIEWS);
handleKeys(context, VIEWS);
addEventListener("hashchange", changed);
addEventListener("popstate", changed);
document.addEventListener("tars:locked", () => { events.close(); locked(); });
const events = listen((name, data) => state.view?.happened?.(name, data), connected);
changed();

// The place of a line: its display name, and the address that opens it in Obsidian.

import { button, el } from "./dom.js";
import { call } from "./api.js";

let roots = null;

/** Returns the folders of the collections by name; requests them once. */
export async function collectionRoots() {
  roots ??= call("status").then((status) => new Map(status.collections.map(({ name, root }) => [name, root])));
  return roots.catch(() => { roots = null; return new Map(); });
}

/** Returns `path:line`. */
export const placeName = (path, line) => (line ? `${path}:${line}` : path);

/** Says who wrote a line: `untrusted (claude-code, session 5e55b0a2)`. */
export function originText({ by, client, model, session }) {
  const parts = [client, model, session && `session ${session.slice(0, 8)}`].filter(Boolean);
  return parts.length > 0 ? `${by} (${parts.join(", ")})` : by;
}

/** Creates a link that opens a note in Obsidian; its address is set once the collection's folder is known. */
export function obsidianLink(collection, path) {
  const link = el("a", { class: "button", "aria-disabled": "true", title: "Open in Obsidian (o)", data: { key: "o" } }, "Open in Obsidian");
  collectionRoots().then((known) => {
    const root = known.get(collection);
    if (!root) return;
    link.href = `obsidian://open?path=${encodeURIComponent(`${root}/${path}`)}`;
    link.removeAttribute("aria-disabled");
  });
  return link;
}

/** Creates a button that copies a text and confirms it in its label. */
export function copyButton(label, text, properties = {}) {
  const copy = button(label, async () => {
    copy.textContent = (await copied(text)) ? "Copied" : "Not copied";
    setTimeout(() => { copy.textContent = label; }, 1500);
  }, { title: `Copy ${text}`, ...properties });
  return copy;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A page on an insecure address, as on a phone, has no clipboard API, so copy a selection instead.
    const field = el("textarea", { class: "unseen" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

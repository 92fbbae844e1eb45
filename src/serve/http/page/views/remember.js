// Remembering a line: the form, and the choice when a similar or conflicting line exists.

import { call, isOutdated } from "../api.js";
import { button, el, show } from "../dom.js";
import { problemBox, toast } from "../shell.js";

const RELATIONS = { equal: "is remembered already", close: "says nearly the same", conflict: "says otherwise" };

/**
 * Remembers a line, and returns whether it is written. If there is a similar line, `box` shows it with the choices, and the promise
 * resolves after the person's choice.
 */
export async function remember(request, box, { restsOn, outdated } = {}) {
  show(box);
  let answer;
  try {
    answer = await call("remember", request, { restsOn });
  } catch (error) {
    if (isOutdated(error)) {
      toast("The notes changed meanwhile. Nothing was written; here is how they are now.");
      outdated?.();
    } else show(box, problemBox(error));
    return false;
  }
  if (answer.status === "close") return chosen(request, answer, box);
  told(answer);
  return true;
}

function told({ status, path, line, removed, overgrown, warnings = [] }) {
  const words = { added: "Remembered", replaced: "Replaced", known: "It was remembered already" }[status];
  toast([
    `${words}: ${path}:${line}.`,
    removed.length > 0 && `Taken out before it was written: ${removed.join(", ")}.`,
    overgrown && `${overgrown.path} has grown to ${overgrown.lines} lines; \`tars tidy\` helps to keep it short.`,
    ...warnings,
  ].filter(Boolean).join(" "));
}

/** Shows the similar lines, and waits for a choice. */
function chosen(request, { near }, box) {
  const first = near[0];
  return new Promise((resolve) => {
    const again = (changes) => async () => {
      show(box);
      resolve(await remember({ ...request, ask: false, ...changes }, box));
    };
    const leave = () => { show(box); resolve(false); };
    const heading = near.some(({ relation }) => relation === "conflict") ? "Something else is remembered" : "Nearly the same is remembered";
    show(box, el("div", { class: "near", role: "alertdialog", "aria-label": heading },
      el("p", {}, el("strong", {}, heading)),
      el("ul", {}, near.slice(0, 5).map((line) => el("li", { dir: "auto" }, line.text, " ",
        el("span", { class: "dim" }, `${line.path}:${line.line} ${RELATIONS[line.relation] ?? line.relation}`)))),
      el("p", { class: "actions" },
        button("Replace the first", again({ replace: first.id }), { class: "main" }),
        button("Add it beside", again({ force: true })),
        button("Leave it", leave))));
    box.querySelector("button")?.focus();
  });
}

/** Creates the form for new lines; calls `written` after a line is remembered. */
export function rememberForm(written) {
  const text = el("input", { type: "text", id: "fact", autocomplete: "off", placeholder: "Something to remember", required: true });
  const kind = el("select", { "aria-label": "Kind" }, el("option", { value: "semantic" }, "Fact"), el("option", { value: "procedural" }, "Rule"));
  const section = el("input", { type: "text", list: "sections", "aria-label": "Section", placeholder: "Section", autocomplete: "off", class: "section" });
  const warnings = el("div", {});
  const form = el("form", { class: "add" },
    el("label", { class: "unseen", for: "fact" }, "Something to remember"), text, kind, section, el("button", { type: "submit", class: "main" }, "Remember"), warnings);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (text.value.trim() === "") return;
    const request = { text: text.value, memory_type: kind.value, ask: true, ...(section.value.trim() && { section: section.value.trim() }) };
    if (!(await remember(request, warnings))) return;
    text.value = "";
    text.focus();
    written();
  });
  return { element: form, focus: () => text.focus() };
}

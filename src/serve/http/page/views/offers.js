// The commands that a message field offers while one is typed.

import { commands } from "../conversations.js";
import { button, el, show } from "../dom.js";
import { toastProblem } from "../shell.js";

/** Most commands offered at once. */
const MAX_OFFERED = 8;

/** Returns the list of offers for a field, `offer`, which fills it and returns the matching commands, and `complete`. */
export function offersFor(field) {
  const list = el("ul", { class: "offers", "aria-label": "Commands", hidden: true });
  let known = [];
  commands().then((found) => { known = found; }, toastProblem);

  function offer() {
    const begun = /^\/(\S*)$/.exec(field.value)?.[1];
    const found = begun === undefined ? [] : known.filter(({ name, aliases }) => [name, ...aliases].some((word) => word.startsWith(begun)));
    list.hidden = found.length === 0;
    show(list, found.slice(0, MAX_OFFERED).map(({ name, usage, about }) => el("li", {},
      button([el("code", {}, `/${name} ${usage}`), " ", el("span", { class: "dim" }, about)], () => complete(name), { class: "quiet", tabindex: "-1" }))));
    return found;
  }

  function complete(name) {
    field.value = `/${name} `;
    offer();
    field.focus();
  }

  field.addEventListener("input", offer);
  return { list, offer, complete };
}

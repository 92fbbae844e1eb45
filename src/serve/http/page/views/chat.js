// A conversation with the assistant: messages, tools, permission questions, and the input field.

import { call, isAborted } from "../api.js";
import { command, conversation, conversations, settle, turn } from "../conversations.js";
import { append, button, count, el, show } from "../dom.js";
import { problemBox, say } from "../shell.js";
import { answer, entriesOf, mine, pastLine, toolLine, waiting } from "./entries.js";
import { unapplied } from "./news.js";
import { offersFor } from "./offers.js";

export const title = "Chat";
export const letter = "c";
export const keys = [
  ["Enter", "say it"], ["Shift+Enter", "a new line"], ["Escape", "stop the answer"], ["Tab", "complete a command"], ["↑", "what was said last"],
];

/** The pattern of a command; a path such as /home/me does not match. */
const COMMAND = /^\/(\?|[\p{L}-]+)(\s|$)/u;

/** Shows the view. */
export function mount(root, context) {
  const talk = el("ol", { class: "talk", "aria-label": "Conversation" });
  const field = el("textarea", { id: "message", rows: "2", placeholder: "Ask, tell, or / for a command", autocomplete: "off", enterkeyhint: "send", data: { commands: "" } });
  const send = el("button", { type: "submit", class: "main" }, "Send");
  const stop = button("Stop", () => controller?.abort(), { hidden: true });
  const { list: offers, offer, complete } = offersFor(field);
  const list = el("ul", { class: "rows chats", "aria-label": "Conversations" });
  const past = el("details", { class: "chat-past" }, el("summary", {}, "Conversations"), list);
  const form = el("form", { class: "speak" }, offers, el("label", { class: "unseen", for: "message" }, "Message"),
    el("div", { class: "speak-row" }, field, el("div", { class: "speak-buttons" }, send, stop)));
  const settings = el("div");
  append(root, [el("div", { class: "chat-head" }, el("h1", {}, "Chat"), button("New", fresh)), settings, past, talk, form]);

  /** The current conversation; `null` before the first message. */
  let id = null;
  /** The conversation in the address. */
  let named = null;
  /** Aborts the running turn. */
  let controller = null;
  let last = "";

  field.addEventListener("keydown", typed);
  form.addEventListener("submit", (event) => { event.preventDefault(); speak(); });
  past.addEventListener("toggle", () => { show(list); if (past.open) listAll(); });

  /** Changes the content and keeps the view at the end if it was there. */
  function keepEnd(change) {
    const isAtEnd = root.scrollHeight - root.scrollTop - root.clientHeight < 80;
    change();
    if (isAtEnd) root.scrollTop = root.scrollHeight;
  }

  const add = (...children) => keepEnd(() => append(talk, children));

  /** Aborts the running turn and ignores its remaining events. */
  function giveUp() {
    controller?.abort();
    controller = null;
    busy(false);
  }

  function fresh() {
    show(talk);
    context.set({ c: "" });
    load();
    field.focus();
  }

  /** Names the settings, such as another model, that the server takes only after a restart. */
  function checkSettings() {
    // The conversation goes on without the remark.
    call("status").then((status) => show(settings, unapplied(status)), () => {});
  }

  async function load() {
    checkSettings();
    const wanted = context.parameters().get("c") || null;
    if (wanted === named && talk.childElementCount > 0) return;
    giveUp();
    id = named = wanted;
    show(talk);
    if (wanted === null) return greet();
    try {
      const { entries } = await conversation(wanted);
      if (named === wanted) show(talk, entriesOf(entries, follow));
      root.scrollTop = root.scrollHeight;
    } catch (error) {
      if (named === wanted) add(el("li", {}, problemBox(error)));
    }
  }

  async function greet() {
    const model = el("p", { class: "dim" });
    show(talk, el("li", { class: "greeting" },
      el("p", {}, "Hello. Ask me about your notes, or tell me what to remember. I ask before I change Memory.md, Procedural.md or the soul."), model));
    try {
      show(model, await command("/model"));
    } catch (error) {
      show(model, error.message);
    }
  }

  const follow = (name) => context.open(name);

  async function speak() {
    const message = field.value.trim();
    if (message === "" || controller) return;
    talk.querySelector(".greeting")?.remove();
    last = message;
    field.value = "";
    offer();
    add(mine(message));
    root.scrollTop = root.scrollHeight;
    const own = new AbortController();
    controller = own;
    busy(true);
    const shown = new Shown(COMMAND.test(message));
    try {
      for await (const [name, data] of turn(message, id, own.signal)) {
        if (own !== controller) return;
        shown.happened(name, data);
      }
      say("tars has answered");
    } catch (error) {
      if (own !== controller) return;
      shown.end();
      add(el("li", {}, isAborted(error) ? el("p", { class: "dim" }, "(stopped)") : problemBox(error)));
    } finally {
      if (own === controller) {
        shown.close();
        controller = null;
        busy(false);
        checkSettings();
      }
    }
  }

  /** The display of a turn. */
  class Shown {
    #text = "";
    #box = null;
    #timer = 0;
    #tool = null;
    /** A question that waits for an answer. */
    #card = null;

    constructor(isCommand) {
      this.isCommand = isCommand;
    }

    happened(name, data) {
      if (name === "conversation") this.#begun(data.conversation_id);
      else if (name === "text") this.#add(data.text);
      else if (name === "withdrawn") this.#withdraw();
      else if (name === "tool") this.#tools(data);
      else if (name === "tool_done") this.#done(data);
      else if (name === "notice") { this.end(); add(el("li", { class: "dim" }, data.text)); }
      else if (name === "question") this.#question(data);
      else if (name === "done") this.#finish(data);
    }

    #begun(conversation) {
      id = conversation;
      // A command leaves no conversation to come back to.
      if (!this.isCommand) {
        named = id;
        context.set({ c: id }, { replace: true });
      }
      add(waiting());
    }

    #add(text) {
      talk.querySelector(".waiting")?.remove();
      if (!this.#box) {
        this.#box = el("li", { class: "said tars" });
        add(this.#box);
      }
      this.#text += text;
      // A long answer is drawn less often, because drawing it takes longer.
      this.#timer ||= setTimeout(() => this.#draw(), 60 + this.#text.length / 100);
    }

    #draw() {
      clearTimeout(this.#timer);
      this.#timer = 0;
      if (this.#box) keepEnd(() => show(this.#box, answer(this.#text, follow)));
    }

    /** Drops the collected text, which was reasoning. */
    #withdraw() {
      this.#text = "";
      this.#draw();
    }

    /** Draws the collected text; later text becomes a new piece. */
    end() {
      talk.querySelector(".waiting")?.remove();
      this.#draw();
      this.#box = null;
      this.#text = "";
    }

    #tools({ name, about }) {
      this.end();
      this.#tool = el("li", { class: "tool" }, el("code", {}, name), " ", about, " …");
      this.#tool.about = about;
      add(this.#tool);
    }

    #done({ name, result, failed }) {
      const line = toolLine(name, this.#tool?.about ?? "", result, failed);
      keepEnd(() => (this.#tool ? this.#tool.replaceWith(line) : talk.append(line)));
      this.#tool = null;
      add(waiting());
    }

    #question({ question, tool, what }) {
      this.end();
      const heading = `May tars use ${tool}?`;
      const card = el("li", { class: "near", role: "alertdialog", "aria-label": heading });
      const settled = (allow) => async () => {
        this.#card = null;
        try {
          await settle(question, allow);
          show(card, el("p", { class: "dim" }, `${tool}: ${allow ? "allowed" : "not now"}`));
        } catch (error) {
          show(card, problemBox(error));
        }
        field.focus();
      };
      append(card, [el("p", {}, el("strong", {}, heading)), el("pre", { dir: "auto" }, what),
        el("p", { class: "actions" }, button("Allow", settled(true), { class: "main" }), button("Not now", settled(false)))]);
      this.#card = card;
      add(card);
      // Do not interrupt a person who is typing.
      if (field.value === "") card.querySelector("button:last-child").focus();
      else say(heading);
    }

    /** Closes a question that can no longer be answered. */
    close() {
      if (this.#card) show(this.#card, el("p", { class: "dim" }, "not answered"));
    }

    #finish({ conversation_id: conversation, text, stopped, usage, effect }) {
      this.end();
      if (effect === "cleared") {
        id = conversation;
        named = null;
        context.set({ c: "" }, { replace: true });
        show(talk, el("li", { class: "dim" }, text));
        return;
      }
      if (this.isCommand && text) add(el("li", { class: "said tars" }, answer(text, follow)));
      if (stopped) add(el("li", { class: "dim" }, "(stopped)"));
      const tokens = [[usage.input, "sent"], [usage.output, "received"]].filter(([number]) => number !== null);
      if (tokens.length > 0) add(el("li", { class: "dim tokens" }, tokens.map(([number, word]) => `${count(number, "token")} ${word}`).join(", ")));
    }
  }

  function busy(isBusy) {
    stop.hidden = !isBusy;
    send.hidden = isBusy;
    talk.setAttribute("aria-busy", String(isBusy));
  }

  function typed(event) {
    // Enter also confirms the composition of an input method, for example for Japanese.
    if (event.isComposing) return;
    const found = event.key === "Tab" && !event.shiftKey ? offer() : [];
    if (event.key === "Enter" && !event.shiftKey) speak();
    else if (event.key === "Escape" && controller) controller.abort();
    else if (found.length > 0) complete(found[0].name);
    else if (event.key === "ArrowUp" && field.value === "" && last) { field.value = last; offer(); }
    else return;
    event.preventDefault();
  }

  /** Reloads the list; leaves the conversation if it was the deleted one. */
  function deleted(one) {
    if (one !== null && one === id) fresh();
    listAll();
  }

  async function listAll() {
    try {
      const all = await conversations();
      show(list, all.length === 0 ? el("li", { class: "dim" }, "There is none yet.") : all.map((one) => pastLine(one, { open: (wanted) => { past.open = false; context.set({ c: wanted }); }, deleted })));
    } catch (error) {
      show(list, el("li", {}, problemBox(error)));
    }
  }

  load();
  return { focus: () => field.focus(), update: load, leave: giveUp };
}

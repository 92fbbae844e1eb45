// Conversations with the assistant: the list, and a turn as a stream of events.

import { Problem, send } from "./api.js";

/** Returns all conversations, the newest first. */
export const conversations = async () => (await (await send("/conversations")).json()).conversations;

/** Returns the entries of a conversation. */
export const conversation = async (id) => (await send(`/conversations/${encodeURIComponent(id)}`)).json();

/** Deletes a conversation after it is noted; returns where it is noted. */
export const remove = async (id) => (await send(`/conversations/${encodeURIComponent(id)}`, { method: "DELETE" })).json();

/** Returns the available commands. */
export const commands = async () => (await send("/chat/commands")).json();

/** Answers a question of a turn. */
export const settle = (question, allow) =>
  send("/chat/answer", { method: "POST", body: JSON.stringify({ question, allow }) });

/** Executes a command and returns its output. */
export const command = async (message) =>
  (await (await send("/chat", { method: "POST", body: JSON.stringify({ message }) })).json()).text;

/**
 * Sends a message and yields its events as `[name, data]` (docs/http.md), up to `done`. Aborting `signal` stops the turn. Throws a
 * `Problem` if there is no answer.
 */
export async function* turn(message, id, signal) {
  const body = JSON.stringify({ message, ...(id && { conversation_id: id }) });
  const answer = await send("/chat", { method: "POST", headers: { Accept: "text/event-stream" }, body, signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Problem(0, { detail: "tars broke off", hint: "is `tars serve` running?" });
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const [name, data] of parts.map(event).filter(Boolean)) {
      if (name === "problem") throw new Problem(data.status, data);
      yield [name, data];
      if (name === "done") return;
    }
  }
}

/** Returns the name and data of a server-sent event; nothing for a keep-alive. */
function event(text) {
  const field = (name) => text.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  return data && [field("event"), JSON.parse(data)];
}

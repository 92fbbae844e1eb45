// The plugin of tars for opencode: it gives the agent relevant lines of the memory, and has a note made of each turn.
//
// It only translates: opencode's hooks and events become calls of `tars hook EVENT --client opencode`, with JSON on standard input.
// Nothing here throws, prints, or waits longer than the limits below, because an error of a hook fails the person's prompt.
//
// - The first message of a session: `session-start`. Its block joins the system prompt of every request, the same each time.
// - Each message: `user-prompt-submit`. Its lines stand beside the message in every request. They are in memory only: opencode does not
//   store, share, export or summarise them. A session that another process resumes gets them anew.
// - `session.idle`: `stop`, with the messages since the last time, shortened. tars keeps them as the transcript of the session.
// - A compaction: `pre-compact`, then `post-compact` with the summary, then `session-start` again.
// - A task of a subagent: `subagent-start`, with the task. Its messages are not handed over: they are the agent's, and not the person's.
// - `session.deleted`, and the end of opencode: `session-end`.

import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { homedir } from "node:os"
import { delimiter, isAbsolute, join } from "node:path"

// Limits in milliseconds. tars has shorter ones of its own.
const START_LIMIT = 8000
const PROMPT_LIMIT = 4000
const NOTE_LIMIT = 4000
const CLIENT_LIMIT = 2000
// Pause after a call that took too long, so that a tars that hangs costs one prompt and not each.
const REST = 60000
const MAX_ANSWER = 1 << 20
const MAX_SESSIONS = 500
const MAX_MESSAGES = 200
// Once, of a session that is older than this process.
const MAX_OLD_MESSAGES = 1000
const MAX_TEXT = 64 << 10
const MAX_COMMAND = 4 << 10
const MAX_PARTS = 500

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

// Returns the program: the first on PATH, else in one of the usual places.
function findProgram() {
  const home = homedir()
  const places = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute)
  places.push(join(home, ".local/bin"), join(home, ".cargo/bin"))
  places.push("/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin")
  return places.map((place) => join(place, "tars")).find(isProgram)
}

// Returns what a promise resolves to; undefined if it fails or takes longer than `limit`.
function within(limit, promise) {
  let timer
  const late = new Promise((resolve) => (timer = setTimeout(resolve, limit)))
  return Promise.race([Promise.resolve(promise).catch(() => undefined), late]).finally(() => clearTimeout(timer))
}

// Runs a hook. Resolves to its answer, an object; undefined if there is none. `onLate` is called if it took too long, and is killed.
function runHook(program, event, input, limit, onLate) {
  return new Promise((resolve) => {
    // An opencode that Claude Code's agent started must not count as that session.
    const { CLAUDE_PID, CLAUDE_CODE_SESSION_ID, ...env } = process.env
    let child
    let output = ""
    try {
      // A group of its own: Ctrl-C in the terminal must not end a note.
      const stdio = ["pipe", "pipe", "ignore"]
      child = spawn(program, ["hook", event, "--client", "opencode"], { stdio, env, detached: true })
    } catch {
      return resolve(undefined)
    }
    const timer = setTimeout(() => {
      onLate()
      child.kill("SIGKILL")
      resolve(undefined)
    }, limit)
    const done = () => {
      clearTimeout(timer)
      try {
        resolve(output ? JSON.parse(output) : undefined)
      } catch {
        resolve(undefined)
      }
    }
    child.on("error", done)
    child.on("close", done)
    child.stdin.on("error", () => {})
    child.stdout.on("error", () => {})
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text) => {
      if (output.length < MAX_ANSWER) output += text
    })
    child.stdin.end(JSON.stringify(input))
  })
}

// Returns the start of a text, or undefined.
function cut(text, most) {
  return typeof text === "string" ? text.slice(0, most) : undefined
}

// Returns the person's words in the parts of a message.
function typed(parts) {
  return parts
    .filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
    .map((part) => part.text)
    .join("\n")
}

// Returns a part without outputs of tools, contents of files and other long fields; undefined for parts that tars does not read.
function shortPart(part) {
  const { type } = part
  if (type === "text") {
    return { type, text: cut(part.text, MAX_TEXT), synthetic: part.synthetic, ignored: part.ignored }
  }
  if (type === "file") return { type, mime: part.mime }
  if (type !== "tool") return undefined
  const { filePath, command, patchText } = part.state?.input ?? {}
  const input = { filePath, command: cut(command, MAX_COMMAND), patchText: cut(patchText, MAX_TEXT) }
  const { status, metadata } = part.state ?? {}
  return { type, tool: part.tool, state: { status, metadata: { exit: metadata?.exit }, input } }
}

function shortMessage({ info, parts }) {
  const { id, role, time, finish, summary, error, modelID } = info
  return {
    info: { id, role, time, finish, modelID, summary: summary === true, error: error && { name: error.name } },
    // tars leaves out further ones, and says so.
    parts: parts.map(shortPart).filter(Boolean).slice(0, MAX_PARTS + 1),
  }
}

// Returns the id that tars uses: without the prefix that all sessions share.
function ownId(session) {
  return session.replace(/^ses_/, "")
}

export default async function tars({ client, directory }) {
  if ((process.env.TARS_DISABLE ?? "0") !== "0") return {}

  // The state of each session in this process.
  const sessions = new Map()
  // Calls that nobody waits for until the end.
  const pending = new Set()
  let restsUntil = 0
  let program
  let isMissingTold = false

  function stateOf(id) {
    let state = sessions.get(id)
    if (!state) {
      state = { id, lines: new Map(), removed: [] }
      sessions.set(id, state)
      if (sessions.size > MAX_SESSIONS) sessions.delete(sessions.keys().next().value)
    }
    return state
  }

  // Shows a message to the person, where there is a terminal.
  function tell(message) {
    track(within(CLIENT_LIMIT, client.tui.showToast({ body: { message, variant: "warning" } })))
  }

  function track(promise) {
    const kept = Promise.resolve(promise)
      .catch(() => undefined)
      .finally(() => pending.delete(kept))
    pending.add(kept)
    return kept
  }

  // Asks tars, and shows its message to the person. Returns the context for the agent, if any. Never fails.
  async function ask(event, session, fields, limit) {
    program = program && isProgram(program) ? program : findProgram()
    if (!program) {
      if (!isMissingTold) tell("tars is not installed, so nothing is remembered")
      isMissingTold = true
      return undefined
    }
    // Nobody waits for a note.
    if (Date.now() < restsUntil && event !== "stop") return undefined
    const rest = () => (restsUntil = Date.now() + REST)
    const input = { session_id: ownId(session), cwd: directory, ...fields }
    const answer = await runHook(program, event, input, limit, rest)
    if (typeof answer?.systemMessage === "string") tell(answer.systemMessage)
    const context = answer?.hookSpecificOutput?.additionalContext
    return typeof context === "string" ? context : undefined
  }

  // Returns the newest messages of a session.
  async function messagesOf(id, limit) {
    const read = await within(CLIENT_LIMIT, client.session.messages({ path: { id }, query: { limit } }))
    return Array.isArray(read?.data) ? read.data : []
  }

  // Returns whether another session runs this one as its subagent, and which.
  async function parentOf(state) {
    if (state.parent === undefined) {
      const read = await within(CLIENT_LIMIT, client.session.get({ path: { id: state.id } }))
      if (read?.data) state.parent = read.data.parentID ?? null
    }
    return state.parent
  }

  // Hands the messages since the last time to tars.
  async function handOver(state, event, more = {}) {
    const all = await messagesOf(state.id, state.handed ? MAX_MESSAGES : MAX_OLD_MESSAGES)
    const known = all.findIndex(({ info }) => info.id === state.handed)
    const fresh = all.slice(known + 1).filter(({ info }) => info.role === "user" || info.time?.completed)
    const last = all.findLast(({ info }) => info.role === "assistant" && !info.summary)
    const asked = all.findLast(({ info, parts }) => info.role === "user" && typed(parts))
    const removed = state.removed.splice(0)
    const fields = { messages: fresh.map(shortMessage), removed, ...more }
    if (event === "stop") {
      fields.prompt_id = asked?.info.id
      fields.last_assistant_message = last && last.info.id > (asked?.info.id ?? "") ? cut(typed(last.parts), MAX_TEXT) : ""
    }
    state.handed = fresh.at(-1)?.info.id ?? state.handed
    await ask(event, state.id, fields, NOTE_LIMIT)
    return all
  }

  async function start(state, source) {
    state.isBegun = true
    const context = await ask("session-start", state.id, { source }, START_LIMIT)
    state.block = context ?? state.block
  }

  // After a compaction the agent has neither the turns nor the lines beside them.
  async function compacted(state) {
    state.isCompacting = false
    state.lines.clear()
    const messages = await messagesOf(state.id, MAX_MESSAGES)
    const summary = messages.findLast(({ info }) => info.summary === true)
    if (summary) await ask("post-compact", state.id, { compact_summary: cut(typed(summary.parts), MAX_TEXT) }, NOTE_LIMIT)
    await start(state, "compact")
  }

  function onEvent({ type, properties }) {
    const id = properties?.sessionID ?? properties?.info?.id
    if (typeof id !== "string") return
    if (type === "session.created") {
      const state = stateOf(id)
      state.isNew = true
      state.parent = properties.info?.parentID ?? null
      return
    }
    const state = sessions.get(id)
    if (type === "session.deleted") {
      sessions.delete(id)
      // A call that still hands messages over would keep the transcript anew.
      const forget = () => ask("session-end", id, { source: "deleted" }, NOTE_LIMIT)
      if (!properties.info?.parentID) track(Promise.all(pending).then(forget))
    } else if (!state?.isBegun) {
      return
    } else if (type === "session.idle") {
      // A compaction may have failed.
      state.isCompacting = false
      track(handOver(state, "stop"))
    } else if (type === "session.compacted") {
      track(compacted(state))
    } else if (type === "message.removed" && state.removed.length < MAX_MESSAGES) {
      state.removed.push(properties.messageID)
    }
  }

  async function onMessage({ sessionID, agent }, { message, parts }) {
    const state = stateOf(sessionID)
    const text = typed(parts)
    const command = state.command?.text === text ? state.command.line : undefined
    state.command = undefined
    if (!text) return
    const parent = await parentOf(state)
    let context
    if (parent) {
      const fields = { prompt: cut(text, MAX_TEXT), agent_type: agent }
      context = await ask("subagent-start", parent, fields, PROMPT_LIMIT)
    } else {
      if (!state.isBegun) {
        const isFork = state.isNew && (await messagesOf(sessionID, 1)).length > 0
        await start(state, isFork ? "fork" : state.isNew ? "startup" : "resume")
      }
      const asked = shortMessage({ info: message, parts })
      asked.info.command = command
      // The prompt follows the messages that stay.
      const removed = state.removed.splice(0)
      const fields = { prompt: cut(command ?? text, MAX_TEXT), prompt_id: message.id, messages: [asked], removed }
      context = await ask("user-prompt-submit", sessionID, fields, PROMPT_LIMIT)
    }
    if (context) state.lines.set(message.id, context)
  }

  // Adds the lines of each message to the messages of a request.
  function addLines(messages) {
    for (const { info, parts } of messages) {
      const state = sessions.get(info.sessionID)
      const text = state?.lines.get(info.id)
      if (!text || state.isCompacting) continue
      const { id, sessionID, messageID } = parts.at(-1) ?? {}
      parts.push({ id: `${id ?? "prt_"}0`, sessionID, messageID, type: "text", synthetic: true, text })
    }
  }

  function addBlock(sessionID, system) {
    const state = sessions.get(sessionID)
    // The request for a session's title needs no memory.
    if (!state?.block || state.isCompacting || system[0]?.startsWith("You are a title generator")) return
    system.push(state.block)
  }

  // Ends the sessions, and waits for the calls that still run.
  async function dispose() {
    await within(NOTE_LIMIT, Promise.all(pending))
    for (const state of sessions.values()) {
      if (state.isBegun) track(ask("session-end", state.id, { source: "exit" }, NOTE_LIMIT))
    }
    await within(NOTE_LIMIT, Promise.all(pending))
  }

  // Wraps a hook so that it cannot fail.
  const safely =
    (hook) =>
    async (...given) => {
      try {
        await hook(...given)
      } catch {
        // tars loses a note or some context, and the session goes on.
      }
    }

  return {
    event: safely(async ({ event }) => onEvent(event)),
    "chat.message": safely(onMessage),
    "experimental.chat.messages.transform": safely(async (_, { messages }) => addLines(messages)),
    "experimental.chat.system.transform": safely(async ({ sessionID }, { system }) => addBlock(sessionID, system)),
    "experimental.session.compacting": safely(async ({ sessionID }) => {
      const state = stateOf(sessionID)
      state.isCompacting = true
      if (state.isBegun) track(handOver(state, "pre-compact"))
    }),
    "command.execute.before": safely(async ({ command, arguments: given, sessionID }, { parts }) => {
      stateOf(sessionID).command = { line: `/${command} ${given ?? ""}`.trim(), text: typed(parts) }
    }),
    // Commands of the agent, such as `tars pause`, know their session.
    "shell.env": safely(async ({ sessionID }, { env }) => {
      if (sessionID) env.TARS_OPENCODE_SESSION = ownId((await parentOf(stateOf(sessionID))) || sessionID)
    }),
    dispose: safely(dispose),
  }
}

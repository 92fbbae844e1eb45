// The plugin in a stubbed Obsidian, and a stubbed server.

import type { App as RealApp, PluginManifest } from "obsidian";
import type { Incoming, Outgoing } from "../src/connection";
import TarsPlugin from "../src/main";
import type { FakeElement } from "./elements";
import { App, type Command, ItemView, type Plugin, world } from "./stub";

export const TOKEN = "tars_0123456789abcdef";
/** The folder of the vault, which exists only in these tests. */
export const BASE = "/vaults/notes";

export type Answers = Record<string, (request: Record<string, unknown>) => unknown>;

/** A refusal of tars. */
export class Refused {
  constructor(readonly status: number, readonly detail: string, readonly hint = "") {}
}

export interface Running {
  app: App;
  plugin: TarsPlugin;
  asked: { operation: string; request: Record<string, unknown>; headers: Record<string, string>; url: string }[];
  /** Runs a command and waits until everything is quiet. */
  run(id: string, selection?: string): Promise<void>;
  /** Returns the content of the pane of this type. */
  pane(type: string): FakeElement;
}

/** Starts the plugin; `answers` makes the answers of the server by operation. */
export async function start(answers: Answers, { files = [] as string[], token = TOKEN } = {}): Promise<Running> {
  const app = new App(BASE, files);
  ItemView.app = app;
  world.notices = [];
  world.modals = [];
  const asked: Running["asked"] = [];
  const all: Answers = { status: () => ({ files: 2, collections: [{ name: "vault", root: BASE }] }), ...answers };
  world.send = async ({ url, headers, body }: Outgoing): Promise<Incoming> => {
    const operation = url.split("/v1/")[1] ?? "";
    const request = JSON.parse(body) as Record<string, unknown>;
    asked.push({ operation, request, headers, url });
    const answer = await all[operation]!(request);
    if (answer instanceof Refused) {
      return { status: answer.status, headers: {}, text: JSON.stringify({ title: "Refused", detail: answer.detail, hint: answer.hint }) };
    }
    return { status: 200, headers: { etag: `"${operation}-1"` }, text: JSON.stringify(answer) };
  };
  const plugin = new TarsPlugin(app as unknown as RealApp, {} as PluginManifest);
  if (token !== "") plugin.configure("", token);
  await plugin.onload();
  const commands = (plugin as unknown as Plugin).commands;
  return {
    app, plugin, asked,
    async run(id, selection = "") {
      const command = commands.find((known: Command) => known.id === id)!;
      command.callback?.();
      command.editorCallback?.({ getSelection: () => selection });
      await quiet();
    },
    pane: (type) => (app.leaves.find(({ view }) => view.getViewType() === type)!.view as unknown as { contentEl: FakeElement }).contentEl,
  };
}

/** Waits until everything that was begun has ended. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits longer than the pause after which the search asks. */
export async function typed(field: FakeElement, text: string): Promise<void> {
  field.value = text;
  field.dispatch("input");
  await quiet();
}

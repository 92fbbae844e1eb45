// The plugin in a real browser, for scripts/checks/obsidian: panes of the stubbed Obsidian, and a real `tars serve` behind a relay that sends
// requests as Obsidian does, outside of the page.

import type { App as RealApp, PluginManifest } from "obsidian";
import type { Incoming, Outgoing } from "../src/connection";
import TarsPlugin from "../src/main";
import { extendElements } from "./elements";
import { App, type Command, ItemView, type Plugin, world } from "./stub";

extendElements();

world.send = async (request: Outgoing): Promise<Incoming> => {
  const answer = (await (await fetch("/relay", { method: "POST", body: JSON.stringify(request) })).json()) as Incoming & { failed?: string };
  if (answer.failed !== undefined) throw new Error(answer.failed);
  return answer;
};

/** Starts the plugin in a vault with these files, and returns a handle for the check. */
async function begin(base: string, files: string[], address: string, token: string): Promise<void> {
  const app = new App(base, files);
  ItemView.app = app;
  const plugin = new TarsPlugin(app as unknown as RealApp, {} as PluginManifest);
  if (token !== "") plugin.configure(address, token);
  await plugin.onload();
  const { commands } = plugin as unknown as Plugin;
  Object.assign(window, {
    opened: app.opened,
    notices: world.notices,
    openNote: (path: string) => {
      app.active = { path, basename: path };
      for (const [event, listener] of app.listeners) if (event === "file-open") listener();
    },
    async run(id: string, selection = "") {
      const command = commands.find((known: Command) => known.id === id)!;
      const before = new Set(app.leaves);
      command.callback?.();
      command.editorCallback?.({ getSelection: () => selection });
      await new Promise((resolve) => setTimeout(resolve, 50));
      for (const leaf of app.leaves.filter((one) => !before.has(one))) {
        const { contentEl } = leaf.view as unknown as { contentEl: HTMLElement };
        contentEl.id = leaf.view.getViewType();
        document.body.append(contentEl);
      }
    },
  });
}

Object.assign(window, { begin });

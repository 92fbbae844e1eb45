// A stub of the parts of Obsidian's interface that the plugin uses. It keeps what the plugin does, for tests.

import type { Incoming, Outgoing } from "../src/connection";
import { newElement } from "./elements";

/** The server that `requestUrl` asks, and the messages that were shown. */
export const world = {
  send: (_: Outgoing): Promise<Incoming> => Promise.reject(new Error("net::ERR_CONNECTION_REFUSED")),
  notices: [] as string[],
  modals: [] as Modal[],
};

export const requestUrl = (request: Outgoing): Promise<Incoming> => world.send(request);

export class Notice {
  constructor(message: string) {
    world.notices.push(message);
  }
}

export const Keymap = { isModEvent: (event?: { ctrlKey?: boolean }) => (event?.ctrlKey === true ? "tab" : false) };

export class FileSystemAdapter {
  constructor(private readonly base: string) {}

  getBasePath(): string {
    return this.base;
  }
}

export interface Leaf {
  view: { getViewType(): string; onOpen?(): Promise<void> };
  setViewState(state: { type: string }): Promise<void>;
  openFile(file: { path: string }, state: object): Promise<void>;
}

/** The app with one vault. */
export class App {
  storage = new Map<string, unknown>();
  creators = new Map<string, (leaf: Leaf) => Leaf["view"]>();
  leaves: Leaf[] = [];
  opened: { path: string; newTab: unknown; state: object }[] = [];
  active: { path: string; basename: string } | null = null;
  listeners: [string, () => void][] = [];
  vault: { adapter: FileSystemAdapter; getFileByPath(path: string): { path: string } | null };
  workspace = {
    getLeaf: (newTab: unknown) => this.leaf(newTab),
    getLeavesOfType: (type: string) => this.leaves.filter(({ view }) => view.getViewType() === type),
    getRightLeaf: () => this.leaf(false),
    revealLeaf: () => Promise.resolve(),
    getActiveFile: () => this.active,
    on: (event: string, listener: () => void) => {
      this.listeners.push([event, listener]);
      return {};
    },
  };

  constructor(base: string, files: string[]) {
    this.vault = { adapter: new FileSystemAdapter(base), getFileByPath: (path) => (files.includes(path) ? { path } : null) };
  }

  loadLocalStorage(key: string): unknown {
    return this.storage.get(key) ?? null;
  }

  saveLocalStorage(key: string, value: unknown): void {
    this.storage.set(key, value);
  }

  private leaf(newTab: unknown): Leaf {
    const leaf: Leaf = {
      view: { getViewType: () => "empty" },
      setViewState: async ({ type }) => {
        leaf.view = this.creators.get(type)!(leaf);
        this.leaves.push(leaf);
        await leaf.view.onOpen?.();
      },
      openFile: async ({ path }, state) => {
        this.opened.push({ path, newTab, state });
      },
    };
    return leaf;
  }
}

export interface Command {
  id: string;
  callback?: () => void;
  editorCallback?: (editor: { getSelection(): string }) => void;
}

export class Plugin {
  commands: Command[] = [];
  tabs: PluginSettingTab[] = [];

  constructor(readonly app: App, readonly manifest: object) {}

  addCommand(command: Command): void {
    this.commands.push(command);
  }

  registerView(type: string, create: (leaf: Leaf) => Leaf["view"]): void {
    this.app.creators.set(type, create);
  }

  addRibbonIcon(): void {}

  addSettingTab(tab: PluginSettingTab): void {
    this.tabs.push(tab);
  }

  saveData(): never {
    throw new Error("the plugin keeps nothing in the vault");
  }
}

export class ItemView {
  static app: App;
  readonly app = ItemView.app;
  readonly contentEl = newElement("div");

  constructor(readonly leaf: Leaf) {}

  registerEvent(): void {}

  async onOpen(): Promise<void> {}

  async onClose(): Promise<void> {}
}

export class Modal {
  readonly titleEl = newElement("div");
  readonly contentEl = newElement("div");

  constructor(readonly app: App) {}

  open(): void {
    world.modals.push(this);
    if (typeof document !== "undefined") document.body.append(this.contentEl);
    this.onOpen();
  }

  close(): void {
    this.onClose();
  }

  onOpen(): void {}

  onClose(): void {}
}

export class PluginSettingTab {
  readonly containerEl = newElement("div");

  constructor(readonly app: App, readonly plugin: Plugin) {}
}

/** The controls of settings, by the name of the setting. */
export const controls = new Map<string, { change?: (text: string) => void; click?: () => Promise<void> }>();

export class Setting {
  private name = "";

  constructor(_: HTMLElement) {}

  setName(name: string): this {
    this.name = name;
    return this;
  }

  setDesc(): this {
    return this;
  }

  addText(build: (field: object) => void): this {
    const field = {
      inputEl: { type: "" },
      setValue: () => field,
      onChange: (change: (text: string) => void) => {
        controls.set(this.name, { change });
        return field;
      },
    };
    build(field);
    return this;
  }

  addButton(build: (button: object) => void): this {
    const button = {
      setButtonText: () => button,
      setCta: () => button,
      onClick: (click: () => Promise<void>) => {
        controls.set(this.name, { click });
        return button;
      },
    };
    build(button);
    return this;
  }
}

// The plugin of tars for Obsidian: panes and commands that ask `tars serve` on this machine. It writes no file of the vault itself; what is
// to be remembered goes to tars, under the rules and in the journal of tars.

import { realpathSync } from "node:fs";
import { type Editor, FileSystemAdapter, Keymap, Notice, Plugin, requestUrl, type ViewCreator } from "obsidian";
import type { StatusAnswer } from "./answers";
import { Connection, type Settings } from "./connection";
import { Pane, type Tars } from "./pane";
import { Places } from "./places";
import { asProblem } from "./problem";
import { RECALLED, RecalledPane } from "./recalled";
import { RELATED, RelatedPane } from "./related";
import { type Choice, type Kind, remember, SimilarLines } from "./remember";
import { REVIEW, ReviewPane } from "./review";
import { SEARCH, SearchPane } from "./search";
import { load, save, TarsSettings } from "./settings";

export default class TarsPlugin extends Plugin implements Tars {
  access: Settings = load(this.app);
  readonly connection = new Connection(() => this.access, requestUrl);
  private knownPlaces: Promise<Places> | null = null;

  override async onload(): Promise<void> {
    const panes: [string, string, ViewCreator][] = [
      [SEARCH, "Search", (leaf) => new SearchPane(leaf, this)],
      [RELATED, "Show related notes", (leaf) => new RelatedPane(leaf, this)],
      [RECALLED, "Show what was recalled today", (leaf) => new RecalledPane(leaf, this)],
      [REVIEW, "Review proposals", (leaf) => new ReviewPane(leaf, this)],
    ];
    for (const [type, name, create] of panes) {
      this.registerView(type, create);
      this.addCommand({ id: type.replace("tars-", ""), name, callback: () => void this.show(type) });
    }
    const kinds: [string, string, Kind][] = [
      ["remember-fact", "Remember the selection", "semantic"],
      ["remember-rule", "Remember the selection as a rule", "procedural"],
    ];
    for (const [id, name, kind] of kinds) {
      this.addCommand({ id, name, editorCallback: (editor) => void this.rememberSelection(editor, kind) });
    }
    this.addRibbonIcon("search", "tars: search", () => void this.show(SEARCH));
    this.addSettingTab(new TarsSettings(this.app, this));
  }

  configure(address: string, token: string): void {
    this.access = save(this.app, address, token);
    this.knownPlaces = null;
  }

  places(): Promise<Places> {
    const known = this.knownPlaces ?? this.askPlaces();
    this.knownPlaces = known;
    // The next question tries again.
    known.catch(() => {
      this.knownPlaces = null;
    });
    return known;
  }

  private async askPlaces(): Promise<Places> {
    const { collections } = await this.connection.ask<StatusAnswer>("status", {});
    const adapter = this.app.vault.adapter;
    const base = adapter instanceof FileSystemAdapter ? adapter.getBasePath() : "";
    return new Places(base, collections, realPath);
  }

  async open({ collection, path, line }: { collection: string; path: string; line: number | null }, event?: MouseEvent): Promise<void> {
    try {
      const place = (await this.places()).inVault(collection, path);
      const file = place === null ? null : this.app.vault.getFileByPath(place);
      if (place === null) new Notice(`${path} is in the collection ${collection} of tars, outside of this vault`);
      else if (file === null) new Notice(`${place} is not in this vault any more`);
      else {
        const leaf = this.app.workspace.getLeaf(Keymap.isModEvent(event));
        await leaf.openFile(file, { active: true, ...(line === null ? {} : { eState: { line: line - 1 } }) });
      }
    } catch (error) {
      this.tell(error);
    }
  }

  private async show(type: string): Promise<void> {
    const leaf = this.app.workspace.getLeavesOfType(type)[0] ?? this.app.workspace.getRightLeaf(false);
    if (leaf === null) return;
    if (leaf.view.getViewType() !== type) await leaf.setViewState({ type, active: true });
    await this.app.workspace.revealLeaf(leaf);
    if (leaf.view instanceof Pane) leaf.view.takeFocus();
  }

  private async rememberSelection(editor: Editor, kind: Kind): Promise<void> {
    const text = editor.getSelection().trim();
    if (text === "") {
      new Notice("Select the text to remember first");
      return;
    }
    try {
      const choose = (near: ConstructorParameters<typeof SimilarLines>[1]) =>
        new Promise<Choice>((resolve) => new SimilarLines(this.app, near, resolve).open());
      new Notice(await remember(this.connection, text, kind, choose));
    } catch (error) {
      this.tell(error);
    }
  }

  private tell(error: unknown): void {
    const { message, hint } = asProblem(error);
    new Notice(hint === "" ? message : `${message}\n${hint}`);
  }
}

/** Returns a path without links; the path itself where the system cannot say. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

// Address and token. Both lie in the app's local storage, never in the vault: whoever can write there could otherwise send the token
// elsewhere, and a sync program would carry it along.

import { type App, Notice, type Plugin, PluginSettingTab, Setting } from "obsidian";
import { DEFAULT_ADDRESS, parseAddress } from "./address";
import type { StatusAnswer } from "./answers";
import type { Connection, Settings } from "./connection";
import type { Tars } from "./pane";
import { asProblem, Problem } from "./problem";

const KEY = "tars-connection";

/** Returns the settings of this vault on this machine. Invalid ones count as not set. */
export function load(app: App): Settings {
  const kept: unknown = app.loadLocalStorage(KEY);
  const { address, token } = (typeof kept === "object" && kept !== null ? kept : {}) as { address?: unknown; token?: unknown };
  return { address: validAddress(address), token: typeof token === "string" && isToken(token) ? token : "" };
}

/** Keeps settings. Throws a `Problem` if one is not valid, and then keeps nothing. */
export function save(app: App, address: string, token: string): Settings {
  const settings = { address: parseAddress(address), token: token.trim() };
  if (settings.token !== "" && !isToken(settings.token)) {
    throw new Problem("this is no token", "paste the line that tars serve token add obsidian prints");
  }
  app.saveLocalStorage(KEY, settings);
  return settings;
}

function validAddress(address: unknown): string {
  try {
    return typeof address === "string" ? parseAddress(address) : DEFAULT_ADDRESS;
  } catch {
    return DEFAULT_ADDRESS;
  }
}

/** Whether a text can be a token: it goes into a header. */
function isToken(text: string): boolean {
  return /^[\x21-\x7e]{8,200}$/.test(text);
}

/** Asks tars, and returns in words whether the plugin can work. */
export async function check(connection: Connection, tars: Pick<Tars, "places">): Promise<string> {
  const { files } = await connection.ask<StatusAnswer>("status", {});
  const { elsewhere } = await tars.places();
  return elsewhere === null
    ? `tars answers, with ${files} notes`
    : `tars answers, but its vault is ${elsewhere}: its notes cannot be opened here`;
}

/** The plugin as its settings see it. */
export interface Configurable extends Plugin, Tars {
  /** Address and token. Obsidian keeps what is named `settings` in the vault. */
  access: Settings;
  /** Takes another address and token. */
  configure(address: string, token: string): void;
}

export class TarsSettings extends PluginSettingTab {
  private readonly tars: Configurable;

  constructor(app: App, plugin: Configurable) {
    super(app, plugin);
    this.tars = plugin;
  }

  override display(): void {
    this.containerEl.empty();
    let { address, token } = this.tars.access;
    new Setting(this.containerEl)
      .setName("Address")
      .setDesc(`Where tars serve listens on this machine: ${DEFAULT_ADDRESS} unless you chose another port.`)
      .addText((field) => field.setValue(address).onChange((text) => {
        address = text;
      }));
    new Setting(this.containerEl)
      .setName("Token")
      .setDesc("tars serve token add obsidian prints one. It stays on this machine, outside of the vault.")
      .addText((field) => {
        field.inputEl.type = "password";
        field.setValue(token).onChange((text) => {
          token = text;
        });
      });
    new Setting(this.containerEl)
      .setName("Save")
      .setDesc("Keeps both, and asks tars whether they are right.")
      .addButton((button) => button.setButtonText("Save and check").setCta().onClick(async () => {
        try {
          this.tars.configure(address, token);
          new Notice(await check(this.tars.connection, this.tars));
        } catch (error) {
          const { message, hint } = asProblem(error);
          new Notice(hint === "" ? message : `${message}\n${hint}`);
        }
      }));
  }
}

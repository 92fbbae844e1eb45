// The address of `tars serve`. Only this machine's own addresses are accepted, because the token travels there unencrypted.

import { Problem } from "./problem";

/** The address at which `tars serve` listens without any setting. */
export const DEFAULT_ADDRESS = "http://127.0.0.1:8746";

const HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/** Returns the origin of an address that a person typed. Throws a `Problem` if it is no address on this machine. */
export function parseAddress(text: string): string {
  const typed = text.trim() === "" ? DEFAULT_ADDRESS : text.trim();
  const refused = (why: string) => new Problem(`the address '${typed}' ${why}`, `use the one that tars serve prints, such as ${DEFAULT_ADDRESS}`);
  let url: URL;
  try {
    url = new URL(typed);
  } catch {
    throw refused("cannot be read");
  }
  if (url.protocol !== "http:" || !HOSTS.includes(url.hostname)) throw refused("is not on this machine");
  if (url.username !== "" || url.password !== "" || url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw refused("holds more than a name and a port");
  }
  return url.origin;
}

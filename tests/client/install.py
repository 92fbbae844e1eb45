"""The scenario of /tars:install, which fetches the program from a release."""

import functools
import hashlib
import http.server
import os
import platform
import re
import shlex
import tarfile
import threading

from scenario import copy, every_text, injected, manifest, sizes

COMMANDS = re.compile(r"```sh\n(.*?)\n\s*```", re.DOTALL)


def fetches(scenario):
    """the program, fetched with the user's permission"""
    home, office = scenario.home, scenario.home.project("office")
    scenario.tars("remember", "The office is on the fourth floor")
    release = os.path.join(home.folder, "release")
    clone = os.path.join(home.folder, "plugin")
    copy(scenario.options.plugin, clone)
    archive, server = packed(scenario, release, manifest(clone, "plugin.json")["version"]), served(release)
    # From here on no program is installed.
    home.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    plugin = ["--plugin-dir", clone]

    def run(prompt, *arguments):
        since = len(scenario.api.requests())
        done = home.client(office, "-p", prompt, *plugin, *arguments)
        told = [text for request in scenario.api.requests(since) for text in every_text(request["body"] or {})]
        return done, "\n".join(told)

    done, _ = run("Which floor is the office on?", "--output-format", "stream-json", "--verbose", "--include-hook-events")
    scenario.expect("/tars:install fetches it" in done.stdout, "a session without the program says how to install it")
    scenario.expect(done.returncode == 0, "and continues", done.returncode)

    done, told = run("/tars:install")
    commands = [shlex.join(shlex.split(command)) for command in COMMANDS.findall(told)]
    scenario.expect(len(commands) == 2, "the agent gets two commands and the order to ask", "; ".join(commands))
    alone, below = commands if len(commands) == 2 else ("false", "false")
    # The client's shell must expand the home.
    below = below.replace("'$HOME/.local'", '"$HOME/.local"')
    _, told = run(f"/tars:install [[bash {alone}]] [[say It failed.]]", "--allowedTools", "Bash")
    scenario.expect("knows no released program" in told, "a plugin without a release fetches nothing")

    with open(os.path.join(clone, ".claude-plugin", "release.txt"), "w", encoding="utf-8") as pins:
        pins.write(f"from http://127.0.0.1:{server.server_address[1]}\n{'0' * 64}  {os.path.basename(archive)}\n")
    _, told = run(f"/tars:install [[bash {alone}]] [[say It failed.]]", "--allowedTools", "Bash")
    scenario.expect("not what this plugin was published with" in told, "it refuses another archive than the published one")
    scenario.expect(not programs(home.folder, release), "and installs nothing", programs(home.folder, release))

    with open(archive, "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    with open(os.path.join(clone, ".claude-plugin", "release.txt"), "w", encoding="utf-8") as pins:
        pins.write(f"from http://127.0.0.1:{server.server_address[1]}\n{digest}  {os.path.basename(archive)}\n")
    _, told = run(f"/tars:install [[bash {alone}]] [[say It is there.]]")
    scenario.expect("requires approval" in told, "it fetches nothing without permission")
    _, told = run(f"/tars:install [[bash {alone}]] [[say It is there.]]", "--allowedTools", "Bash")
    scenario.expect("installed  tars " in told, "with permission, it fetches the program", "; ".join(programs(home.folder, release)))
    body = scenario.ask(office, "Which floor is our office on?", plugin=plugin)
    scenario.expect("fourth floor" in "".join(injected(body)), "the next session uses it", sizes(body))

    _, told = run(f"/tars:install [[bash {below}]] [[say It is there.]]", "--allowedTools", "Bash")
    there = os.path.join(home.folder, ".local", "bin", "tars")
    scenario.expect(os.access(there, os.X_OK), "it can install for a terminal too", there)
    server.shutdown()
    scenario.settle()


def packed(scenario, folder, version):
    """Packs the program as a release does. Returns the archive."""
    system = "apple-darwin" if platform.system() == "Darwin" else "unknown-linux-gnu"
    machine = {"arm64": "aarch64", "amd64": "x86_64"}.get(platform.machine().lower(), platform.machine())
    name = f"tars-{version}-{machine}-{system}"
    os.makedirs(folder)
    archive = os.path.join(folder, f"{name}.tar.gz")
    with tarfile.open(archive, "w:gz", compresslevel=1) as file:
        file.add(os.path.realpath(scenario.options.bin), f"{name}/bin/tars")
    return archive


def served(folder):
    """Serves a folder on the loopback interface. Returns the server."""
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that prints nothing."""

    def log_message(self, *_):
        pass


def programs(folder, but):
    """Returns the programs called tars below a folder, without those below the folder `but`."""
    found = []
    for place, _, names in os.walk(folder):
        if "tars" in names and os.path.basename(place) == "bin" and not place.startswith(but):
            found.append(os.path.relpath(os.path.join(place, "tars"), folder))
    return found

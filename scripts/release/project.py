"""The project as a release needs to know it. Everything comes from Cargo.toml and git, so that nothing is written twice."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The name of the packages. The command is `tars`, but other projects own that name on PyPI and npm.
PACKAGE = "tars-memory"

MODEL = "all-minilm-l6-v2-int8"


class Failure(Exception):
    """The reason why a release stops, and a hint."""

    def __init__(self, message, hint=None):
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Target:
    """A system and a processor, as each kind of package names them."""

    triple: str
    deb: str  # empty where there is no .deb
    npm_os: str
    npm_cpu: str
    wheel: str  # platform tag; {glibc} stands for the oldest version that the program runs with

    @property
    def npm_name(self):
        return f"{PACKAGE}-{self.npm_os}-{self.npm_cpu}"

    @property
    def is_linux(self):
        return self.npm_os == "linux"


TARGETS = {
    target.triple: target
    for target in (
        Target("x86_64-unknown-linux-gnu", "amd64", "linux", "x64", "manylinux_{glibc}_x86_64"),
        Target("aarch64-unknown-linux-gnu", "arm64", "linux", "arm64", "manylinux_{glibc}_aarch64"),
        Target("aarch64-apple-darwin", "", "darwin", "arm64", "macosx_11_0_arm64"),
        Target("x86_64-apple-darwin", "", "darwin", "x64", "macosx_11_0_x86_64"),
    )
}


@dataclass(frozen=True)
class Project:
    """The package as Cargo.toml describes it."""

    version: str
    description: str
    licence: str
    repository: str
    epoch: int  # time of every file in a package, in seconds since 1970

    @property
    def owner(self):
        return self.repository.rstrip("/").split("/")[-2]

    @staticmethod
    def read():
        text = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
        # The crates may share fields in [workspace.package].
        sections = re.findall(r"^\[(?:workspace\.)?package\]\n(.*?)(?=^\[|\Z)", text, re.MULTILINE | re.DOTALL)

        def field(name):
            found = re.search(rf'^{name} = "([^"]*)"$', "\n".join(sections), re.MULTILINE)
            if not found:
                raise Failure(f"Cargo.toml has no {name} in [package]")
            return found.group(1)

        return Project(field("version"), field("description"), field("license"), field("repository"), _epoch())


def _epoch():
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    shown = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        raise Failure("this is no git clone, so the time of the release is not known", "set SOURCE_DATE_EPOCH")
    return int(shown.stdout)


def run(*words, **options):
    """Runs a program and returns its output. Raises a Failure with its error output if it fails."""
    options = {"capture_output": True, "text": True, "check": False, **options}
    try:
        done = subprocess.run([str(word) for word in words], **options)
    except FileNotFoundError:
        raise Failure(f"{words[0]} is missing") from None
    if done.returncode != 0:
        told = (done.stderr or "").strip()
        raise Failure(f"'{' '.join(str(word) for word in words)}' failed with {done.returncode}\n{told}".strip())
    return done.stdout or ""


def say(text):
    print(text, flush=True)

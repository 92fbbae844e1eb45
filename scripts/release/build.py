"""Builds the program for a target, and finds out what a program needs from the system."""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .project import ROOT, Failure, run, say

# Programs for Linux run with this C library or a newer one: Debian 11, Raspberry Pi OS 11, Ubuntu 20.04.
GLIBC = "2.31"

# Zig is a linker and C compiler that can target any version of glibc. Both tools are Python packages.
TOOLS = ("cargo-zigbuild==0.24.1", "ziglang==0.17.1")


def own_targets():
    """Returns the targets that this machine can build."""
    if sys.platform == "darwin":
        return ["aarch64-apple-darwin", "x86_64-apple-darwin"]
    return ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]


def build(target, project):
    """Builds the program and returns its path. The same sources, compiler and epoch give the same bytes in any folder."""
    triple = target.triple
    folder = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
    env = {**os.environ, "SOURCE_DATE_EPOCH": str(project.epoch), "CARGO_TARGET_DIR": str(folder)}
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    remapped = [(ROOT, "/tars"), (home, "/cargo")]
    # A control character separates the flags, because paths may contain blanks.
    env["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(f"--remap-path-prefix={path}={name}" for path, name in remapped)
    flags = " ".join(f"-ffile-prefix-map={path}={name}" for path, name in remapped)
    env["CFLAGS"] = f"{env.get('CFLAGS', '')} {flags}".strip()
    env.update(_compiler_of(triple))
    options = ["--profile", "dist", "--locked", "--bin", "tars", "--target"]
    if target.is_linux:
        tools = _zig(folder / "release-tools")
        env["PATH"] = f"{tools}{os.pathsep}{env['PATH']}"
        words = ["cargo-zigbuild", "zigbuild", *options, f"{triple}.{GLIBC}"]
    else:
        env["MACOSX_DEPLOYMENT_TARGET"] = "11.0"
        words = ["cargo", "build", *options, triple]
    say(f"==> {' '.join(words)}")
    if subprocess.run(words, cwd=ROOT, env=env, check=False).returncode != 0:
        raise Failure(f"tars could not be built for {triple}")
    return folder / triple / "dist" / "tars"


def _compiler_of(triple):
    """Returns the variables with which cargo uses a compiler that has the target's standard library: the usual one, else Debian's."""
    for compiler in ("rustc", "/usr/bin/rustc"):
        if not shutil.which(compiler):
            continue
        sysroot = run(compiler, "--print", "sysroot", cwd=ROOT).strip()
        if any((Path(sysroot) / "lib/rustlib" / triple / "lib").glob("libstd-*.rlib")):
            return {} if compiler == "rustc" else {"RUSTC": compiler}
    raise Failure(
        f"no compiler here has the standard library of {triple}",
        f"rustup target add {triple}; Debian: apt install rustc-web libstd-rust-web-dev:ARCHITECTURE",
    )


def _zig(folder):
    """Installs Zig and cargo-zigbuild into a folder of their own, once, and returns the folder of their programs."""
    programs = folder / "bin"
    mark = folder / "installed"
    if not mark.is_file() or mark.read_text() != "\n".join(TOOLS):
        shutil.rmtree(folder, ignore_errors=True)
        run(sys.executable, "-m", "venv", folder)
        run(programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *TOOLS)
        mark.write_text("\n".join(TOOLS))
    return programs


def glibc(program):
    """Returns the oldest version of glibc that a program for Linux runs with, such as `2.31`."""
    found = re.findall(rb"GLIBC_2\.(\d+)", program.read_bytes())
    if not found:
        raise Failure(f"{program} names no version of glibc: is it a program for Linux?")
    return f"2.{max(map(int, found))}"


def libraries(program):
    """Returns the shared libraries that a program for Linux needs."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", program))


def runs_here(target):
    """Whether this machine runs programs of a target without an emulator."""
    machine = {"arm64": "aarch64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    system = "apple-darwin" if sys.platform == "darwin" else "unknown-linux-gnu"
    return target.triple == f"{machine}-{system}"

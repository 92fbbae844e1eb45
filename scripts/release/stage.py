"""The files of every package by their path below a prefix (`/usr`, `~/.local`, a virtual environment).

    bin/tars
    lib/tars/models/MODEL/      manifest.toml, kernel.bin, LICENSE
    lib/tars/plugin/            the plugins for Claude Code and other clients
    share/man/man1/             the manual
    share/bash-completion/completions/tars, share/zsh/site-functions/_tars, share/fish/vendor_completions.d/tars.fish
    share/doc/tars/             README, CHANGELOG, licences, bill of materials

share/tars stays empty: below ~/.local it is the user's own data folder.
"""

import os
import tempfile
from pathlib import Path

from .archives import File, files_below
from .project import MODEL, ROOT, Failure, run, say

COMPLETIONS = {
    "bash": "share/bash-completion/completions/tars",
    "zsh": "share/zsh/site-functions/_tars",
    "fish": "share/fish/vendor_completions.d/tars.fish",
}

DOCUMENTS = ("README.md", "CHANGELOG.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT")
PLUGIN = (".claude-plugin", "hooks", "skills", ".agents", "plugins")


def common(program, models):
    """Returns the files that are the same for all targets. `program` runs on this machine, `models` is a folder of models."""
    files = {f"share/doc/tars/{name}": File((ROOT / name).read_bytes()) for name in DOCUMENTS}
    for folder in PLUGIN:
        found = files_below(ROOT / folder)
        files.update({f"lib/tars/plugin/{folder}/{path}": file for path, file in found.items()})
    files.update({f"lib/tars/models/{MODEL}/{name}": file for name, file in _model(program, models).items()})
    with tempfile.TemporaryDirectory() as scratch:
        env = {"HOME": scratch, "PATH": os.environ["PATH"]}
        run(program, "man", f"{scratch}/man", env=env)
        pages = files_below(Path(scratch) / "man")
        files.update({f"share/man/man1/{path}": page for path, page in pages.items()})
        for shell, place in COMPLETIONS.items():
            script = run(program, "completions", shell, env=env)
            # A completion script calls the program that printed it; in a package it must call the one on PATH.
            if str(program) not in script:
                raise Failure(f"the completions for {shell} do not name the program")
            files[place] = File(script.replace(str(program), "tars").encode())
    return files


def _model(program, models):
    """Returns the model's files as packages contain them: the prepared file replaces the files that it was made from."""
    folder = Path(models) / MODEL
    manifest = ROOT / "models" / MODEL / "manifest.toml"
    if not (folder / "manifest.toml").is_file():
        raise Failure(f"there is no model in {folder}", "scripts/install-models, or --models FOLDER")
    if (folder / "manifest.toml").read_bytes() != manifest.read_bytes():
        raise Failure(f"the model in {folder} is not the one that models/{MODEL} describes", "scripts/install-models")
    with tempfile.TemporaryDirectory() as home:
        env = {"HOME": home, "PATH": os.environ["PATH"], "TARS_MODELS_DIR": str(models)}
        if not (folder / "kernel.bin").is_file():
            say(f"==> preparing {MODEL}")
            run(program, "models", "prepare", MODEL, env=env)
        # Reads every byte of the model's files and of the prepared one.
        run(program, "models", "verify", MODEL, env=env)
    return {
        "manifest.toml": File(manifest.read_bytes()),
        "kernel.bin": File((folder / "kernel.bin").read_bytes()),
        "LICENSE": File((ROOT / "LICENSE-APACHE").read_bytes()),
    }


def staged(common_files, program, bill, project):
    """Returns all files of a target."""
    return {
        **common_files,
        "bin/tars": File(Path(program).read_bytes(), executable=True),
        "share/doc/tars/THIRD-PARTY.txt": File(bill.third_party().encode()),
        "share/doc/tars/sbom.cdx.json": File(bill.cyclonedx(project).encode()),
    }


def installed_models():
    """Returns the folder that scripts/install-models fills."""
    share = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return Path(os.environ.get("TARS_MODELS_DIR") or Path(share) / "tars/models")


"""Fills in the files of packaging/ that name the version, the repository and the hashes of archives.

    @VERSION@           the version of Cargo.toml
    @REPOSITORY@        its repository
    @SHA256:TRIPLE@     sha256 of the archive of that target
    # @if TRIPLE        the lines up to `# @end` stay only where there is an archive of that target
    # @end
    # @shared FILE      the lines of FILE between `# ---- shared` and `# ---- end`

As a program, with scripts/ in PYTHONPATH: `python3 -m release.recipes install.sh` prints a recipe that names no hashes.
"""

import re
import sys

from .project import ROOT, Failure, Project

RECIPES = {
    "install.sh": "packaging/install.sh",
    "tars.rb": "packaging/homebrew/tars.rb",
    "PKGBUILD": "packaging/aur/PKGBUILD",
    "flake.nix": "packaging/nix/flake.nix",
}


def filled(project, hashes):
    """Returns each recipe by its file name. `hashes` maps targets to the sha256 of their archives."""
    texts = {name: fill(_read(source), project, hashes) for name, source in RECIPES.items()}
    return {**texts, "release.txt": pins(project, hashes)}


def pins(project, hashes):
    """Returns .claude-plugin/release.txt, with which the plugin fetches this very release."""
    # The comment explains the file before the first release too.
    comment = [line for line in _read(".claude-plugin/release.txt").splitlines() if line.startswith("#")]
    lines = [*comment, f"from {project.repository}/releases/download/v{project.version}"]
    lines += [f"{digest}  tars-{project.version}-{triple}.tar.gz" for triple, digest in sorted(hashes.items())]
    return "\n".join(lines) + "\n"


def fill(text, project, hashes):
    lines, shown = [], True
    for line in text.splitlines(keepends=True):
        words = line.split()
        if words[:2] == ["#", "@if"]:
            shown = words[2] in hashes
        elif words == ["#", "@end"]:
            shown = True
        elif words[:2] == ["#", "@shared"]:
            lines.append(_shared(words[2]))
        elif shown:
            lines.append(line)
    values = {"VERSION": project.version, "REPOSITORY": project.repository}
    values.update({f"SHA256:{triple}": digest for triple, digest in hashes.items()})

    def value(match):
        if match.group(1) not in values:
            raise Failure(f"no value is known for {match.group(0)}")
        return values[match.group(1)]

    return re.sub(r"@([A-Z0-9]+(?::[a-z0-9_-]+)?)@", value, "".join(lines))


def _shared(path):
    found = re.search(r"^# ---- shared.*?\n(.*?)^# ---- end", _read(path), re.MULTILINE | re.DOTALL)
    if not found:
        raise Failure(f"{path} marks no lines as shared")
    return found[1]


def _read(path):
    return (ROOT / path).read_text(encoding="utf-8")


if __name__ == "__main__":
    sys.stdout.write(fill(_read(RECIPES[sys.argv[1]]), Project.read(), {}))

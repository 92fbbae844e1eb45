"""Files of packaging/ that name the version, the repository and the hashes of archives: filled in when these are known.

    @VERSION@           the version of Cargo.toml
    @REPOSITORY@        its repository
    @SHA256:TRIPLE@     sha256 of the archive of that target
    # @if TRIPLE        the lines up to `# @end` stand only where there is an archive of that target
    # @end
"""

import re

from .project import ROOT, Failure

RECIPES = {
    "install.sh": "packaging/install.sh",
    "tars.rb": "packaging/homebrew/tars.rb",
    "PKGBUILD": "packaging/aur/PKGBUILD",
    "flake.nix": "packaging/nix/flake.nix",
}


def filled(project, hashes):
    """Returns each recipe by the name of its file. `hashes` are those of the archives, by target."""
    texts = {name: fill((ROOT / source).read_text(encoding="utf-8"), project, hashes) for name, source in RECIPES.items()}
    return {**texts, "release.txt": pins(project, hashes)}


def pins(project, hashes):
    """Returns what the plugin is published with, so that it fetches this very release (.claude-plugin/release.txt)."""
    # What stands there before the first release explains the file.
    comment = [line for line in (ROOT / ".claude-plugin/release.txt").read_text(encoding="utf-8").splitlines() if line.startswith("#")]
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
        elif shown:
            lines.append(line)
    values = {"VERSION": project.version, "REPOSITORY": project.repository}
    values.update({f"SHA256:{triple}": digest for triple, digest in hashes.items()})

    def value(match):
        if match.group(1) not in values:
            raise Failure(f"nothing is known to put in the place of {match.group(0)}")
        return values[match.group(1)]

    return re.sub(r"@([A-Z0-9]+(?::[a-z0-9_-]+)?)@", value, "".join(lines))

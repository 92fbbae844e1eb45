"""The packages of a target, each of the same staged files."""

import hashlib
import json
import tempfile
from pathlib import Path

from . import archives, build
from .archives import File
from .project import PACKAGE, ROOT, Failure

# The service as `tars service install` writes it, with a placeholder for the command.
[UNIT] = (ROOT / "src").glob("**/tars-watch.service")


def archive(target, staged, project):
    name = f"tars-{project.version}-{target.triple}"
    return f"{name}.tar.gz", archives.tar_gz(staged, project.epoch, f"{name}/")


def deb(target, staged, project):
    """Returns the Debian package: the staged files under /usr, and the service for those who enable it."""
    data = {}
    for path, file in staged.items():
        # Debian has its own folder for zsh, compresses the manual, and names the folder of documents after the package.
        path = path.replace("share/zsh/site-functions", "share/zsh/vendor-completions")
        path = path.replace("share/doc/tars/", f"share/doc/{PACKAGE}/")
        if path.startswith("share/man/"):
            path, file = f"{path}.gz", File(archives.gzipped(file.content, project.epoch))
        data[f"usr/{path}"] = file
    unit = UNIT.read_text(encoding="utf-8").replace("@COMMAND@", '"/usr/bin/tars" "watch"')
    data["usr/lib/systemd/user/tars-watch.service"] = File(unit.encode())
    doc = f"usr/share/doc/{PACKAGE}"
    data[f"{doc}/copyright"] = data.pop(f"{doc}/LICENSE")
    data[f"{doc}/changelog.gz"] = File(archives.gzipped(data.pop(f"{doc}/CHANGELOG.md").content, project.epoch))
    data[f"{doc}/THIRD-PARTY.txt.gz"] = File(archives.gzipped(data.pop(f"{doc}/THIRD-PARTY.txt").content, project.epoch))
    control = "".join(
        f"{line}\n"
        for line in (
            f"Package: {PACKAGE}",
            f"Version: {project.version}",
            f"Architecture: {target.deb}",
            f"Maintainer: {project.owner} <{project.owner}@users.noreply.github.com>",
            f"Installed-Size: {sum(len(file.content) for file in data.values()) // 1024}",
            f"Depends: {', '.join(_needed(staged['bin/tars']))}",
            "Section: text",
            "Priority: optional",
            f"Homepage: {project.repository}",
            f"Description: {project.description}",
            " Indexes folders of markdown and answers questions about them by words and by",
            " meaning, offline. The package contains the embedding model.",
        )
    )
    sums = "".join(f"{hashlib.md5(file.content).hexdigest()}  {path}\n" for path, file in sorted(data.items()))
    parts = {"control": File(control.encode()), "md5sums": File(sums.encode())}
    return f"{PACKAGE}_{project.version}_{target.deb}.deb", archives.deb(parts, data, project.epoch)


def _needed(program):
    """Returns the Debian packages that contain the libraries which the program needs."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "tars"
        file.write_bytes(program.content)
        needed = {f"libc6 (>= {build.glibc(file)})"}
        for library in build.libraries(file):
            if library.startswith("libgcc_s."):
                needed.add("libgcc-s1")
            elif not library.startswith(("libc.", "libm.", "libdl.", "librt.", "libpthread.", "ld-linux")):
                raise Failure(f"tars needs {library}, and the Debian package that contains it is not known here")
    return sorted(needed)


def wheel(target, staged, project):
    """Returns the wheel. pip puts `scripts` into bin and `data` below the prefix, where the program looks for its model."""
    name = PACKAGE.replace("-", "_")
    tag = target.wheel
    if target.is_linux:
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "tars"
            file.write_bytes(staged["bin/tars"].content)
            tag = tag.format(glibc=build.glibc(file).replace(".", "_"))
    data, info = f"{name}-{project.version}.data", f"{name}-{project.version}.dist-info"
    files = {f"{data}/data/{path}": file for path, file in staged.items() if path != "bin/tars"}
    files[f"{data}/scripts/tars"] = staged["bin/tars"]
    readme = (ROOT / "packaging/python/README.md").read_text(encoding="utf-8")
    metadata = (
        f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {project.version}\nSummary: {project.description}\n"
        f"License: {project.licence}\nProject-URL: Source, {project.repository}\nRequires-Python: >=3.8\n"
        f"Description-Content-Type: text/markdown\n\n{readme}"
    )
    files[f"{info}/METADATA"] = File(metadata.encode())
    wheel_file = f"Wheel-Version: 1.0\nGenerator: tars scripts/release/pack\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n"
    files[f"{info}/WHEEL"] = File(wheel_file.encode())
    for licence in ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"):
        files[f"{info}/licenses/{licence}"] = staged[f"share/doc/tars/{licence}"]
    return f"{name}-{project.version}-py3-none-{tag}.whl", archives.wheel(files, project.epoch, info)


def npm_platform(target, staged, project):
    """Returns the npm package with the program for one platform, an optional dependency of the main package."""
    description = {
        **_npm(target.npm_name, project),
        "os": [target.npm_os],
        "cpu": [target.npm_cpu],
        **({"libc": ["glibc"]} if target.is_linux else {}),
        "preferUnplugged": True,
    }
    files = {path: file for path, file in staged.items() if path.startswith(("bin/", "lib/", "share/doc/", "share/man/"))}
    files["package.json"] = _json(description)
    files["README.md"] = File(f"The program of {PACKAGE} for {target.triple}. Install {PACKAGE}.\n".encode())
    return f"{target.npm_name}-{project.version}.tgz", archives.tar_gz(files, project.epoch, "package/")


def npm_main(targets, project):
    """Returns the npm package that people install: a launcher whose optional dependencies are the packages of the platforms."""
    description = {
        **_npm(PACKAGE, project),
        "bin": {"tars": "tars.js"},
        "engines": {"node": ">=16"},
        "optionalDependencies": {target.npm_name: project.version for target in targets},
    }
    files = {name: File((ROOT / name).read_bytes()) for name in ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")}
    files["package.json"] = _json(description)
    files["tars.js"] = File((ROOT / "packaging/npm/tars.js").read_bytes(), executable=True)
    files["README.md"] = File((ROOT / "packaging/npm/README.md").read_bytes())
    return f"{PACKAGE}-{project.version}.tgz", archives.tar_gz(files, project.epoch, "package/")


def _npm(name, project):
    return {
        "name": name,
        "version": project.version,
        "description": project.description,
        "license": f"({project.licence})",
        "repository": {"type": "git", "url": f"git+{project.repository}.git"},
    }


def _json(value):
    return File((json.dumps(value, indent=2) + "\n").encode())

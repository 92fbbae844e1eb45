"""The crates of a program with their licences: as a text for people, and as a CycloneDX bill of materials for programs."""

import datetime
import hashlib
import json
from pathlib import Path

from .project import MODEL, ROOT, Failure, run

TEXTS = ("license", "licence", "copying", "notice", "unlicense", "copyright")

# Sources that are compiled in without being a crate of their own.
WITHIN = (
    "The crate libsqlite3-sys contains SQLite, which is in the public domain.",
    "The standard library of Rust is under MIT or Apache-2.0.",
)


class Bill:
    """The crates that a program for a target is linked from, by name and version, without the crates of tars itself."""

    def __init__(self, target):
        command = ("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target)
        self.metadata = json.loads(run(*command, cwd=ROOT))
        packages = {package["id"]: package for package in self.metadata["packages"]}
        self.edges = {
            node["id"]: {dep["pkg"] for dep in node["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])}
            for node in self.metadata["resolve"]["nodes"]
        }
        self.root = self.metadata["resolve"]["root"]
        # The workspace counts as one crate: its root depends on everything that a member depends on.
        members = self._reached([self.root], set(self.metadata["workspace_members"]))
        self.edges[self.root] = set().union(*(self.edges[member] for member in members)) - members
        self.tars = packages[self.root]
        crates = (packages[crate] for crate in self._reached([self.root]) - {self.root})
        self.crates = sorted(crates, key=lambda crate: (crate["name"], crate["version"]))
        without = [crate["name"] for crate in self.crates if not (crate["license"] or crate["license_file"])]
        if without:
            raise Failure(f"these crates name no licence: {', '.join(without)}", "remove those whose licence forbids redistribution")

    def _reached(self, waiting, within=None):
        """Returns the ids of the crates in `waiting` and of those that they depend on; with `within`, none outside of that set."""
        reached, waiting = set(), list(waiting)
        while waiting:
            crate = waiting.pop()
            if crate not in reached and (within is None or crate in within):
                reached.add(crate)
                waiting.extend(self.edges[crate])
        return reached

    def third_party(self):
        """Returns the licences of all crates and of the model, each text once."""
        texts = {}
        without = []
        for crate in self.crates:
            found = _texts(crate)
            for text in found:
                texts.setdefault(text, []).append(_name(crate))
            if not found:
                without.append(_name(crate))
        lines = ["The crates that the program tars is linked from, and their licences.", ""]
        lines += [f"{_name(crate)}: {_licence(crate)}" for crate in self.crates]
        lines += ["", *WITHIN]
        lines += ["", f"The model {MODEL} is sentence-transformers' all-MiniLM-L6-v2, under Apache-2.0; the licence's text is beside it."]
        if without:
            lines += ["", "These crates name a licence and do not contain its text: " + ", ".join(without) + "."]
        for text, crates in sorted(texts.items(), key=lambda item: item[1]):
            lines += ["", "=" * 100, "Licence of " + ", ".join(crates) + ":", "", text.rstrip("\n")]
        return "\n".join(lines) + "\n"

    def cyclonedx(self, project):
        """Returns the bill of materials in CycloneDX 1.5, as JSON."""
        checksums = _checksums()

        def component(crate, kind):
            found = {
                "type": kind,
                "bom-ref": _reference(crate),
                "name": crate["name"],
                "version": crate["version"],
                "licenses": [{"expression": _licence(crate)}] if crate["license"] else [{"license": {"name": _licence(crate)}}],
                "purl": _reference(crate),
            }
            checksum = checksums.get((crate["name"], crate["version"]))
            if checksum:
                found["hashes"] = [{"alg": "SHA-256", "content": checksum}]
            return found

        by_id = {crate["id"]: crate for crate in [*self.crates, self.tars]}
        model = {"type": "machine-learning-model", "bom-ref": f"model:{MODEL}", "name": MODEL, "licenses": [{"expression": "Apache-2.0"}]}
        dependencies = [
            {"ref": _reference(crate), "dependsOn": sorted(_reference(by_id[to]) for to in self.edges[crate["id"]])}
            for crate in sorted(by_id.values(), key=lambda crate: (crate["name"], crate["version"]))
        ]
        bill = {
            "bomFormat": "CycloneDX",
            "specVersion": "1.5",
            "version": 1,
            "metadata": {"component": component(self.tars, "application"), "timestamp": _time(project.epoch)},
            "components": [*(component(crate, "library") for crate in self.crates), model],
            "dependencies": dependencies,
        }
        return json.dumps(bill, indent=1) + "\n"


def _name(crate):
    return f"{crate['name']} {crate['version']}"


def _licence(crate):
    # Older manifests separate alternatives by a slash.
    return (crate["license"] or f"see {crate['license_file']}").replace(" / ", " OR ").replace("/", " OR ")


def _reference(crate):
    return f"pkg:cargo/{crate['name']}@{crate['version']}"


def _texts(crate):
    """Returns the licence texts that a crate contains, each once."""
    folder = Path(crate["manifest_path"]).parent
    named = [folder / crate["license_file"]] if crate["license_file"] else []
    found = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(TEXTS))
    found += sorted((folder / "LICENSES").glob("*")) if (folder / "LICENSES").is_dir() else []
    texts = {}
    for path in named + found:
        if path.is_file() and path.suffix not in (".rs", ".html"):
            text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip("\n") + "\n"
            texts[hashlib.sha256(" ".join(text.split()).encode()).digest()] = text
    return list(texts.values())


def _checksums():
    """Returns the hashes of the crates' archives as Cargo.lock has them, by name and version."""
    checksums = {}
    for entry in (ROOT / "Cargo.lock").read_text(encoding="utf-8").split("[[package]]")[1:]:
        fields = dict(line.split(" = ", 1) for line in entry.splitlines() if " = " in line and not line.startswith(" "))
        if "checksum" in fields:
            checksums[(fields["name"].strip('"'), fields["version"].strip('"'))] = fields["checksum"].strip('"')
    return checksums


def _time(epoch):
    return datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

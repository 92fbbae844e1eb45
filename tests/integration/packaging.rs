//! The packages: version and repository come from Cargo.toml, and archives are reproducible.

#[cfg(target_os = "linux")]
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
#[cfg(target_os = "linux")]
use serde_json::json;

#[cfg(target_os = "linux")]
use crate::harness::TarsCommand;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Builds every package for Linux from a few small files and prints the metadata of each. The program is one of the system's.
#[cfg(target_os = "linux")]
const PACK: &str = r#"
import hashlib, io, json, tarfile, zipfile
from release import packages, recipes
from release.archives import File
from release.project import TARGETS, Project

project = Project.read()
target = TARGETS["x86_64-unknown-linux-gnu"]
documents = ("README.md", "CHANGELOG.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt", "sbom.cdx.json")
staged = {"share/doc/tars/" + name: File(name.encode()) for name in documents}
staged.update({"bin/tars": File(open("/bin/sh", "rb").read(), True), "share/man/man1/tars.1": File(b"page"),
               "lib/tars/models/m/kernel.bin": File(b"weights"), "share/zsh/site-functions/_tars": File(b"zsh")})

def make():
    made = [packages.archive(target, staged, project), packages.wheel(target, staged, project),
            packages.npm_platform(target, staged, project), packages.npm_main(TARGETS.values(), project)]
    return made + [packages.deb(target, staged, project)]

made = make()
told = {"same": make() == made, "names": [name for name, _ in made]}
for name, content in made:
    if name.endswith((".tgz", ".tar.gz")):
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            told[name] = {member.name: member.mode for member in archive if member.isfile()}
            if name.endswith(".tgz"):
                told[name + "/package.json"] = json.load(archive.extractfile("package/package.json"))
    if name.endswith(".whl"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            told["wheel"] = {member: archive.read(member).decode("latin-1") for member in archive.namelist() if "dist-info" in member}
            told["wheel members"] = archive.namelist()
    if name.endswith(".deb"):
        members, at = {}, 8
        while at < len(content):
            size = int(content[at + 48:at + 58])
            members[content[at:at + 16].decode().strip()] = content[at + 60:at + 60 + size]
            at += 60 + size + size % 2
        with tarfile.open(fileobj=io.BytesIO(members["control.tar.gz"])) as archive:
            told["control"] = archive.extractfile("./control").read().decode()
        with tarfile.open(fileobj=io.BytesIO(members["data.tar.xz"])) as archive:
            told["data"] = [member.name for member in archive if member.isfile()]
            told["unit"] = archive.extractfile("./usr/lib/systemd/user/tars-watch.service").read().decode()
hashes = {triple: hashlib.sha256(triple.encode()).hexdigest() for triple in TARGETS}
told["recipes"] = recipes.filled(project, hashes)
told["without macs"] = recipes.filled(project, {name: hash for name, hash in hashes.items() if "linux" in name})
told["hashes"] = hashes
print(json.dumps(told))
"#;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Runs [`PACK`] with the modules of scripts/release.
#[cfg(target_os = "linux")]
fn pack() -> Value {
    let home = tempfile::tempdir().unwrap();
    let python = TarsCommand::of_program("python3", home.path()).args(["-c", PACK]);
    python
        .env("PYTHONPATH", root().join("scripts"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("SOURCE_DATE_EPOCH", "1790000000")
        .run()
        .success()
        .json()
}

#[test]
fn the_plugin_and_the_lock_name_the_version_of_the_package() {
    let plugin: Value = serde_json::from_str(&read(".claude-plugin/plugin.json")).unwrap();
    assert_eq!(plugin["version"], VERSION);
    let obsidian: Value = serde_json::from_str(&read("obsidian/plugin/manifest.json")).unwrap();
    assert_eq!(obsidian["version"], VERSION);
    let marketplace: Value = serde_json::from_str(&read(".claude-plugin/marketplace.json")).unwrap();
    for plugin in marketplace["plugins"].as_array().unwrap() {
        assert!(plugin.get("version").is_none_or(|version| version == VERSION), "{plugin}");
    }
    assert!(read("Cargo.lock").contains(&format!("name = \"tars\"\nversion = \"{VERSION}\"\n")));
}

#[test]
fn the_packaging_does_not_repeat_the_version_or_the_repository() {
    let mut waiting: Vec<PathBuf> =
        ["packaging", "scripts/release", ".github"].map(|folder| root().join(folder)).into();
    let mut read = 0;
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            read += 1;
            for word in [&format!("\"{VERSION}\""), &format!("v{VERSION}"), env!("CARGO_PKG_REPOSITORY")] {
                assert!(!text.contains(word), "{} repeats {word}", path.display());
            }
        }
    }
    assert!(read > 10);
    let repository = env!("CARGO_PKG_REPOSITORY").trim_start_matches("https://github.com/");
    for page in ["docs/install.md", "docs/plugin.md"] {
        assert!(self::read(page).contains(repository), "{page} names another repository than Cargo.toml");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn every_package_names_the_version_and_is_the_same_each_time() {
    let told = pack();
    assert_eq!(told["same"], true);
    for name in told["names"].as_array().unwrap() {
        assert!(name.as_str().unwrap().contains(VERSION), "{name}");
    }
    let archive = &told[format!("tars-{VERSION}-x86_64-unknown-linux-gnu.tar.gz")];
    assert_eq!(archive[format!("tars-{VERSION}-x86_64-unknown-linux-gnu/bin/tars")], 0o755);

    let main = &told[format!("tars-memory-{VERSION}.tgz/package.json")];
    assert_eq!((&main["version"], &main["bin"]["tars"]), (&json!(VERSION), &json!("tars.js")));
    let dependencies: BTreeMap<String, String> = serde_json::from_value(main["optionalDependencies"].clone()).unwrap();
    assert!(dependencies.len() == 4 && dependencies.values().all(|version| version == VERSION), "{dependencies:?}");
    let platform = &told[format!("tars-memory-linux-x64-{VERSION}.tgz/package.json")];
    assert_eq!((&platform["version"], &platform["cpu"]), (&json!(VERSION), &json!(["x64"])));
    assert!(dependencies.contains_key(platform["name"].as_str().unwrap()));

    let wheel = &told["wheel"];
    let metadata = wheel[format!("tars_memory-{VERSION}.dist-info/METADATA")].as_str().unwrap();
    assert!(metadata.contains(&format!("Name: tars-memory\nVersion: {VERSION}\n")), "{metadata}");
    let record = wheel[format!("tars_memory-{VERSION}.dist-info/RECORD")].as_str().unwrap();
    for member in told["wheel members"].as_array().unwrap() {
        assert!(record.contains(&format!("{},", member.as_str().unwrap())), "{member} is not in {record}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn recipes_contain_the_version_and_the_hashes_of_the_existing_archives() {
    let told = pack();
    for (name, text) in told["recipes"].as_object().unwrap() {
        let text = text.as_str().unwrap();
        assert!(text.contains(env!("CARGO_PKG_REPOSITORY")), "{name}");
        assert!(!text.contains("@if") && !text.contains("@VERSION") && !text.contains("@SHA256"), "{name}");
        if name == "release.txt" {
            assert!(text.contains(&format!("/releases/download/v{VERSION}\n")), "{text}");
            for triple in told["hashes"].as_object().unwrap().keys() {
                assert!(text.contains(&format!("  tars-{VERSION}-{triple}.tar.gz\n")), "{text}");
            }
        } else if name != "install.sh" {
            assert!(
                text.contains(&format!("\"{VERSION}\"")) || text.contains(&format!("pkgver={VERSION}\n")),
                "{name}"
            );
            for (triple, hash) in told["hashes"].as_object().unwrap() {
                // The AUR is for Linux only.
                let wanted = name != "PKGBUILD" || triple.contains("linux");
                assert_eq!(text.contains(hash.as_str().unwrap()), wanted, "{name} and {triple}");
            }
        }
    }
    let linux = told["without macs"]["tars.rb"].as_str().unwrap();
    assert!(linux.contains("aarch64-unknown-linux-gnu") && !linux.contains("apple"), "{linux}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_debian_package_declares_its_dependencies_and_contains_the_service() {
    let told = pack();
    let control = told["control"].as_str().unwrap();
    for line in [&format!("Version: {VERSION}"), "Package: tars-memory", "Architecture: amd64"] {
        assert!(control.lines().any(|found| found == line), "{line} is missing in {control}");
    }
    assert!(control.contains("Depends: libc6 (>= 2."), "{control}");
    let data = told["data"].as_array().unwrap();
    for path in
        ["bin/tars", "lib/tars/models/m/kernel.bin", "share/man/man1/tars.1.gz", "share/zsh/vendor-completions/_tars"]
    {
        assert!(data.contains(&json!(format!("./usr/{path}"))), "{path} is missing in {data:?}");
    }
    // Except for its texts, it is the file that `tars service install` writes.
    let unit = told["unit"].as_str().unwrap();
    let command = "ExecStart=\"/usr/bin/tars\" \"watch\"";
    assert_eq!(unit, read("src/serve/daemon/tars-watch.service").replace("ExecStart=@COMMAND@", command));
}

//! `tars review --skills`

use std::io::{ErrorKind, Write};
use std::path::Path;

use serde::Serialize;

use crate::terminal::sanitize;
use crate::{Outcome, format, json, terminal};
use tars_base::disk::{Folder, create_atomic};
use tars_service::memory::{SkillView, SkillsRequest};
use tars_service::{Context as _, Result, Service};

/// File name of a skill.
const FILE: &str = "SKILL.md";
/// Largest file that is compared with a skill, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// A skill, and the result for its file with `--write`.
#[derive(Serialize)]
struct SkillJson<'s> {
    #[serde(flatten)]
    skill: &'s SkillView,
    /// `written`, `known` (the same file exists) or `differs` (a different file exists and stays).
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

/// Prints the skills, or writes them into the folder `write`.
pub(super) fn run(service: &Service<'_>, write: Option<&Path>, as_json: bool) -> Result<Outcome> {
    let skills = service.call(&SkillsRequest {})?;
    write.map_or(Ok(()), |path| service.app().check_writable(path))?;
    let folder = write.map(|path| Folder::open(path).with_context(|| format!("cannot open {}", path.display())));
    let folder = folder.transpose()?;
    let written = |skill| -> Result<SkillJson<'_>> {
        let status = folder.as_ref().map(|folder| written(folder, skill)).transpose()?;
        Ok(SkillJson { skill, status })
    };
    let shown = skills.iter().map(written).collect::<Result<Vec<_>>>()?;
    let mut out = anstream::stdout().lock();
    if as_json {
        json::line(&mut out, &shown)?;
    } else {
        for (index, SkillJson { skill, status }) in shown.iter().enumerate() {
            match status {
                Some(status) => writeln!(out, "{status}  {}/{FILE}", skill.name)?,
                None if index > 0 => write!(out, "\n{}", sanitize(&skill.text))?,
                None => write!(out, "{}", sanitize(&skill.text))?,
            }
        }
        report_next_step(&shown, write);
    }
    let differs = shown.iter().any(|shown| shown.status == Some("differs"));
    Ok(match shown.is_empty() {
        true => Outcome::Nothing,
        false if differs => Outcome::Partial,
        false => Outcome::Done,
    })
}

fn report_next_step(shown: &[SkillJson<'_>], write: Option<&Path>) {
    let differing = shown.iter().filter(|shown| shown.status == Some("differs")).count();
    if shown.is_empty() {
        terminal::print_note("no steps recur on three days");
    } else if write.is_none() {
        let count = format::pluralize(shown.len(), "skill");
        terminal::print_note(&format!(
            "{count}; --write FOLDER writes FOLDER/NAME/{FILE}. Read what you let an agent follow."
        ));
    } else if differing > 0 {
        terminal::print_note(&format!("left unchanged: {} with another text", format::pluralize(differing, "file")));
    }
}

/// Writes a skill's file if there is none; never through a link.
fn written(folder: &Folder, skill: &SkillView) -> Result<&'static str> {
    let place = || format!("cannot write {}/{FILE}", folder.path().join(&skill.name).display());
    let own = folder.open_or_create_folder(&skill.name).with_context(place)?;
    match own.read(FILE, MAX_BYTES).with_context(place)? {
        Some(there) if there == skill.text.as_bytes() => Ok("known"),
        Some(_) => Ok("differs"),
        None => match create_atomic(&own, FILE, skill.text.as_bytes(), 0o644) {
            // Another process created it meanwhile; it is not replaced.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok("differs"),
            put => put.map(|()| "written").with_context(place),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_existing_file_with_another_text_is_kept() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        let skill = |text: &str| SkillView {
            name: "tag".into(),
            description: String::new(),
            text: text.into(),
            sources: Vec::new(),
        };
        let statuses = ["one", "one", "two"].map(|text| written(&folder, &skill(text)).unwrap());
        assert_eq!(statuses, ["written", "known", "differs"]);
        let own = folder.open_folder("tag").unwrap();
        assert_eq!(own.read(FILE, MAX_BYTES).unwrap().unwrap(), b"one");
    }
}

//! `tars collection`

use std::io::Write;

use crate::args::{AddCollection, Collection, Shape, shell_word};
use crate::format::{pluralize, size};
use crate::listing::{self, Listing, Row};
use crate::terminal::{print_note, sanitize_line};
use crate::{Outcome, prompt};
use tars_config::{CollectionSettings, UserFile};
use tars_service::{
    App, Backend, CollectionView, CollectionsRequest, Daemon, RenameCollectionRequest, RenameCollectionResponse,
    Result, Service,
};

pub(crate) fn run(app: &App, args: &Collection) -> Result<Outcome> {
    match args {
        Collection::Add(new) => add(app, new),
        Collection::List { shape } => list(app, shape),
        Collection::Remove { name, yes } => remove(app, name, *yes),
        Collection::Rename { old, new } => rename(app, old, new),
        Collection::Describe { name, text } => {
            UserFile::locate(&app.environment)?.describe_collection(name, text.join(" ").trim())?;
            writeln!(anstream::stdout(), "described {name}")?;
            Ok(Outcome::Done)
        }
    }
}

fn views(app: &App) -> Result<Vec<CollectionView>> {
    Ok(Service::new(app, Backend::Local).call(&CollectionsRequest {})?.collections)
}

fn add(app: &App, new: &AddCollection) -> Result<Outcome> {
    let AddCollection { name, folder, private, read_only, weight, ignore, describe } = new;
    let settings = CollectionSettings {
        path: folder.clone(),
        ignore: ignore.clone(),
        weight: *weight,
        private: *private,
        read_only: *read_only,
        description: describe.trim().to_owned(),
    };
    let path = UserFile::locate(&app.environment)?.add_collection(name, &settings)?;
    writeln!(anstream::stdout(), "added {name}: {}", sanitize_line(&path))?;
    print_note("tars index reads its notes");
    remind_of_watcher(app);
    Ok(Outcome::Done)
}

/// A watcher keeps the settings with which it was started.
fn remind_of_watcher(app: &App) {
    if Daemon::of(app).running().is_some() {
        print_note("restart the watcher to use the new folders: tars watch --stop");
    }
}

fn list(app: &App, shape: &Shape) -> Result<Outcome> {
    let answer = Service::new(app, Backend::Local).call(&CollectionsRequest {})?;
    let rows: Vec<Row> = answer.collections.iter().map(row).collect();
    let header = [
        "name",
        "path",
        "description",
        "notes",
        "passages",
        "text_bytes",
        "weight",
        "private",
        "read_only",
        "ignore",
        "problem",
    ];
    let items = &answer.collections;
    listing::print(app, shape, &Listing { answer: &answer, items, rows: &rows, header: &header, is_text_first: true })?;
    if rows.is_empty() {
        print_note("there is no vault and no collection: tars init FOLDER, tars collection add NAME FOLDER");
        return Ok(Outcome::Nothing);
    }
    Ok(Outcome::Done)
}

fn row(view: &CollectionView) -> Row {
    let CollectionView {
        name,
        path,
        description,
        notes,
        passages,
        text_bytes,
        weight,
        private,
        read_only,
        ignore,
        problem,
    } = view;
    let flag = |is_set: bool, word: &str| is_set.then(|| word.to_owned());
    let said = [
        Some(if *notes == 0 { "not indexed".to_owned() } else { pluralize(*notes, "note") }),
        (*notes > 0).then(|| format!("{} of text", size(*text_bytes))),
        flag(*private, "private"),
        flag(*read_only, "read-only"),
        (*weight != 1.0).then(|| format!("weight {weight}")),
        (!ignore.is_empty()).then(|| format!("without {}", ignore.join(" "))),
        problem.clone(),
        (!description.is_empty()).then(|| description.clone()),
    ];
    Row {
        text: format!("{name}  {path}"),
        remark: said.into_iter().flatten().collect::<Vec<_>>().join(", "),
        markdown: format!("{name}: {path}"),
        cells: vec![
            name.clone(),
            path.clone(),
            description.clone(),
            notes.to_string(),
            passages.to_string(),
            text_bytes.to_string(),
            weight.to_string(),
            private.to_string(),
            read_only.to_string(),
            ignore.join(" "),
            problem.clone().unwrap_or_default(),
        ],
        ..Row::default()
    }
}

fn remove(app: &App, name: &str, yes: bool) -> Result<Outcome> {
    let known = views(app)?.into_iter().find(|view| view.name == name);
    let shown = known.map_or_else(String::new, |view| format!(" ({}, {})", view.path, pluralize(view.notes, "note")));
    let question = format!("remove the collection {}{shown} from your configuration? [y/N]", sanitize_line(name));
    let is_asked = !yes && prompt::can_ask();
    let agrees = yes || is_asked && prompt::choose(&question, &['y', 'n'])? == 'y';
    if !agrees {
        let how = if is_asked { "" } else { ": --yes removes it from your configuration" };
        print_note(&format!("nothing was written{how}"));
        return Ok(Outcome::Nothing);
    }
    if !UserFile::locate(&app.environment)?.remove_collection(name)? {
        let name = sanitize_line(name);
        print_note(&format!("there is no collection '{name}' in your configuration: tars collection list shows all"));
        return Ok(Outcome::Nothing);
    }
    writeln!(anstream::stdout(), "removed {name}")?;
    print_note("its notes stay as they are; the next tars index drops them from the index");
    remind_of_watcher(app);
    Ok(Outcome::Done)
}

fn rename(app: &App, old: &str, new: &str) -> Result<Outcome> {
    let request = RenameCollectionRequest { from: old.to_owned(), to: new.to_owned() };
    let RenameCollectionResponse { notes, remarks } = Service::new(app, Backend::Local).call(&request)?;
    writeln!(anstream::stdout(), "renamed {old} to {new}: {} in the index", pluralize(notes, "note"))?;
    remarks.iter().for_each(|remark| print_note(remark));
    let old = shell_word(old);
    print_note(&format!(
        "agents that tars mcp install gave '--collections {old}', and saved searches, need the new name"
    ));
    Ok(Outcome::Done)
}

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use serde_json::json;

use super::*;
use crate::{App, Backend, DoctorRequest, IndexRequest, IndexResponse, Interrupted, Service};
use tars_base::domain::{Progress, Stage};
use tars_config::Environment;
use tars_engine::index::{IndexLock, Report};

/// Records everything it receives, and cancels after the first message if `stops` is set.
#[derive(Default)]
struct Observer {
    told: Mutex<Vec<String>>,
    stops: bool,
}

impl Observer {
    fn note(&self, what: String) {
        self.told.lock().unwrap().push(what);
    }

    fn told(&self) -> Vec<String> {
        self.told.lock().unwrap().clone()
    }
}

impl Progress for Observer {
    fn start(&self, stage: Stage, total: usize) {
        self.note(format!("{} {total}", stage.name()));
    }

    fn warn(&self, message: &str) {
        self.note(message.to_owned());
    }

    fn cancelled(&self) -> bool {
        self.stops && !self.told().is_empty()
    }
}

fn app(home: &Path) -> App {
    fs::create_dir_all(home.join("vault")).unwrap();
    let environment = Environment { home: Some(home.into()), directory: Some(home.into()), ..Environment::default() };
    let path = |name: &str| home.join(name).to_string_lossy().into_owned();
    let flags = [
        ("vault.path", path("vault")),
        ("data.dir", path("data")),
        ("models.dir", path("models")),
        ("embedding.provider", "none".into()),
    ];
    App::new(environment, &flags.map(|(key, value)| (key.to_owned(), value))).unwrap()
}

#[test]
fn an_observer_receives_indexing_progress() {
    let home = tempfile::tempdir().unwrap();
    let (app, observer) = (app(home.path()), Observer::default());
    fs::write(home.path().join("vault/a.md"), "walrus\n").unwrap();
    let done = Service::new(&app, Backend::Local).with_observer(&observer).call(&IndexRequest::default()).unwrap();
    assert_eq!((done.report.added, done.roots, done.degraded), (1, 1, None));
    assert!(observer.told().contains(&"reading 1".to_owned()), "{:?}", observer.told());
}

#[test]
fn waiting_for_another_indexer_warns_and_can_be_cancelled() {
    let home = tempfile::tempdir().unwrap();
    let app = app(home.path());
    let held = IndexLock::try_acquire(app.data_dir().unwrap()).unwrap().unwrap();
    let give_up = |answer: &dyn Fn(&Service<'_>) -> Option<crate::Error>| {
        let observer = Observer { stops: true, ..Observer::default() };
        let error = answer(&Service::new(&app, Backend::Local).with_observer(&observer)).unwrap();
        assert!(error.cause::<Interrupted>().is_some(), "{error}");
        assert_eq!(observer.told(), ["another tars is indexing: waiting for it to finish"]);
    };
    give_up(&|service| service.call(&IndexRequest::default()).err());
    give_up(&|service| service.call(&DoctorRequest { repair: true }).err());
    drop(held);
}

#[test]
fn indexing_a_missing_unknown_path_is_an_error() {
    let home = tempfile::tempdir().unwrap();
    let app = app(home.path());
    let place = home.path().join("vault/nowhere.md");
    let request = IndexRequest { paths: vec![place], ..IndexRequest::default() };
    let error = Service::new(&app, Backend::Local).call(&request).unwrap_err().to_string();
    assert!(error.ends_with("nowhere.md: it does not exist and is not in the index"), "{error}");
}

#[test]
fn json_rounds_the_duration_of_an_index_run_to_milliseconds() {
    let response = IndexResponse { report: Report::default(), degraded: None, seconds: 0.123_456, roots: 1 };
    let printed = serde_json::to_value(&response).unwrap();
    assert_eq!(printed["seconds"], json!(0.123));
    assert!(printed.get("roots").is_none(), "{printed}");
}

#[test]
fn setup_is_idempotent_and_refuses_a_second_vault() {
    let home = tempfile::tempdir().unwrap();
    let environment = || Environment {
        home: Some(home.path().into()),
        directory: Some(home.path().into()),
        ..Environment::default()
    };
    let set_up = |folder: Option<&str>| {
        let app = App::new(environment(), &[]).unwrap();
        let request = InitRequest { folder: folder.map(|folder| home.path().join(folder)) };
        Service::new(&app, Backend::Local).call(&request)
    };
    fs::create_dir_all(home.path().join("one")).unwrap();
    fs::create_dir_all(home.path().join("two")).unwrap();
    assert_eq!(set_up(None).unwrap_err().to_string(), "no vault is named and none is configured");
    let made = set_up(Some("one")).unwrap();
    assert_eq!(made.vault, fs::canonicalize(home.path().join("one")).unwrap());
    fs::write(made.memory_folder.join("Memory.md"), "mine\n").unwrap();
    assert_eq!(set_up(None).unwrap(), made);
    assert_eq!(fs::read_to_string(made.memory_folder.join("Memory.md")).unwrap(), "mine\n");
    assert!(set_up(Some("two")).unwrap_err().to_string().starts_with("the vault is "));
    assert!(!home.path().join("two/tars").exists());
}

#[test]
fn verifying_models_reports_what_is_missing_and_the_fix() {
    let home = tempfile::tempdir().unwrap();
    let app = app(home.path());
    let service = Service::new(&app, Backend::Local);
    assert_eq!(service.call(&ModelsRequest {}).unwrap(), []);
    let verified = service.call(&VerifyModelsRequest::default()).unwrap();
    assert_eq!(verified.models, []);
    assert_eq!(verified.runtime.is_some(), tars_embed::HAS_ONNX);
    if let Some(VerifiedRuntime { path, problem }) = verified.runtime {
        assert_eq!((path, problem.unwrap().hint.as_deref()), (None, Some("./scripts/install-models")));
    }
    fs::create_dir_all(home.path().join("models/torn")).unwrap();
    fs::write(home.path().join("models/torn").join(tars_embed::MANIFEST_FILE), "{").unwrap();
    let verified = service.call(&VerifyModelsRequest::default()).unwrap();
    let problem = verified.models[0].problem.as_ref().unwrap();
    assert_eq!(verified.models[0].id, "torn");
    let mends = if tars_embed::HAS_ONNX { "./scripts/install-models for" } else { "copy the folder of a model" };
    assert!(problem.hint.as_ref().unwrap().starts_with(mends), "{problem:?}");
}

#[test]
fn files_of_an_older_version_of_the_plugin_are_brought_up_to_date() {
    let home = tempfile::tempdir().unwrap();
    let app = app(home.path());
    let vault = home.path().join("vault");
    let plugin = vault.join(".obsidian/plugins/tars");
    fs::create_dir_all(&plugin).unwrap();
    fs::write(plugin.join("main.js"), "old").unwrap();
    let request = |dry_run| InstallPluginRequest { vault: vault.clone(), dry_run };
    let service = Service::new(&app, Backend::Local);
    let error = service.call(&request(true)).unwrap_err();
    assert!(error.to_string().contains("main.js is not as tars left it"), "{error}");

    let record = json!({"hashes": [blake3::hash(b"old").to_hex().as_str()]}).to_string();
    tars_base::data_files::write(&home.path().join("data/obsidian"), "installed.json", record.as_bytes()).unwrap();
    let states: Vec<_> = service.call(&request(true)).unwrap().files.iter().map(|file| file.state).collect();
    assert_eq!(states, [PluginFileState::Missing, PluginFileState::Older, PluginFileState::Missing]);
    service.call(&request(false)).unwrap();
    let states: Vec<_> = service.call(&request(true)).unwrap().files.iter().map(|file| file.state).collect();
    assert_eq!(states, [PluginFileState::Current; 3]);
    service.call(&RemovePluginRequest { vault: vault.clone(), dry_run: false }).unwrap();
    assert!(fs::read_dir(&plugin).unwrap().next().is_none(), "tars has not made the folder");
}

//! `tars service` with a `systemctl` that records its arguments.
#![cfg(target_os = "linux")]

use std::fs;

use crate::harness::{TarsCommand, TestVault};
use crate::permissions::set_mode;

fn service(vault: &TestVault, what: &str) -> TarsCommand {
    let programs = vault.home().join("programs");
    if !programs.exists() {
        fs::create_dir(&programs).unwrap();
        let script = "#!/bin/sh\necho \"$*\" >> \"$HOME/calls\"\ncase \"$*\" in *is-active*) echo active ;; *show*) cat \"$HOME/unit\" 2>/dev/null ;; esac\n\
                      [ ! -e \"$HOME/broken\" ] || { echo no bus >&2; exit 1; }\n";
        fs::write(programs.join("systemctl"), script).unwrap();
        set_mode(&programs.join("systemctl"), 0o755);
    }
    let mut path = programs.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    vault.tars(["service", what]).env("PATH", path)
}

fn calls(vault: &TestVault) -> String {
    let text = fs::read_to_string(vault.home().join("calls")).unwrap_or_default();
    let _ = fs::remove_file(vault.home().join("calls"));
    text
}

#[test]
fn a_service_is_installed_shown_and_removed() {
    let vault = TestVault::of_words();
    let unit = vault.home().join(".config/systemd/user/tars-watch.service");
    let absent = service(&vault, "status").run().code(1);
    assert!(absent.stdout().starts_with("not installed"), "{absent}");
    calls(&vault);

    let installed = service(&vault, "install").run().success();
    assert_eq!(installed.stdout(), format!("installed {} and started it\n", unit.display()));
    assert_eq!(calls(&vault), "--user daemon-reload\n--user enable --now tars-watch.service\n");
    let text = fs::read_to_string(&unit).unwrap();
    let start = text.lines().find(|line| line.starts_with("ExecStart=")).unwrap();
    for part in ["\"watch\"", "\"--data-dir\"", vault.data().to_str().unwrap(), vault.root().to_str().unwrap()] {
        assert!(start.contains(part), "{part} is missing in {start}");
    }

    let shown = service(&vault, "status").run().success();
    assert!(shown.stdout().starts_with("installed, active"), "{shown}");
    assert_eq!(calls(&vault), "--user is-active tars-watch.service\n");

    assert_eq!(service(&vault, "uninstall").run().success().stdout(), "removed\n");
    assert!(calls(&vault).starts_with("--user disable --now tars-watch.service\n"));
    assert!(!unit.exists());
    assert_eq!(service(&vault, "uninstall").run().code(1).stdout(), "there was none\n");
}

#[test]
fn a_service_of_a_package_was_called_not_installed() {
    let vault = TestVault::of_words();
    let file = "/usr/lib/systemd/user/tars-watch.service";
    let is = |state: &str| {
        fs::write(vault.home().join("unit"), format!("FragmentPath={file}\nUnitFileState={state}\n")).unwrap();
    };
    is("enabled");
    let shown = service(&vault, "status").run().success();
    assert_eq!(shown.stdout(), format!("installed by a package, active ({file})\n"));
    let removed = service(&vault, "uninstall").run().success();
    assert_eq!(removed.stdout(), format!("stopped and disabled; {file} belongs to a package\n"));
    is("disabled");
    let shown = service(&vault, "status").run().code(1);
    assert!(shown.stdout().starts_with("provided by a package but not enabled"), "{shown}");
    assert_eq!(service(&vault, "uninstall").run().code(1).stdout(), "there was none\n");
}

#[test]
fn a_manager_that_fails_is_reported() {
    let vault = TestVault::of_words();
    fs::write(vault.home().join("broken"), "").unwrap();
    service(&vault, "install").run().code(2).says(&["systemctl --user daemon-reload", "no bus"]);
    // An unknown service need not be stopped.
    assert_eq!(service(&vault, "uninstall").run().code(1).stdout(), "there was none\n");
}

#[test]
fn a_service_that_could_not_be_installed_left_its_file() {
    let vault = TestVault::of_words();
    let unit = vault.home().join(".config/systemd/user/tars-watch.service");
    let broken = vault.home().join("broken");
    let hint = "try: tars watch --detach";
    fs::write(&broken, "").unwrap();
    service(&vault, "install").run().code(2).says(&[hint]);
    assert!(!vault.home().join(".config").exists());
    // Systems without a service manager.
    vault.tars(["service", "install"]).env("PATH", vault.home()).run().code(2).says(&["systemctl", hint]);
    assert!(!vault.home().join(".config").exists());
    // An installed service stays unchanged.
    fs::remove_file(&broken).unwrap();
    service(&vault, "install").run().success();
    let text = fs::read_to_string(&unit).unwrap();
    fs::write(&unit, format!("# mine\n{text}")).unwrap();
    fs::write(&broken, "").unwrap();
    service(&vault, "install").run().code(2).says(&[hint]);
    assert_eq!(fs::read_to_string(&unit).unwrap(), format!("# mine\n{text}"));
}

#[test]
fn without_a_vault_no_service_is_installed() {
    let vault = TestVault::of_words().without("TARS_VAULT");
    service(&vault, "install").run().code(2).says(&["no vault is set"]);
    assert_eq!(calls(&vault), "");
}

#[cfg(feature = "serve")]
#[test]
fn a_service_can_also_serve_http() {
    let vault = TestVault::of_words();
    service(&vault, "install").arg("--serve").run().success();
    let unit = fs::read_to_string(vault.home().join(".config/systemd/user/tars-watch.service")).unwrap();
    assert!(unit.contains("\"serve\" \"--data-dir\"") && !unit.contains("\"watch\""), "{unit}");
}

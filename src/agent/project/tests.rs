use super::*;

struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.at(name).parent().unwrap()).unwrap();
        fs::write(self.at(name), text).unwrap();
    }

    /// Creates a repository with a remote.
    fn clone_of(&self, folder: &str, address: &str) {
        let text = format!("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = {address}\n");
        self.write(&format!("{folder}/.git/config"), &text);
    }

    fn project(&self, name: &str) -> Project {
        Project::of(&self.at(name))
    }

    fn name(&self, name: &str) -> String {
        self.project(name).name
    }

    fn key(&self, name: &str) -> String {
        self.project(name).key
    }
}

#[test]
fn a_worktree_belongs_to_its_repository() {
    let home = Home::new();
    for folder in ["pump/.git", "pump/src/deep", "tree/src", "bare.git", "bare-tree", "sub", "hidden/tree", "plain/x"] {
        fs::create_dir_all(home.at(folder)).unwrap();
    }
    home.write("tree/.git", &format!("gitdir: {}\n", home.at("pump/.git/worktrees/tree").display()));
    home.write("bare-tree/.git", "gitdir: ../bare.git/worktrees/bare-tree\r\n");
    home.write("hidden/tree/.git", "gitdir: ../.bare/worktrees/tree\n");
    home.write("sub/.git", "gitdir: ../pump/.git/modules/sub\n");
    assert_eq!(home.name("pump/src/deep"), "pump");
    assert_eq!(home.name("pump/gone/folder"), "pump");
    assert_eq!(home.name("tree/src"), "pump");
    assert_eq!(home.name("bare-tree"), "bare");
    assert_eq!(home.name("hidden/tree"), "hidden");
    assert_eq!(home.name("sub"), "sub");
    assert_eq!(home.name("plain/x"), "x");
    assert_eq!(home.name("gone/.claude/worktrees/fix-1/src"), "gone");
    for same in ["pump/gone/folder", "tree/src"] {
        assert_eq!(home.key(same), home.key("pump"), "{same}");
    }
    assert_ne!(home.key("sub"), home.key("pump"));
}

#[test]
fn a_submodule_knows_its_parent() {
    let home = Home::new();
    home.clone_of("pump", "git@example.org:acme/pump.git");
    home.write("pump/vendor/timer/.git", "gitdir: ../../.git/modules/vendor/timer\n");
    home.write("pump/.git/modules/vendor/timer/config", "[remote \"origin\"]\nurl = git@example.org:acme/timer.git\n");
    assert_eq!(home.name("pump/vendor/timer"), "acme/timer");
    let parent = |folder: &str| Project::parent_of(&home.at(folder)).map(|parent| parent.name);
    assert_eq!(parent("pump/vendor/timer").as_deref(), Some("acme/pump"));
    assert_eq!((parent("pump"), parent("nowhere")), (None, None));
}

#[test]
fn repositories_of_the_same_name_are_different_projects() {
    let home = Home::new();
    home.clone_of("work/api", "git@example.org:acme/api.git");
    home.clone_of("play/api", "https://example.org/anna/api");
    fs::create_dir_all(home.at("local/api/.git")).unwrap();
    fs::create_dir_all(home.at("other/api/.git")).unwrap();
    let projects = ["work/api", "play/api", "local/api", "other/api"].map(|name| home.project(name));
    let names: Vec<&str> = projects.iter().map(|project| project.name.as_str()).collect();
    assert_eq!(names, ["acme/api", "anna/api", "api", "api"]);
    let keys: std::collections::HashSet<&str> = projects.iter().map(|project| project.key.as_str()).collect();
    assert_eq!(keys.len(), 4);
    assert!(keys.iter().all(|key| key.len() == 8 && key.chars().all(|c| c.is_ascii_hexdigit())));
}

#[test]
fn clones_of_one_remote_are_one_project() {
    let home = Home::new();
    home.clone_of("api", "git@example.org:acme/api.git");
    home.clone_of("old/api-2", "https://anna:s3cr3t@example.org/acme/api");
    // A worktree and a submodule keep their configuration elsewhere.
    home.write("tree/.git", "gitdir: ../api/.git/worktrees/tree\n");
    home.write("bare.git/config", "[remote \"upstream\"]\nurl = ssh://git@example.org:22/acme/api/\n");
    home.write("bare-tree/.git", "gitdir: ../bare.git/worktrees/bare-tree\n");
    home.write("outer/sub/.git", "gitdir: ../.git/modules/sub\n");
    home.write("outer/.git/modules/sub/config", "[remote \"origin\"]\nurl = git://example.org/acme/api\n");
    for name in ["old/api-2/src", "tree/src", "bare-tree", "outer/sub"] {
        assert_eq!(home.project(name), home.project("api"), "{name}");
    }
    assert_ne!(home.project("outer"), home.project("api"));
}

#[test]
fn a_clone_of_a_local_folder_is_that_folders_project() {
    let home = Home::new();
    fs::create_dir_all(home.at("api/.git")).unwrap();
    home.clone_of("copy/here", "../../api/.git");
    std::os::unix::fs::symlink(home.at("api"), home.at("link")).unwrap();
    assert_eq!(home.project("copy/here"), home.project("api"));
    assert_eq!(home.key("link"), home.key("api"), "a link leads to the same repository");
}

#[test]
fn a_hostile_configuration_affects_only_the_name() {
    let home = Home::new();
    for (address, name) in [
        ("https://host/../../etc/passwd", "api"),
        ("https://host/--> <!--/$(rm)", "api"),
        ("ext::sh -c 'touch x'", "api"),
        ("https://host/o/name%0A## heading", "o/name-0A"),
        ("https://ghp_0123456789abcdefghijABCDEFGHIJ012345/", "api"),
    ] {
        home.clone_of("api", address);
        assert_eq!(home.name("api"), name, "{address}");
    }
}

#[test]
fn names_are_valid_file_names() {
    let name = |text: &str| sanitize_name(text).unwrap();
    assert_eq!(name("tars"), "tars");
    assert_eq!(name("größe 2.0"), "größe-2.0");
    assert_eq!(name("日本語"), "日本語");
    assert_eq!(name("../../x"), "x");
    assert_eq!(name("--> $(rm) \"\n"), "rm");
    assert_eq!(name(".config"), "config");
    for nothing in ["", "..", "/", "-->", "\u{202e}"] {
        assert_eq!(sanitize_name(nothing), None, "{nothing}");
    }
    assert_eq!(name(&"a".repeat(300)).len(), 64);
    assert_eq!(Project::of(Path::new("/")).name, "unnamed");
    assert_eq!((file_name_form("acme/api").as_str(), short_name("acme/api")), ("acme-api", "api"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_sanitized_to_one_path_component(text in "\\PC{0,80}") {
        let name = sanitize_name(&text).unwrap_or_else(|| NAMELESS.into());
        proptest::prop_assert!(!name.starts_with('.'));
        proptest::prop_assert!(!name.contains(['/', '\\', ' ', '>', '"', '\n', ':']));
        proptest::prop_assert_eq!(sanitize_name(&name), Some(name.clone()));
    }
}

#[test]
fn a_windows_path_names_the_folder_that_linux_mounts() {
    let windows = Project::of(Path::new(r"C:\Users\anna\pump"));
    assert_eq!(windows, Project::of(Path::new("/mnt/c/Users/anna/pump")));
    assert_eq!(
        (windows.name.as_str(), Project::of(Path::new("c:/Users/anna/pump")).key),
        ("pump", windows.key.clone())
    );
    assert_eq!(Project::of(Path::new("/srv/a:b")).name, "a-b");
}

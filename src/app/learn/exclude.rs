//! Projects that nothing is learnt from (`learn.exclude`): what happens in them leaves no row, no ticket and no text.

use std::fs;
use std::path::{Path, PathBuf};

use crate::app::App;
use crate::project::Project;
use crate::text::glob_matches;

pub fn is_excluded(app: &App) -> bool {
    excluded_by(app, &app.project, &app.config.learn_exclude).is_some()
}

/// The setting that excludes a project: a folder excludes everything below it, `~` is the home folder, and what
/// begins with neither `~` nor `/` may stand anywhere.
pub fn excluded_by<'a>(app: &App, project: &Project, settings: &'a [String]) -> Option<&'a str> {
    if settings.is_empty() {
        return None;
    }
    let folders = [&project.start, &project.root, &project.main_root];
    let home = app.environment.path("HOME");
    let excludes = |glob: &&String| {
        globs(glob, home.as_deref()).iter().any(|glob| {
            folders.iter().any(|folder| {
                folder.ancestors().any(|folder| glob_matches(glob, &folder.to_string_lossy()))
            })
        })
    };
    settings.iter().find(excludes).map(String::as_str)
}

/// A setting as globs of whole paths: as it was meant, and without links.
fn globs(setting: &str, home: Option<&Path>) -> Vec<String> {
    let setting = setting.trim();
    let plain = setting.strip_suffix("/**").unwrap_or(setting).trim_end_matches('/');
    if plain.is_empty() {
        // `/` and `/**` are everything; an empty text is a slip.
        return if setting.is_empty() { Vec::new() } else { vec!["**".to_owned()] };
    }
    let at_home = plain.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let whole = match (at_home, home) {
        (Some(rest), Some(home)) => format!("{}{rest}", home.display()),
        _ if Path::new(plain).is_absolute() => plain.to_owned(),
        _ => format!("**/{}", plain.trim_start_matches("**/").trim_start_matches("./")),
    };
    let real = without_links(&whole).filter(|real| *real != whole);
    std::iter::once(whole).chain(real).collect()
}

/// The glob with the links in its fixed beginning followed, as a project's folder has them.
fn without_links(glob: &str) -> Option<String> {
    let names: Vec<&str> = glob.split('/').collect();
    let fixed = names.iter().position(|name| name.contains(['*', '?'])).unwrap_or(names.len());
    let folder: PathBuf = PathBuf::from(names.get(..fixed)?.join("/"));
    let mut real = fs::canonicalize(folder).ok()?.to_string_lossy().into_owned();
    for name in names.get(fixed..)? {
        real = format!("{}/{name}", real.trim_end_matches('/'));
    }
    Some(real)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::paths::Environment;

    fn excluded<'a>(app: &'a App, project: &Project) -> Option<&'a str> {
        excluded_by(app, project, &app.config.learn_exclude)
    }

    #[test]
    fn folders_exclude_what_is_in_them() {
        let home = Environment::of(&[("MK_HOME", "/nowhere"), ("HOME", "/home/me")]);
        let mut app = App::new(home, Timestamp::UNIX_EPOCH, None, None).unwrap();
        for (setting, root, expected) in [
            ("/home/me/private", "/home/me/private", true),
            ("/home/me/private/", "/home/me/private/deep/er", true),
            ("/home/me/private/**", "/home/me/private", true),
            ("/home/me/private/*", "/home/me/private", false),
            ("/home/me/private/*", "/home/me/private/a/b", true),
            ("/home/me/private", "/home/me/private2", false),
            ("~/private", "/home/me/private/a", true),
            ("~", "/home/me/x", true),
            ("~", "/home/other", false),
            ("~other/x", "/home/other/x", false),
            ("**/client", "/srv/client/lean", true),
            ("client", "/srv/client/lean", true),
            ("client", "/srv/clients", false),
            ("client*", "/srv/clients/x", true),
            ("work/client", "/srv/work/client", true),
            ("work/client", "/srv/work/x/client", false),
            ("/srv/*/secret", "/srv/a/secret/b", true),
            ("/", "/anything", true),
            ("", "/anything", false),
            ("/a[b", "/a[b/c", true),
        ] {
            app.config.learn_exclude = vec!["/never".to_owned(), setting.to_owned()];
            let project = Project {
                start: root.into(),
                root: root.into(),
                main_root: root.into(),
                identity: root.to_owned(),
                is_lean: false,
                place: PathBuf::new(),
                remotes: Vec::new(),
            };
            let found = excluded(&app, &project);
            assert_eq!(found, Some(setting).filter(|_| expected), "{setting} {root}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_work_trees_and_folders_within_count() {
        let dir = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(dir.path()).unwrap();
        fs::create_dir_all(base.join("real/project/sub")).unwrap();
        std::os::unix::fs::symlink(base.join("real"), base.join("link")).unwrap();
        let environment = Environment::of(&[("MK_HOME", "/nowhere")]);
        let mut app = App::new(environment, Timestamp::UNIX_EPOCH, None, None).unwrap();
        app.config.learn_exclude = vec![format!("{}/link/*", base.display())];
        assert!(excluded(&app, &Project::find(&base.join("real/project"))).is_some());
        app.config.learn_exclude = vec![format!("{}/main", base.display())];
        let mut linked = Project::find(&base.join("real/project"));
        assert!(excluded(&app, &linked).is_none());
        linked.main_root = base.join("main");
        assert!(excluded(&app, &linked).is_some());
    }
}

//! What git knows of a project. Git is asked so that it takes no lock, starts nobody else's programs
//! (hooks, monitors, filters of a diff) and reads no configuration that could make it do so.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::anyhow;

use super::background::{self, Call};
use crate::text::{clean, is_among};

/// A pipe in the repository holds git up without end.
const PATIENCE: Duration = Duration::from_secs(30);

/// Settings of every call, over those of the repository. A file of its configuration may have been
/// written by anybody, and names programs: what watches files, filters, signs, cleans up, or fetches.
const SETTINGS: [(&str, &str); 8] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.safecrlf", "false"),
    ("commit.gpgSign", "false"),
    ("log.showSignature", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("diff.external", ""),
];

/// Variables of every call. No protocol is allowed, so nothing of a partial clone is fetched.
/// What is committed, in the journal, is committed in our name.
const VARIABLES: [(&str, &str); 10] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("LC_ALL", "C"),
    ("GIT_AUTHOR_NAME", "math-forge"),
    ("GIT_AUTHOR_EMAIL", "math-forge@localhost"),
    ("GIT_COMMITTER_NAME", "math-forge"),
    ("GIT_COMMITTER_EMAIL", "math-forge@localhost"),
];

/// Commands that never look into files of the work tree, so that no filter of theirs is asked.
const BLIND: &str = "rev-parse cat-file symbolic-ref rev-list merge-base ls-files config init log ls-tree for-each-ref";

/// Every comparison's options. In submodules git would start itself, with their configuration alone.
pub const DIFF: [&str; 4] = ["diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

/// Variables by which git's own hooks, say, turn git to another repository or index.
const TURNING: [&str; 8] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
];

#[derive(Debug, Clone)]
pub struct Repository {
    root: PathBuf,
    /// Variables that are not handed on.
    removed: &'static [&'static str],
    /// Settings that switch the repository's filters off, once they were asked for.
    filters: OnceLock<Vec<String>>,
}

impl Repository {
    /// The repository whose work tree has this root; `None` where it has no `.git`.
    pub fn at(root: &Path) -> Option<Self> {
        root.join(".git").exists().then(|| Self::new(root, &[]))
    }

    fn new(root: &Path, removed: &'static [&'static str]) -> Self {
        Self { root: root.to_owned(), removed, filters: OnceLock::new() }
    }

    /// The repository whose work tree holds this folder; `None` where there is none.
    pub fn around(folder: &Path) -> Option<Self> {
        folder.ancestors().find_map(Self::at)
    }

    pub fn create(folder: &Path) -> anyhow::Result<Self> {
        let git = Self::new(folder, &TURNING);
        git.run(["init", "--quiet", "--initial-branch=main", "--template="])?;
        Ok(git)
    }

    /// The same, whatever repository and index the environment names: for who writes. An audit within a
    /// hook of git wants the index that is named.
    #[must_use]
    pub fn by_itself(self) -> Self {
        Self { removed: &TURNING, ..self }
    }

    /// Whether `HEAD` is no branch: what is committed then is lost with the next checkout.
    pub fn is_detached(&self) -> bool {
        self.resolve("HEAD").is_some() && self.run(["symbolic-ref", "--quiet", "HEAD"]).is_err()
    }

    pub fn state_file(&self, name: &str) -> anyhow::Result<PathBuf> {
        let output = self.run(["rev-parse", "--git-path", name])?;
        Ok(self.root.join(String::from_utf8_lossy(&output).trim_end_matches(['\n', '\r'])))
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The revision that a name means, in full; `None` where there is none.
    pub fn resolve(&self, revision: &str) -> Option<String> {
        let commit = format!("{revision}^{{commit}}");
        let output = self.run(["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]);
        output.ok().map(|text| String::from_utf8_lossy(&text).trim().to_owned())
    }

    /// A file as a revision has it (the empty revision: as the index has it); `None` where it has
    /// none. `path` is relative to the root, or below it.
    pub fn show(&self, revision: &str, path: &Path) -> Option<Vec<u8>> {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        let name = format!("{revision}:{}", path.to_str()?.replace('\\', "/"));
        self.run(["cat-file", "blob", &name]).ok()
    }

    /// Many files as a revision has them, in the order asked for; `None` where it has none.
    pub fn show_all(
        &self,
        revision: &str,
        paths: &[&Path],
    ) -> anyhow::Result<Vec<Option<Vec<u8>>>> {
        let names = paths.iter().map(|path| {
            let path = path.strip_prefix(&self.root).unwrap_or(path);
            // A line is a name: one with a line break in it cannot be asked for.
            path.to_str().filter(|name| !name.contains('\n')).unwrap_or_default()
        });
        let lines: Vec<String> =
            names.map(|name| format!("{revision}:{}", name.replace('\\', "/"))).collect();
        let input = lines.join("\n") + "\n";
        let output = self.call(&["cat-file", "--batch"], &input)?;
        let mut rest = output.as_slice();
        Ok(paths.iter().map(|_| next_object(&mut rest)).collect())
    }

    /// Objects by their ids, in the order asked for; files of more than `largest` bytes are not read.
    pub fn objects(&self, ids: &[&str], largest: u64) -> anyhow::Result<Vec<Object>> {
        let read = |how, ids: &[&str]| match ids {
            [] => Ok(Vec::new()),
            ids => self.call(&["cat-file", how], &(ids.join("\n") + "\n")),
        };
        let sizes = read("--batch-check", ids)?;
        let mut found: Vec<Object> = String::from_utf8_lossy(&sizes).lines().map(size).collect();
        found.resize_with(ids.len(), || Object::Missing);
        let wanted = |object: &Object| matches!(object, Object::Large(size) if *size <= largest);
        let small = ids.iter().zip(&found).filter(|(_, object)| wanted(object));
        let small: Vec<&str> = small.map(|(id, _)| *id).collect();
        let contents = read("--batch", &small)?;
        let mut rest = contents.as_slice();
        for object in found.iter_mut().filter(|object| wanted(object)) {
            *object = next_object(&mut rest).map_or(Object::Missing, Object::Content);
        }
        Ok(found)
    }

    /// The revisions that branches, tags and remotes are at.
    pub fn tips(&self) -> anyhow::Result<BTreeSet<String>> {
        let output = self.run(["for-each-ref", "--format=%(objectname)"])?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }

    /// The files that these committers' own commits changed that lead to one of some revisions and to none of
    /// `known`, since a time in seconds since 1970. Merges count for nothing: what they bring was committed elsewhere.
    pub fn committed_by(
        &self,
        mails: &HashSet<&str>,
        since: i64,
        (known, to): (&[String], &[&str]),
    ) -> anyhow::Result<HashSet<PathBuf>> {
        let since = format!("--since={since}");
        let format = "--format=format:%x01%ce%x00";
        // A tip may have gone since, with its branch.
        let options =
            ["log", "-z", "--ignore-missing", "--no-renames", "--name-only", format, &since];
        let known: Vec<String> = known.iter().map(|revision| format!("^{revision}")).collect();
        let known = known.iter().map(String::as_str);
        let revisions = to.iter().copied().chain(known);
        let output = self.run(options.into_iter().chain(["--end-of-options"]).chain(revisions))?;
        let output = String::from_utf8_lossy(&output);
        let own = output.split('\u{1}').filter_map(|commit| commit.split_once('\0'));
        let own = own.filter(|(committer, _)| mails.contains(committer));
        let names = own.flat_map(|(_, names)| names.split(['\0', '\n']));
        Ok(names.filter(|name| !name.is_empty()).map(|name| self.root.join(name)).collect())
    }

    /// Whether git tracks a file, or would: it does not ignore it.
    pub fn sees(&self, path: &Path) -> bool {
        let listed = ["ls-files", "--cached", "--others", "--exclude-standard", "--error-unmatch"];
        path.to_str().is_some_and(|path| self.run(listed.into_iter().chain(["--", path])).is_ok())
    }

    /// Files below the root that differ between a revision and the work tree, deleted ones left out; also
    /// those that git does not know and does not ignore.
    pub fn changed_since(&self, revision: &str) -> anyhow::Result<Vec<PathBuf>> {
        let flags = ["--name-only", "-z", "--no-renames", "--diff-filter=d"];
        let mut paths =
            self.list(DIFF.into_iter().chain(flags).chain(["--end-of-options", revision, "--"]))?;
        paths.extend(self.list(["ls-files", "-z", "--others", "--exclude-standard"])?);
        Ok(paths)
    }

    /// The files that are as the revision has them. Reads nothing ignored: it may be a pipe.
    pub fn unchanged<'a>(
        &self,
        revision: &str,
        paths: impl Iterator<Item = &'a Path>,
    ) -> anyhow::Result<HashSet<&'a Path>> {
        let tree = self.run(["ls-tree", "-r", "-z", "--full-tree", revision])?;
        let tree = String::from_utf8_lossy(&tree);
        let known: HashMap<&str, &str> = tree
            .split('\0')
            .filter_map(|line| line.split_once('\t'))
            .filter_map(|(about, name)| Some((name, about.rsplit(' ').next()?)))
            .collect();
        let files: Vec<(&Path, &str)> = paths
            .filter_map(|path| Some((path, path.strip_prefix(&self.root).ok()?.to_str()?)))
            .filter(|(_, name)| known.contains_key(name) && !name.contains('\n'))
            .collect();
        if files.is_empty() {
            return Ok(HashSet::new());
        }
        let names: String = files.iter().flat_map(|(_, name)| [*name, "\n"]).collect();
        let hashes = self.call(&["hash-object", "--no-filters", "--stdin-paths"], &names)?;
        let hashes = String::from_utf8_lossy(&hashes);
        let same = files.iter().zip(hashes.lines());
        Ok(same
            .filter(|((_, name), hash)| known.get(name) == Some(hash))
            .map(|((path, _), _)| *path)
            .collect())
    }

    /// The folder in which git looks for this repository's hooks, which need not exist, and whether it does so for all.
    pub fn hooks(&self) -> anyhow::Result<(PathBuf, bool)> {
        let folder = self.state_file("hooks")?;
        let scope = self.run(["config", "--show-scope", "--get", "core.hooksPath"]);
        let scope = scope.unwrap_or_default();
        let shared = scope.starts_with(b"global") || scope.starts_with(b"system");
        Ok((folder, shared))
    }

    /// The files that git lists with `-z`, as absolute paths.
    pub fn list<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> anyhow::Result<Vec<PathBuf>> {
        let output = self.run(arguments)?;
        let names = output.split(|byte| *byte == 0).filter(|name| !name.is_empty());
        Ok(names.map(|name| self.root.join(&*String::from_utf8_lossy(name))).collect())
    }

    pub fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> anyhow::Result<Vec<u8>> {
        self.call(&arguments.into_iter().collect::<Vec<_>>(), "")
    }

    /// Settings by which each filter of the configuration does nothing. There is no switch for all.
    fn filters(&self) -> &[String] {
        self.filters.get_or_init(|| {
            let question = ["config", "--null", "--name-only", "--get-regexp", r"^filter\."];
            // It fails where there are none, and where the configuration is damaged: then so does
            // what comes after.
            let names = self.call(&question, "").unwrap_or_default();
            let names = names.split(|byte| *byte == 0).filter_map(|name| str::from_utf8(name).ok());
            let drivers = names.filter_map(|name| name.rsplit_once('.')).map(|(driver, _)| driver);
            let drivers: BTreeSet<&str> = drivers.filter(|driver| driver.contains('.')).collect();
            drivers.into_iter().map(str::to_owned).collect()
        })
    }

    /// The one way to git. Nothing that the repository's configuration names is run.
    fn call(&self, own: &[&str], input: &str) -> anyhow::Result<Vec<u8>> {
        let what = own.first().copied().unwrap_or_default();
        let failed = |why: String| Err(anyhow!("git {what}: {why}"));
        let mut settings: Vec<(String, &str)> =
            SETTINGS.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect();
        // A question about the hooks themselves runs none.
        if own.ends_with(&["hooks"]) || own.ends_with(&["core.hooksPath"]) {
            settings.retain(|(key, _)| key != "core.hooksPath");
        }
        if !is_among(what, BLIND) {
            for driver in self.filters() {
                let keys =
                    ["clean", "smudge", "process"].map(|key| (format!("{driver}.{key}"), ""));
                settings.extend(keys);
                settings.push((format!("{driver}.required"), "false"));
            }
        }
        let mut environment: Vec<(String, String)> = VARIABLES
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        // Not `-c`: a `=` in the name of a filter would end its key.
        environment.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
        for (number, (key, value)) in settings.into_iter().enumerate() {
            environment.push((format!("GIT_CONFIG_KEY_{number}"), key));
            environment.push((format!("GIT_CONFIG_VALUE_{number}"), value.to_owned()));
        }
        let call = Call {
            program: Path::new("git"),
            arguments: &[&["--no-pager", "--literal-pathspecs"], own].concat(),
            folder: &self.root,
            removed: self.removed,
            variables: &environment,
            input,
        };
        match background::output(&call, PATIENCE) {
            Ok(ran) if ran.code == Some(0) => Ok(ran.stdout),
            Ok(ran) => {
                let first = ran.stderr.lines().next().unwrap_or("it failed");
                failed(clean(first))
            }
            Err(error) => failed(error.to_string()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    Content(Vec<u8>),
    /// A file that is larger than asked for, with its size in bytes.
    Large(u64),
    Missing,
}

fn size(line: &str) -> Object {
    let size = line.split_once(" blob ").and_then(|(_, size)| size.parse().ok());
    size.map_or(Object::Missing, Object::Large)
}

/// `ID TYPE SIZE`, a line end, the bytes, a line end; or a line that ends in `missing`.
fn next_object(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (line, after) = (rest.get(..end)?, rest.get(end + 1..)?);
    *rest = after;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split(' ').skip(1);
    let (kind, size) = (words.next()?, words.next()?.parse::<usize>().ok());
    let size = size.filter(|_| words.next().is_none())?;
    let content = after.get(..size)?.to_vec();
    *rest = after.get(size + 1..).unwrap_or_default();
    (kind == "blob").then_some(content)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(root: &Path, paths: &[PathBuf]) -> Vec<String> {
        let mut names: Vec<String> =
            paths.iter().map(|p| p.strip_prefix(root).unwrap().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_git_knows() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        assert!(Repository::at(root).is_none());
        fs::create_dir(root.join(".git")).unwrap();
        let git = Repository::at(root).unwrap();
        fs::remove_dir(root.join(".git")).unwrap();
        git.run(["init", "-q"]).unwrap();
        assert_eq!(git.resolve("HEAD"), None);
        fs::write(root.join("a b.lean"), "one\n").unwrap();
        fs::write(root.join("gone.lean"), "x\n").unwrap();
        git.run(["add", "."]).unwrap();
        let person = ["-c", "user.name=p", "-c", "user.email=p@example.org"];
        git.run(person.into_iter().chain(["commit", "-q", "-m", "first"])).unwrap();
        let head = git.resolve("HEAD").unwrap();
        assert_eq!(head.len(), 40);
        assert_eq!(git.resolve("--help"), None);

        fs::write(root.join("a b.lean"), "two\n").unwrap();
        fs::write(root.join("new.lean"), "n\n").unwrap();
        fs::remove_file(root.join("gone.lean")).unwrap();
        assert_eq!(names(root, &git.changed_since(&head).unwrap()), ["a b.lean", "new.lean"]);
        git.run(["add", "new.lean"]).unwrap();
        let path = root.join("a b.lean");
        assert_eq!(git.show("HEAD", &path).as_deref(), Some(&b"one\n"[..]));
        assert_eq!(git.show("", &root.join("new.lean")).as_deref(), Some(&b"n\n"[..]));
        assert_eq!(git.show("HEAD", &root.join("new.lean")), None);
        fs::write(root.join("large.lean"), "x".repeat(300_000)).unwrap();
        git.run(["add", "large.lean"]).unwrap();
        let (none, large) = (root.join("x y 3"), root.join("large.lean"));
        let paths: Vec<&Path> = [&path, &none, &large, &path].map(PathBuf::as_path).to_vec();
        let sizes: Vec<_> = git.show_all("", &paths).unwrap();
        let sizes: Vec<_> = sizes.into_iter().map(|one| one.map(|bytes| bytes.len())).collect();
        assert_eq!(sizes, [Some(4), None, Some(300_000), Some(4)]);
        assert_eq!(git.list(["ls-files", "-z"]).unwrap().len(), 4);
        let id = |name: &str| {
            let id = git.run(["rev-parse", name]).unwrap();
            String::from_utf8(id).unwrap().trim().to_owned()
        };
        let (first, tree) = (id("HEAD:a b.lean"), id("HEAD^{tree}"));
        let (none, second) = ("0".repeat(40), id(":new.lean"));
        let objects = git.objects(&[&first, &tree, &none, &second], 3).unwrap();
        let content = Object::Content(b"n\n".to_vec());
        assert_eq!(objects, [Object::Large(4), Object::Missing, Object::Missing, content]);
        assert_eq!(git.objects(&[&first], 4).unwrap(), [Object::Content(b"one\n".to_vec())]);
        assert_eq!(git.objects(&[], 4).unwrap(), []);

        let error = git.changed_since("nonsense").unwrap_err().to_string();
        assert!(error.starts_with("git diff: "), "{error}");
    }
}

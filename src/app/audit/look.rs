//! Looking at files, several at a time: from the disk or from git, alone or beside an old version.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::sources::{Now, Source};
use crate::app::Progress;
use crate::app::git::{Object, Repository};
use crate::app::lean_files::LARGEST;
use crate::files;
use crate::guard::audit::{self, Audit, Changes, Knowledge};
use crate::lean;

/// Files for which git is asked at once.
const AT_ONCE: usize = 64;

/// What was found in a file.
pub(super) struct Looked {
    pub(super) audit: Audit,
    pub(super) changes: Changes,
}

/// Why a file was not looked at.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unlooked {
    #[error("this is {0}, not Lean text")]
    Foreign(&'static str),
    #[error("there is no such file")]
    Missing,
    #[error("it is not a regular file")]
    Irregular,
    #[error("it has {0} MB, more than any Lean file should")]
    Large(u64),
    #[error("git does not have it")]
    NotInGit,
    #[error("{0}")]
    Git(String),
    #[error("{0}")]
    Io(std::io::Error),
}

impl From<std::io::Error> for Unlooked {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(error),
        }
    }
}

/// How files are looked at.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    /// Where old versions are; `None` where nothing is compared.
    pub(super) repository: Option<&'a Repository>,
    pub(super) knowledge: Knowledge<'a>,
}

impl Look<'_> {
    /// What was found in each file, in their order; `None` for one that is what it was.
    pub(super) fn at(
        self,
        sources: &[Source],
        progress: Progress<'_>,
    ) -> Vec<Option<Result<Looked, Unlooked>>> {
        let total = sources.len() as u64;
        let done = AtomicU64::new(0);
        // Few files are shared out, many are asked for in groups.
        let group = sources.len().div_ceil(4 * rayon::current_num_threads()).clamp(1, AT_ONCE);
        let looked = sources.par_chunks(group).flat_map_iter(|sources| {
            let objects = Objects::of(sources, self.repository);
            let looked = sources.iter().map(|source| {
                let looked = self.look(source, &objects);
                progress(1 + done.fetch_add(1, Ordering::Relaxed), total);
                looked.transpose()
            });
            looked.collect::<Vec<_>>()
        });
        looked.collect()
    }

    fn look(self, source: &Source, objects: &Objects) -> Result<Option<Looked>, Unlooked> {
        let old = source.old.as_deref().map(|id| objects.content(id)).transpose()?;
        let read;
        let new = match &source.now {
            Now::Gone => None,
            Now::Object(id) => Some(objects.content(id)?),
            Now::Disk => {
                read = on_disk(&source.path)?;
                Some(read.as_slice())
            }
        };
        if old.is_some() && old == new {
            return Ok(None);
        }
        if let Some(what) = new.and_then(lean::foreign) {
            return Err(Unlooked::Foreign(what));
        }
        // An old version that was no text proved nothing.
        let old = old.filter(|bytes| lean::foreign(bytes).is_none());
        let text = |bytes: Option<&[u8]>| bytes.map(|bytes| lean::decode(bytes).text);
        Ok(Some(self.compare(text(old).as_deref(), text(new).as_deref())))
    }

    fn compare(self, old: Option<&str>, new: Option<&str>) -> Looked {
        let read = |text| audit::audit(text, self.knowledge);
        let mut audit = new.map(read).unwrap_or_default();
        if let (Some(old), Some(_)) = (old, new) {
            audit = audit.since(&read(old));
        }
        let mut changes = Changes::default();
        if self.repository.is_some() {
            changes = audit::changes(old.unwrap_or_default(), new.unwrap_or_default());
        }
        Looked { audit, changes }
    }
}

/// What git has for some files, by the names of its objects.
struct Objects(Result<HashMap<String, Object>, String>);

impl Objects {
    fn of(sources: &[Source], repository: Option<&Repository>) -> Self {
        let Some(repository) = repository else { return Self(Ok(HashMap::new())) };
        let ids = sources.iter().flat_map(|source| {
            let new = match &source.now {
                Now::Object(id) => Some(id.as_str()),
                Now::Disk | Now::Gone => None,
            };
            [source.old.as_deref(), new]
        });
        let ids: Vec<&str> = ids.flatten().collect();
        let objects = repository.objects(&ids, LARGEST);
        let named = |objects| ids.iter().map(|id| (*id).to_owned()).zip(objects).collect();
        Self(objects.map(named).map_err(|error| error.to_string()))
    }

    fn content(&self, id: &str) -> Result<&[u8], Unlooked> {
        let objects = self.0.as_ref().map_err(|error| Unlooked::Git(error.clone()))?;
        match objects.get(id) {
            Some(Object::Content(content)) => Ok(content),
            Some(Object::Large(size)) => Err(Unlooked::Large(size >> 20)),
            Some(Object::Missing) | None => Err(Unlooked::NotInGit),
        }
    }
}

fn on_disk(path: &Path) -> Result<Vec<u8>, Unlooked> {
    files::read(path, LARGEST).map_err(|error| match fs::metadata(path) {
        Err(error) => error.into(),
        Ok(meta) if !meta.is_file() => Unlooked::Irregular,
        Ok(meta) if meta.len() > LARGEST => Unlooked::Large(meta.len() >> 20),
        Ok(_) => error.into(),
    })
}

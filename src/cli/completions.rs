//! `mk completions`: completions for shells and manual pages, made from the commands themselves.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::app::App;
use crate::files;
use crate::ui::{Exit, Out};

/// Print completions for a shell, or write manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  mk completions bash > ~/.local/share/bash-completion/completions/mk
  mk completions zsh > ~/.zfunc/_mk
  mk completions fish > ~/.config/fish/completions/mk.fish
  mk completions --man ~/.local/share/man/man1")]
pub(crate) struct Args {
    #[arg(value_enum, required_unless_present = "man")]
    shell: Option<Shell>,
    /// Write a manual page for `mk` and for each command into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "shell")]
    man: Option<PathBuf>,
}

impl Args {
    pub(crate) fn run(self, _: &mut App, out: &mut Out) -> anyhow::Result<Exit> {
        if let Some(shell) = self.shell {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut visible(), "mk", &mut script);
            out.print(&String::from_utf8_lossy(&script))?;
        }
        if let Some(folder) = &self.man {
            let pages = pages(folder)?;
            out.note(&format!("Wrote {pages} manual pages to {}", folder.display()));
        }
        Ok(Exit::Done)
    }
}

/// The command line without what only hooks and background work call.
fn visible() -> clap::Command {
    let whole = super::Cli::command();
    let shown = whole.get_subcommands().filter(|one| !one.is_hide_set()).cloned();
    let mut command = clap::Command::new("mk").subcommands(shown.collect::<Vec<_>>());
    command = command.version(env!("CARGO_PKG_VERSION")).args(whole.get_arguments().cloned());
    command.about(whole.get_about().cloned().unwrap_or_default())
}

/// Writes the pages `mk.1`, `mk-search.1` and so on; how many.
fn pages(folder: &Path) -> anyhow::Result<usize> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut command = visible().disable_help_subcommand(true);
    command.build();
    let mut written = 0;
    for one in command.get_subcommands().chain([&command]) {
        let name = one.get_display_name().unwrap_or("mk").to_owned();
        let mut page = Vec::new();
        let source = concat!("math-forge ", env!("CARGO_PKG_VERSION"));
        clap_mangen::Man::new(one.clone()).title(name.as_str()).source(source).render(&mut page)?;
        let path = folder.join(format!("{name}.1"));
        files::replace(&path, &page).with_context(|| format!("cannot write {}", path.display()))?;
        written += 1;
    }
    Ok(written)
}

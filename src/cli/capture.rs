//! `mk capture` (to be written)

use super::{Exit, Out};
use crate::app::App;

/// capture
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

impl Args {
    pub(crate) fn run(self, _app: &mut App, _out: &mut Out) -> anyhow::Result<Exit> {
        anyhow::bail!("not there yet")
    }
}

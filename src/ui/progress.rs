//! A progress bar on stderr, for a person who watches.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that shows itself only when someone watches; gone when dropped.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar that says what is being done. Where nobody watches it stays silent.
    pub fn new(what: &'static str, watched: bool) -> Self {
        if !watched {
            return Self { bar: ProgressBar::hidden() };
        }
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len} ({eta} left)") {
            bar.set_style(style);
        }
        bar.set_message(what);
        // A unit may take a minute; the time left goes on meanwhile.
        bar.enable_steady_tick(Duration::from_secs(1));
        Self { bar }
    }

    pub fn show(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

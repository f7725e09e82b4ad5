//! Standard output and standard error of a command.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write};
use std::rc::Rc;

use anstream::AutoStream;
use anstream::adapter::strip_str;
use serde::Serialize;

use super::Exit;
use crate::app::background;
use crate::paths::Environment;
use crate::text::{clean_json, clean_page};

/// Where a command writes: data to stdout, status to stderr. Colour disappears by itself where the
/// stream is no terminal or `NO_COLOR` is set.
pub struct Out {
    stdout: Box<dyn Write>,
    stderr: Box<dyn Write>,
    /// Width of the terminal in columns; 80 where there is none.
    pub width: usize,
    /// Whether one JSON object is asked for (`--json`).
    pub json: bool,
    /// Whether a person can watch stderr: only then progress is shown.
    pub watched: bool,
    /// Bytes of an answer.
    most: usize,
    /// The program for reports that are longer than the terminal, and how many lines that has.
    pager: Option<(String, usize)>,
}

#[derive(Serialize)]
struct Envelope<'a, T: Serialize> {
    schema: u32,
    #[serde(flatten)]
    content: &'a T,
}

/// What was printed, for a command that another one calls.
#[derive(Clone, Default)]
pub(crate) struct Collected(Rc<RefCell<Vec<u8>>>);

impl Collected {
    /// Bytes of an answer; who calls has to read all of it.
    const MOST: usize = 256 << 10;

    /// Without colours.
    pub(crate) fn text(&self) -> String {
        strip_str(&String::from_utf8_lossy(&self.0.borrow())).to_string()
    }
}

impl Write for Collected {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.borrow_mut();
        if all.len() + bytes.len() > Self::MOST {
            return Err(too_long());
        }
        all.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Out {
    /// Collects what a command prints: on stdout, and on stderr.
    pub(crate) fn collecting(json: bool) -> (Self, [Collected; 2]) {
        let [stdout, stderr] = <[Collected; 2]>::default();
        let streams = [stdout.clone(), stderr.clone()];
        let (stdout, stderr) = (Box::new(stdout), Box::new(stderr));
        (
            Self {
                stdout,
                stderr,
                width: 100,
                json,
                watched: false,
                most: Collected::MOST,
                pager: None,
            },
            streams,
        )
    }

    /// The streams of this process. `COLUMNS` wins over the terminal's own width.
    pub fn for_process(environment: &Environment) -> Self {
        let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        let columns = environment.text("COLUMNS").and_then(|text| text.parse().ok());
        Self {
            stdout: Box::new(AutoStream::auto(io::stdout())),
            stderr: Box::new(AutoStream::auto(io::stderr())),
            width: columns.or_else(terminal).unwrap_or(80).clamp(40, 200),
            json: false,
            watched: io::stderr().is_terminal(),
            most: usize::MAX,
            pager: pager(environment),
        }
    }

    /// Prints a text, whatever of it came from outside.
    pub fn print(&mut self, text: &str) -> anyhow::Result<()> {
        self.put(&clean_page(text))
    }

    fn put(&mut self, text: &str) -> anyhow::Result<()> {
        self.stdout.write_all(text.as_bytes())?;
        self.stdout.flush()?;
        Ok(())
    }

    /// Prints one JSON object with `"schema": 1` and a final newline.
    pub fn object(&mut self, content: &impl Serialize) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(&Envelope { schema: 1, content })?;
        if text.len() >= self.most {
            return Err(too_long().into());
        }
        self.put(&(clean_json(&text) + "\n"))
    }

    /// The same; where it is longer than who calls takes, the page instead, which shows less.
    pub fn object_or_page(
        &mut self,
        content: &impl Serialize,
        page: impl FnOnce(usize) -> String,
    ) -> anyhow::Result<()> {
        match self.object(content) {
            Err(error) if is_too_long(&error) => {
                self.note(IS_PAGE);
                self.print(&page(self.width))
            }
            printed => printed,
        }
    }

    /// Prints a report: as JSON where that is asked for, else as the text that `text` makes of it for
    /// this width. With that a command is done.
    pub fn answer(
        &mut self,
        report: &impl Serialize,
        text: impl FnOnce(usize) -> String,
    ) -> anyhow::Result<Exit> {
        if self.json {
            return self.object_or_page(report, text).map(|()| Exit::Done);
        }
        let text = text(self.width);
        match &self.pager {
            Some((pager, height)) if text.lines().count() >= *height && paged(pager, &text) => {}
            _ => self.print(&text)?,
        }
        Ok(Exit::Done)
    }

    /// Says what goes beside the data or went wrong, on stderr. A closed stderr is no reason to fail.
    pub fn note(&mut self, text: &str) {
        writeln!(self.stderr, "{}", clean_page(text)).ok();
    }
}

const IS_PAGE: &str = "As JSON this answer is too long: this is the page that `mk` prints, which shows less. Ask for \
    less to get JSON.";

fn too_long() -> io::Error {
    let said = format!("the answer has more than {} KB: ask for less", Collected::MOST >> 10);
    io::Error::new(io::ErrorKind::FileTooLarge, said)
}

fn is_too_long(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::FileTooLarge)
}

/// `MK_PAGER`, `PAGER` or less, where a person reads at a terminal.
fn pager(environment: &Environment) -> Option<(String, usize)> {
    let is_plain = environment.text("TERM").is_none_or(|terminal| terminal == "dumb");
    if is_plain || environment.inside_client() || !io::stdout().is_terminal() {
        return None;
    }
    let (_, height) = terminal_size::terminal_size()?;
    let named = environment.text("MK_PAGER").or_else(|| environment.text("PAGER"));
    let pager = named.unwrap_or("less");
    (pager != "cat").then(|| (pager.to_owned(), usize::from(height.0)))
}

fn paged(pager: &str, text: &str) -> bool {
    let mut text = clean_page(text);
    if AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never {
        text = strip_str(&text).to_string();
    }
    background::paged(pager, &text).unwrap_or(false)
}

/// Standard output, for what writes as it goes.
impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stdout.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}

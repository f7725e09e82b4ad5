//! From lexemes to commands: where each begins and ends, and in which scopes it stands.
//!
//! It is no parser. A reserved word outside of brackets begins a declaration; other commands are
//! recognised where they stand at the column of the command before them. A reserved word at
//! column 0 ends whatever bracket is still open, so that a broken declaration harms no other.

use super::cut::Search;
use super::declaration::{self, Place};
use super::header::{self, After};
use super::kind::{DeclKind, GapKind, ProblemKind, TrustKind};
use super::over::Skip;
use super::records::{Outline, Problem};
use super::scope::Scopes;
use super::sig::{Reader, Reading, Sig};
use super::token::TokenKind;
use super::word::{Cmd, Word};
use super::{gaps, tactics, trust};

const MOST_PROBLEMS: usize = 50;

/// The outline of a Lean text. Total and linear: any text has one.
pub fn outline(text: &str) -> Outline {
    read(text, true)
}

/// Without `tactics` and `proof_lines`, which stay empty; faster.
pub fn skim(text: &str) -> Outline {
    read(text, false)
}

fn read(text: &str, detailed: bool) -> Outline {
    let (mut out, mut reader) = Scanner::new(Reader::new(text), detailed).run();
    while reader.step().is_some() {} // behind `#exit`
    let Reading { comments, lines, unfinished } = reader.finish();
    (out.comments, out.lines) = (comments, lines);
    let problems = unfinished.iter().map(|&(kind, start)| {
        let before = text.get(..start).unwrap_or_default();
        Problem { kind, line: 1 + before.matches('\n').count() }
    });
    out.problems.splice(..0, problems);
    out.problems.truncate(MOST_PROBLEMS);
    out
}

#[allow(clippy::struct_excessive_bools, reason = "independent facts about a command")]
struct Command {
    head: usize,
    key: usize,
    kind: Option<DeclKind>,
    /// Whether it declares nothing and is trusted with nothing.
    plain: bool,
    column: usize,
    /// Whether a body may have begun.
    in_body: bool,
    search: Option<Search>,
    loud: bool,
    /// Whether its body goes on at its own column (`by` with tactics below it at column 0).
    unindented: bool,
}

struct Scanner<'a> {
    text: &'a str,
    detailed: bool,
    source: Reader<'a>,
    at: usize,
    depth: isize,
    /// Depth outside of the outermost open quotation.
    quotation: Option<isize>,
    head: Option<usize>,
    command: Option<Command>,
    scopes: Scopes<'a>,
    exited: bool,
    /// Whether the errors of the command that follows are hidden.
    hides: bool,
    out: Outline,
}

impl<'a> Scanner<'a> {
    fn new(source: Reader<'a>, detailed: bool) -> Self {
        let text = source.lexer.text;
        // A declaration has about so many bytes; to make room as they come would cost more.
        let expected = text.len() / 512;
        Self {
            text,
            detailed,
            source,
            at: 0,
            depth: 0,
            quotation: None,
            head: None,
            command: None,
            scopes: Scopes::default(),
            exited: false,
            hides: false,
            out: Outline { declarations: Vec::with_capacity(expected), ..Outline::default() },
        }
    }

    /// What is read over in the command that is open.
    fn skip(&self) -> Option<Skip> {
        let command = self.command.as_ref().filter(|_| self.head.is_none())?;
        if self.detailed {
            return None;
        }
        let skip = |statement| Some(Skip { column: command.column, statement });
        match &command.search {
            Some(search) => skip(!(command.in_body && search.is_done())),
            None if command.plain => skip(false),
            None => None,
        }
    }

    fn run(mut self) -> (Outline, Reader<'a>) {
        self.file_head();
        while let Some(sig) = self.source.get(self.at).filter(|_| !self.exited) {
            if !sig.word.is_quiet() {
                self.source.read_over(None);
                self.command.iter_mut().for_each(|command| command.loud = true);
            }
            self.step(&sig);
            let skip = self.skip();
            self.source.read_over(skip);
        }
        self.close(self.at);
        (self.out, self.source)
    }

    fn file_head(&mut self) {
        while let Some(sig) = self.sig(self.at) {
            match sig.text(self.text) {
                "module" if self.at == 0 => self.out.is_module = true,
                "prelude" | "public" | "meta" => {}
                // The modules stand on the line of the word.
                "import" => {
                    let is_next =
                        |next: &Sig| next.kind == TokenKind::Ident && next.line() == sig.line();
                    while let Some(next) = self.sig(self.at + 1).filter(is_next) {
                        self.at += 1;
                        let name = Some(next.text(self.text)).filter(|name| *name != "all");
                        self.out.imports.extend(name.map(str::to_owned));
                    }
                }
                _ if sig.kind == TokenKind::ModuleDoc => {}
                _ => break,
            }
            self.at += 1;
        }
        // A modifier that no import followed belongs to the first command.
        while self.previous_word() == Some(Word::Modifier) {
            self.at -= 1;
        }
    }

    fn problem(&mut self, kind: ProblemKind, line: usize) {
        if self.out.problems.len() < MOST_PROBLEMS {
            self.out.problems.push(Problem { kind, line });
        }
    }

    fn sig(&mut self, index: usize) -> Option<Sig> {
        self.source.get(index)
    }

    fn previous_word(&mut self) -> Option<Word> {
        let previous = self.at.checked_sub(1)?;
        self.sig(previous).map(|sig| sig.word)
    }

    fn step(&mut self, sig: &Sig) {
        if self.depth > 0 && self.breaks_out(sig) {
            self.depth = 0;
            self.quotation = None;
            self.head = None;
        }
        if self.depth > 0 {
            self.bracket(sig);
            self.at += 1;
            return;
        }
        match sig.word {
            Word::Attribute => self.attribute(),
            Word::Modifier => self.modifier(),
            Word::Decl(kind) if self.begins_declaration() => self.declare(kind, sig),
            Word::LibraryDecl(kind) if self.begins_library_declaration(sig) => {
                self.declare(kind, sig);
            }
            Word::Namespace | Word::Section | Word::Mutual => self.scope(sig),
            // `snip end` and the like are commands of their own.
            Word::End if sig.first || self.follows_in() => self.scope(sig),
            Word::Command(_) if self.at_command_column(sig) => self.begin(None, sig),
            Word::Deriving if self.is_deriving_command() => self.begin(None, sig),
            Word::Hash if self.at_command_column(sig) && self.is_hash_command() => self.hash(sig),
            _ if sig.is_doc() => {
                self.head = Some(self.at);
                self.at += 1;
            }
            _ if sig.kind == TokenKind::ModuleDoc => {
                self.close(self.at);
                self.at += 1;
            }
            _ => self.continue_command(sig),
        }
    }

    fn breaks_out(&self, sig: &Sig) -> bool {
        let begins = matches!(
            sig.word,
            Word::Decl(_)
                | Word::LibraryDecl(DeclKind::Lemma)
                | Word::Namespace
                | Word::Section
                | Word::End
        );
        sig.first && sig.column() == 0 && begins && (self.quotation.is_none() || sig.spaced)
    }

    fn bracket(&mut self, sig: &Sig) {
        if sig.word == Word::Quotation && self.quotation.is_none() {
            self.quotation = Some(self.depth);
        }
        self.depth += sig.depth_change();
        if self.quotation.is_some_and(|outside| self.depth <= outside) {
            self.quotation = None;
        }
        self.depth = self.depth.max(0);
    }

    fn attribute(&mut self) {
        self.head.get_or_insert(self.at);
        self.skip_bracket();
    }

    fn skip_bracket(&mut self) {
        let mut depth = 0;
        while let Some(sig) = self.sig(self.at) {
            depth += sig.depth_change();
            if depth > 0 && self.breaks_out(&sig) {
                return;
            }
            self.at += 1;
            if depth <= 0 {
                return;
            }
        }
    }

    fn modifier(&mut self) {
        self.head.get_or_insert(self.at);
        self.at += 1;
        let previous = self.sig(self.at - 1).map(|sig| (sig.end(), sig.text(self.text)));
        let adjoining = self.sig(self.at).filter(|next| next.kind == TokenKind::Open);
        if let (Some((end, "scoped")), Some(next)) = (previous, adjoining)
            && next.start() == end
        {
            self.skip_bracket();
        }
    }

    /// `deriving instance`, not the clause of a structure.
    fn is_deriving_command(&mut self) -> bool {
        let mut next = |ahead: usize| self.sig(self.at + ahead).map(|sig| sig.word);
        let modified = next(1) == Some(Word::Modifier);
        next(1 + usize::from(modified)) == Some(Word::Decl(DeclKind::Instance))
    }

    fn begins_declaration(&mut self) -> bool {
        let first = self.head.unwrap_or(self.at);
        let before = first.checked_sub(1).and_then(|index| self.sig(index));
        let adjoining = self.sig(first).zip(before).is_some_and(|(sig, b)| sig.line() == b.line());
        before.is_none_or(|sig| match sig.word {
            Word::Deriving => false,
            Word::Pipe => !adjoining,
            _ => true,
        })
    }

    fn begins_library_declaration(&mut self, sig: &Sig) -> bool {
        let placed = sig.first || self.head.is_some() || self.follows_in();
        let named = self.sig(self.at + 1).is_some_and(|next| {
            matches!(next.kind, TokenKind::Ident | TokenKind::Open) && next.word != Word::Fun
        });
        placed && named && self.begins_declaration()
    }

    fn follows_in(&mut self) -> bool {
        matches!(self.previous_word(), Some(Word::In | Word::Mutual))
    }

    /// Whether a lexeme stands where a command may begin that is not known by its word alone.
    fn at_command_column(&mut self, sig: &Sig) -> bool {
        let declared = self.command.as_ref().filter(|command| command.kind.is_some());
        let column = declared.map_or(usize::MAX, |command| command.column);
        self.head.is_some() || self.follows_in() || (sig.first && sig.column() <= column)
    }

    /// `#eval`, not `#s` (a cardinality).
    fn is_hash_command(&mut self) -> bool {
        let hash_end = self.sig(self.at).map(|hash| hash.end());
        self.sig(self.at + 1).is_some_and(|next| {
            let name = next.text(self.text);
            Some(next.start()) == hash_end && name.len() > 3 && next.kind == TokenKind::Ident
        })
    }

    fn hash(&mut self, sig: &Sig) {
        let name = self.sig(self.at + 1).map(|next| next.text(self.text));
        if name != Some("exit") || self.follows_in() {
            return self.begin(None, sig);
        }
        self.close(self.at);
        self.out.loose_trust.push(trust::marker(TrustKind::Exit, sig, "#exit"));
        self.at += 2;
        if self.sig(self.at).is_some() {
            self.problem(ProblemKind::CodeAfterExit, sig.line());
        }
        self.exited = true;
    }

    fn declare(&mut self, kind: DeclKind, sig: &Sig) {
        self.begin(Some(kind), sig);
        // `class inductive` and `class abbrev` are one keyword.
        let exact = matches!(
            self.sig(self.at).map(|next| next.word),
            Some(Word::Decl(DeclKind::Inductive | DeclKind::Abbrev))
        );
        if kind == DeclKind::Class && exact {
            self.at += 1;
        }
        // A name is a name, whatever word it is.
        if self.sig(self.at).is_some_and(|next| {
            kind != DeclKind::Example
                && matches!(next.word, Word::LibraryDecl(_) | Word::Command(_))
        }) {
            self.at += 1;
        }
    }

    fn begin(&mut self, kind: Option<DeclKind>, sig: &Sig) {
        let head = self.head.unwrap_or(self.at);
        self.close(head);
        let column = self.sig(head).map_or(sig.column(), |first| first.column());
        self.command = Some(Command {
            head,
            key: self.at,
            kind,
            plain: sig.word == Word::Command(Cmd::Plain),
            column,
            in_body: false,
            search: None,
            loud: false,
            unindented: false,
        });
        self.at += 1;
    }

    fn scope(&mut self, sig: &Sig) {
        self.close(self.head.unwrap_or(self.at));
        self.at += 1;
        let name = self.sig(self.at).filter(|next| {
            next.kind == TokenKind::Ident
                && (next.line() == sig.line() || sig.word == Word::Namespace)
        });
        let name = name.filter(|next| !is_reserved(next.word));
        self.at += usize::from(name.is_some() && sig.word != Word::Mutual);
        let name = name.map(|next| next.text(self.text));
        let problem = match (sig.word, name) {
            (Word::Namespace, Some(name)) if !self.scopes.open_namespace(name) => {
                ProblemKind::NamespaceTooDeep
            }
            (Word::End, name) if self.scopes.close(name).is_none() => ProblemKind::UnmatchedEnd,
            (Word::Section, name) => return self.scopes.open_section(name),
            (Word::Mutual, _) => return self.scopes.open_section(None),
            _ => return,
        };
        self.problem(problem, sig.line());
    }

    fn continue_command(&mut self, sig: &Sig) {
        self.head = None;
        match &mut self.command {
            None => return self.begin(None, sig),
            Some(command) => {
                let outside = sig.first && sig.column() <= command.column;
                let word = sig.kind == TokenKind::Ident && sig.word == Word::Other;
                let body = command.in_body && outside && word && command.kind.is_some();
                if body && sig.spaced && !command.unindented {
                    return self.begin(None, sig);
                }
                command.unindented |= body;
                command.in_body |= matches!(sig.word, Word::Assign | Word::Where | Word::Pipe);
            }
        }
        self.look_for_body(sig);
        self.bracket(sig);
        self.at += 1;
    }

    fn look_for_body(&mut self, sig: &Sig) {
        let declared = self.command.as_mut().and_then(|c| c.kind.map(|kind| (c, kind)));
        let Some((command, kind)) = declared else { return };
        if command.search.is_none() {
            let code = self.source.slice(command.key..self.at + 1);
            let After { kind, names, next } = header::after(code, kind);
            // A bracket may hold the priority, which stands before the name.
            let known = names[0].is_some() || (sig.kind != TokenKind::Open && next < code.len());
            command.search = known.then(|| Search::new(kind, next));
        }
        let may = matches!(
            sig.word,
            Word::Assign | Word::Where | Word::Deriving | Word::Pipe | Word::Arrow
        );
        if let Some(search) = command.search.as_mut().filter(|_| may) {
            search.go(self.source.slice(command.key..self.at + 1));
        }
    }

    fn close(&mut self, end: usize) {
        self.head = None;
        let Some(command) = self.command.take() else { return };
        let sigs = self.source.slice(command.head..end.max(command.key + 1));
        let key = command.key - command.head;
        if let Some(kind) = command.kind {
            let place = Place {
                text: self.text,
                scopes: &self.scopes,
                detailed: self.detailed,
                loud: command.loud,
            };
            let first = self.out.declarations.len();
            declaration::read(&place, sigs, (key, kind), command.search, &mut self.out);
            let hides = std::mem::take(&mut self.hides);
            let gap = sigs.get(key).map(|sig| gaps::gap(GapKind::HiddenError, sig));
            for one in self.out.declarations.iter_mut().skip(first).filter(|_| hides) {
                let is_proof = one.kind.is_proof() && one.name.is_some();
                one.gaps.splice(..0, gap.clone().filter(|_| is_proof));
            }
        } else {
            let is_in = sigs.last().is_some_and(|last| last.word == Word::In);
            self.hides = is_in && (self.hides || gaps::hides_errors(self.text, sigs));
            read_loose(self.text, sigs, key, &mut self.out);
        }
        // Of what was read the next command looks at one lexeme at most.
        self.source.forget(end.saturating_sub(1));
    }
}

fn is_reserved(word: Word) -> bool {
    matches!(
        word,
        Word::Decl(_)
            | Word::Command(_)
            | Word::Modifier
            | Word::Namespace
            | Word::Section
            | Word::End
            | Word::Mutual
            | Word::In
    )
}

/// A command that declares nothing: its gaps and trust markers stand for themselves.
fn read_loose(text: &str, sigs: &[Sig], key: usize, out: &mut Outline) {
    let command = sigs.get(key..).unwrap_or_default();
    let found = gaps::by_word(text, command, None);
    let first = out.loose_gaps.len();
    out.loose_gaps.extend(found.own);
    out.loose_gaps.extend(found.quoted);
    out.loose_gaps.extend(tactics::gaps(text, command));
    if let Some(new) = out.loose_gaps.get_mut(first..) {
        new.sort_by_key(|gap| gap.span.start);
    }
    out.loose_trust.extend(trust::of_command(text, command));
}

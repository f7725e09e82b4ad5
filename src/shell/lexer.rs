//! A command line in simple commands, by the rules that shells have in common.

use super::{Joint, Redirection, Way};

/// Substitutions within each other that are read; deeper ones are only noticed.
const DEEPEST: usize = 16;

#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) words: Vec<String>,
    pub(super) joint: Joint,
    pub(super) redirections: Vec<Redirection>,
    /// Numbers of the texts on its standard input.
    pub(super) texts: Vec<usize>,
}

impl Raw {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.redirections.is_empty() && self.texts.is_empty()
    }
}

#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub(super) commands: Vec<Raw>,
    /// Here-documents and here-strings.
    pub(super) texts: Vec<String>,
    pub(super) is_unfinished: bool,
    pub(super) is_plain: bool,
    /// A `&` lets a part of it go on after it has ended.
    pub(super) goes_on: bool,
}

/// Takes a command line apart. Never fails; the time is linear.
pub(super) fn lex(text: &str) -> Lexed {
    lex_at(text, 0, false)
}

/// With `in_quotes` as what stands in a here-document.
fn lex_at(text: &str, depth: usize, in_quotes: bool) -> Lexed {
    let mut lexer = Lexer {
        text,
        at: 0,
        depth,
        out: Lexed { is_plain: true, ..Lexed::default() },
        command: Raw {
            joint: if depth > 0 { Joint::Inside } else { Joint::Then },
            ..Raw::default()
        },
        word: None,
        next: Place::Word,
        waiting: Vec::new(),
    };
    if in_quotes {
        lexer.double_quoted(None);
    } else {
        lexer.commands(None);
    }
    lexer.out
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    out: Lexed,
    command: Raw,
    /// The word that is being read, and whether a part of it is quoted; `None` between words.
    word: Option<(String, bool)>,
    next: Place,
    waiting: Vec<Waiting>,
}

/// Where the next word goes.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Place {
    #[default]
    Word,
    Target(Way),
    Input,
}

/// A here-document that begins on the next line.
struct Waiting {
    end: String,
    /// Something is put into it.
    is_live: bool,
    /// Tabs before its lines do not count.
    tabs: bool,
    number: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, c: char) -> bool {
        let found = self.peek() == Some(c);
        self.at += if found { c.len_utf8() } else { 0 };
        found
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().0.push(c);
    }

    fn odd(&mut self) {
        self.out.is_plain = false;
    }

    /// Reads commands up to a closing parenthesis, or up to the end.
    fn commands(&mut self, end: Option<char>) {
        let mut open = 0;
        while let Some(c) = self.bump() {
            match c {
                ')' if end.is_some() && open == 0 => return self.end_command(Joint::Then),
                '\'' => self.single_quoted(),
                '"' => {
                    self.word.get_or_insert_default().1 = true;
                    self.double_quoted(Some('"'));
                }
                '\\' => match self.bump() {
                    Some('\n') | None => {}
                    Some(c) => {
                        self.odd();
                        self.push(c);
                    }
                },
                '#' if self.word.is_none() => self.comment(),
                '`' => self.backquoted(),
                '$' => self.dollar(false),
                '&' if self.peek() == Some('>') => {}
                '>' => self.output(),
                '<' => self.input(),
                ';' | '|' | '&' | '\n' | '(' | ')' => {
                    match c {
                        '(' => open += 1,
                        ')' => open -= 1,
                        _ => {}
                    }
                    self.operator(c);
                }
                ' ' | '\t' => self.end_word(),
                '\r' => {
                    self.odd();
                    self.end_word();
                }
                c => {
                    self.out.is_plain &= is_plain(c, self.word.is_none());
                    self.push(c);
                }
            }
        }
        self.end_word();
        let dangles = self.command.is_empty()
            && matches!(self.command.joint, Joint::Pipe | Joint::And | Joint::Or);
        self.out.is_unfinished |= end.is_some() || dangles;
        self.end_command(Joint::Then);
    }

    fn operator(&mut self, c: char) {
        self.end_word();
        let is_empty = self.command.is_empty();
        let joint = match c {
            '|' if self.eat('|') => Joint::Or,
            '|' => {
                if self.eat('&') {
                    self.odd();
                }
                Joint::Pipe
            }
            '&' if self.eat('&') => Joint::And,
            // A new line within `a &&`, `b`.
            '\n' if is_empty => self.command.joint,
            '&' | '(' | ')' => {
                self.odd();
                self.out.goes_on |= c == '&';
                Joint::Then
            }
            _ => Joint::Then,
        };
        self.out.is_plain &= !is_empty || c == '\n';
        self.end_command(joint);
        if c == '\n' {
            self.here_documents();
        }
    }

    /// A shell that takes no comments would run what stands in one.
    fn comment(&mut self) {
        let line = self.rest().lines().next().unwrap_or_default();
        self.out.is_plain &= !line.contains(|c: char| ";&|`$()<>\\'\"\r".contains(c));
        self.at += line.len();
    }

    fn single_quoted(&mut self) {
        self.word.get_or_insert_default().1 = true;
        let rest = self.rest();
        let Some((inside, _)) = rest.split_once('\'') else {
            self.out.is_unfinished = true;
            self.word.get_or_insert_default().0.push_str(rest);
            self.at = self.text.len();
            return;
        };
        self.out.is_plain &= !inside.contains(char::is_control);
        self.word.get_or_insert_default().0.push_str(inside);
        self.at += inside.len() + 1;
    }

    /// What stands between double quotes, or, without an end, in a here-document.
    fn double_quoted(&mut self, end: Option<char>) {
        loop {
            match self.bump() {
                None => {
                    self.out.is_unfinished |= end.is_some();
                    return;
                }
                c if c == end => return,
                Some('`') => self.backquoted(),
                Some('$') => self.dollar(true),
                Some('\\') => match self.bump() {
                    Some(c @ ('"' | '\\')) => self.push(c),
                    Some(c @ ('$' | '`')) => {
                        self.odd();
                        self.push(c);
                    }
                    Some('\n') => self.odd(),
                    Some(c) => {
                        self.out.is_plain &= !c.is_control();
                        self.push('\\');
                        self.push(c);
                    }
                    None => self.out.is_unfinished = true,
                },
                Some(c) => {
                    self.out.is_plain &= !c.is_control();
                    self.push(c);
                }
            }
        }
    }

    fn dollar(&mut self, in_quotes: bool) {
        self.odd();
        let start = self.at.saturating_sub(1);
        match self.peek() {
            Some('(') => {
                self.bump();
                self.substitution(start);
            }
            Some('{') => {
                self.bump();
                self.braces(start);
            }
            Some('\'') if !in_quotes => {
                self.bump();
                self.word.get_or_insert_default().1 = true;
                while let Some(c) = self.bump().filter(|c| *c != '\'') {
                    let c = if c == '\\' { self.bump() } else { Some(c) };
                    self.word.get_or_insert_default().0.extend(c);
                }
            }
            Some('"') if !in_quotes => {}
            _ => self.push('$'),
        }
    }

    /// `${...}`: a part of a word, whatever stands in it.
    fn braces(&mut self, start: usize) {
        let word = self.word.take().unwrap_or_default();
        let mut open = 1;
        while open > 0 {
            match self.bump() {
                Some('{') => open += 1,
                Some('}') => open -= 1,
                Some('`') => self.backquoted(),
                Some('$') if self.peek() == Some('(') => self.dollar(true),
                Some(_) => {}
                None => {
                    self.out.is_unfinished = true;
                    break;
                }
            }
        }
        self.word = Some(word);
        self.push_source(start);
    }

    /// The commands of `$(...)`, `<(...)` and `>(...)`, which begin here.
    fn substitution(&mut self, start: usize) {
        self.odd();
        if self.depth >= DEEPEST {
            self.out.is_unfinished = true;
            return self.operator('(');
        }
        let word = self.word.take();
        let next = std::mem::take(&mut self.next);
        let waiting = std::mem::take(&mut self.waiting);
        let inside = Raw { joint: Joint::Inside, ..Raw::default() };
        let command = std::mem::replace(&mut self.command, inside);
        self.depth += 1;
        self.commands(Some(')'));
        self.depth -= 1;
        (self.word, self.next, self.waiting, self.command) = (word, next, waiting, command);
        self.push_source(start);
    }

    fn backquoted(&mut self) {
        self.odd();
        let start = self.at.saturating_sub(1);
        let (mut inside, mut is_escaped) = (String::new(), false);
        loop {
            match self.bump() {
                Some('`') if !is_escaped => break,
                Some('\\') if !is_escaped => is_escaped = true,
                Some(c) => {
                    inside.extend(Some('\\').filter(|_| is_escaped && !"`\\$".contains(c)));
                    inside.push(c);
                    is_escaped = false;
                }
                None => {
                    self.out.is_unfinished = true;
                    break;
                }
            }
        }
        self.within(&inside, false);
        self.push_source(start);
    }

    /// Reads a text that stands in this one.
    fn within(&mut self, text: &str, in_quotes: bool) {
        if self.depth >= DEEPEST {
            self.out.is_unfinished = true;
            return;
        }
        let inner = lex_at(text, self.depth + 1, in_quotes);
        let first = self.out.texts.len();
        self.out.texts.extend(inner.texts);
        self.out.is_unfinished |= inner.is_unfinished;
        self.out.commands.extend(inner.commands.into_iter().map(|mut raw| {
            raw.texts.iter_mut().for_each(|number| *number += first);
            raw
        }));
    }

    fn push_source(&mut self, start: usize) {
        let source = self.text.get(start..self.at).unwrap_or_default();
        self.word.get_or_insert_default().0.push_str(source);
    }

    /// `>`, `>>`, `>|`, `>&`, with the number before it.
    fn output(&mut self) {
        self.end_stream();
        let start = self.at.saturating_sub(1);
        self.eat('>');
        self.eat('|');
        let is_copy = self.eat('&');
        if !is_copy && self.eat('(') {
            return self.substitution(start);
        }
        self.next = Place::Target(if is_copy { Way::Copy } else { Way::Out });
    }

    /// `<`, `<&`, `<>`, `<<`, after which lines of text follow, and `<<<`, after which a word does.
    fn input(&mut self) {
        self.end_stream();
        let start = self.at.saturating_sub(1);
        if self.eat('(') {
            return self.substitution(start);
        }
        self.odd();
        if self.eat('<') {
            if self.eat('<') {
                self.next = Place::Input;
            } else {
                self.here_document();
            }
            return;
        }
        let way = match self.peek() {
            Some('>') => Way::Out,
            Some('&') => Way::Copy,
            _ => Way::In,
        };
        self.at += usize::from(way != Way::In);
        self.next = Place::Target(way);
    }

    /// Ends the word before a redirection; a number says which stream it is, and is no word.
    fn end_stream(&mut self) {
        self.word.take_if(|(word, quoted)| !*quoted && word.parse::<u32>().is_ok());
        self.end_word();
    }

    fn here_document(&mut self) {
        let tabs = self.eat('-');
        while self.eat(' ') || self.eat('\t') {}
        let (mut end, mut quote, mut is_live) = (String::new(), None, true);
        while let Some(c) = self.peek() {
            match quote {
                None if c.is_whitespace() || ";|&<>()".contains(c) => break,
                None if c == '\'' || c == '"' => (quote, is_live) = (Some(c), false),
                None if c == '\\' => is_live = false,
                Some(open) if open == c => quote = None,
                Some(_) if c == '\n' => break,
                _ => end.push(c),
            }
            self.bump();
        }
        let number = self.out.texts.len();
        self.out.texts.push(String::new());
        self.command.texts.push(number);
        self.waiting.push(Waiting { end, is_live, tabs, number });
    }

    /// Reads the texts that begin on this line.
    fn here_documents(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            let mut text = String::new();
            loop {
                let rest = self.rest();
                let line = rest.split('\n').next().unwrap_or_default();
                self.at += (line.len() + 1).min(rest.len());
                let content = if waiting.tabs { line.trim_start_matches('\t') } else { line };
                if content.trim_end_matches('\r') == waiting.end {
                    break;
                }
                text.push_str(content);
                text.push('\n');
                if line.len() == rest.len() {
                    break;
                }
            }
            if waiting.is_live && text.contains(['$', '`']) {
                self.within(&text, true);
            }
            if let Some(kept) = self.out.texts.get_mut(waiting.number) {
                *kept = text;
            }
        }
    }

    fn end_word(&mut self) {
        let Some((word, _)) = self.word.take() else { return };
        match std::mem::take(&mut self.next) {
            Place::Word => self.command.words.push(word),
            Place::Target(way) => {
                let is_handle = word == "-" || word.bytes().all(|b| b.is_ascii_digit());
                let way = if way == Way::Copy && !is_handle { Way::Out } else { way };
                self.command.redirections.push(Redirection { way, target: word });
            }
            Place::Input => {
                self.command.texts.push(self.out.texts.len());
                self.out.texts.push(word);
            }
        }
    }

    fn end_command(&mut self, joint: Joint) {
        self.end_word();
        if self.next != Place::Word {
            self.out.is_unfinished = true;
            self.next = Place::Word;
        }
        let next = Raw { joint, ..Raw::default() };
        let command = std::mem::replace(&mut self.command, next);
        if !command.is_empty() {
            self.out.commands.push(command);
        }
    }
}

/// Characters that stand for themselves without quotes, in every shell. In zsh a word that starts
/// with `=` is another word.
fn is_plain(c: char, first: bool) -> bool {
    match c {
        '=' => !first,
        '_' | '-' | '.' | '/' | ':' | ',' | '+' | '@' | '%' => true,
        c if c.is_ascii() => c.is_ascii_alphanumeric(),
        c => !c.is_whitespace() && !c.is_control(),
    }
}

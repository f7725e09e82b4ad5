//! The head of a file: `module`, `prelude` and imports, which can only stand at its beginning.

use super::records::Import;
use super::sig::Source;
use super::token::TokenKind;
use super::word::Word;

#[derive(Debug, Default)]
pub(super) struct FileHead {
    pub(super) is_module: bool,
    pub(super) imports: Vec<Import>,
    /// How many lexemes it has.
    pub(super) length: usize,
}

pub(super) fn read(text: &str, sigs: &mut impl Source) -> FileHead {
    let mut head = FileHead::default();
    let mut import = blank();
    while let Some(sig) = sigs.get(head.length) {
        match sig.text(text) {
            "module" if head.length == 0 => head.is_module = true,
            "prelude" => {}
            "public" => import.public = true,
            "meta" => import.meta = true,
            "import" => {
                import.line = sig.line();
                head.modules(text, sigs, std::mem::replace(&mut import, blank()));
            }
            _ if sig.kind == TokenKind::ModuleDoc => {}
            _ => break,
        }
        head.length += 1;
    }
    // A modifier that no import followed belongs to the first command.
    let mut last = |length: usize| length.checked_sub(1).and_then(|index| sigs.get(index));
    while last(head.length).is_some_and(|sig| sig.word == Word::Modifier) {
        head.length -= 1;
    }
    head
}

impl FileHead {
    /// The modules after the word `import`, on its line. Leaves `length` on the last lexeme read.
    fn modules(&mut self, text: &str, sigs: &mut impl Source, mut import: Import) {
        while let Some(sig) = sigs.get(self.length + 1) {
            if sig.kind != TokenKind::Ident || sig.line() != import.line {
                return;
            }
            self.length += 1;
            match sig.text(text) {
                "all" => import.all = true,
                name => self.imports.push(Import { module: name.to_owned(), ..import.clone() }),
            }
        }
    }
}

fn blank() -> Import {
    Import { module: String::new(), public: false, meta: false, all: false, line: 0 }
}

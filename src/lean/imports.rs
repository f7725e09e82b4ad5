use super::sig::Source;
use super::token::TokenKind;
use super::word::Word;

#[derive(Debug, Default)]
pub(super) struct FileHead {
    pub(super) is_module: bool,
    pub(super) imports: Vec<String>,
    pub(super) length: usize,
}

pub(super) fn read(text: &str, sigs: &mut impl Source) -> FileHead {
    let mut head = FileHead::default();
    while let Some(sig) = sigs.get(head.length) {
        match sig.text(text) {
            "module" if head.length == 0 => head.is_module = true,
            "prelude" | "public" | "meta" => {}
            // The modules stand on the line of the word.
            "import" => {
                let is_next = |next: &super::sig::Sig| {
                    next.kind == TokenKind::Ident && next.line() == sig.line()
                };
                while let Some(next) = sigs.get(head.length + 1).filter(is_next) {
                    head.length += 1;
                    head.imports.extend(
                        Some(next.text(text)).filter(|name| *name != "all").map(str::to_owned),
                    );
                }
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

//! Sessions that are played: the files of `tests/plays`, in the notation of [`crate::play`].

use crate::play;

#[test]
fn commands() {
    play::check("tests/plays/commands.txt");
}

#[test]
fn guard() {
    play::check("tests/plays/guard.txt");
}

#[test]
fn lessons() {
    play::check("tests/plays/lessons.txt");
}

#[test]
fn notes() {
    play::check("tests/plays/notes.txt");
}

#[test]
fn learning() {
    play::check("tests/plays/learning.txt");
}

#[test]
fn told() {
    play::check("tests/plays/told.txt");
}

#[test]
fn leave() {
    play::check("tests/plays/leave.txt");
}

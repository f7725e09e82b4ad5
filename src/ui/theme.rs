//! Colours by meaning. What is painted here loses its colour again where the output is no terminal or
//! `NO_COLOR` is set: the stream sees to that, so nobody here asks.

use anstyle::{AnsiColor, Style};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Good,
    /// False, failed.
    Bad,
    /// Open, uncertain, stale.
    Caution,
    Neutral,
    Heading,
    /// Rules, ids, hints.
    Faint,
}

impl Tone {
    fn style(self) -> Style {
        match self {
            Self::Good => AnsiColor::Green.on_default(),
            Self::Bad => AnsiColor::Red.on_default(),
            Self::Caution => AnsiColor::Yellow.on_default(),
            Self::Neutral => AnsiColor::Cyan.on_default(),
            Self::Heading => Style::new().bold(),
            Self::Faint => Style::new().dimmed(),
        }
    }

    /// The tone of a badge such as `[PROVEN]`.
    pub fn of_badge(badge: &str) -> Self {
        match badge {
            "[PROVEN]" | "[VERIFIED]" => Self::Good,
            "[FALSE]" | "[FAILED]" => Self::Bad,
            "[CLAIMED]" | "[UNVERIFIED]" => Self::Caution,
            _ => Self::Neutral,
        }
    }
}

pub fn paint(tone: Tone, text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let style = tone.style();
    format!("{style}{text}{style:#}")
}

pub fn badge(badge: &str) -> String {
    paint(Tone::of_badge(badge), badge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn painted_text_is_the_text_once_the_stream_has_stripped_it() {
        for tone in [Tone::Good, Tone::Bad, Tone::Caution, Tone::Heading, Tone::Faint] {
            let painted = paint(tone, "∀ x");
            assert_ne!(painted, "∀ x");
            assert_eq!(anstream::adapter::strip_str(&painted).to_string(), "∀ x");
        }
        assert_eq!(paint(Tone::Good, ""), "");
    }
}

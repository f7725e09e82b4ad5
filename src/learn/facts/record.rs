//! A fact, with all its fields.

use jiff::{SignedDuration, Timestamp};
use serde::{Serialize, Serializer};

use crate::model::FactDetail;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant,)+ }

        impl $name {
            /// Every value, in declaration order.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word as the database spells it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// The value of a word; `-`, `_`, blanks and case make no difference.
            pub fn of(word: &str) -> Option<Self> {
                let plain = |text: &str| -> String {
                    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
                };
                let word = plain(word);
                Self::ALL.iter().copied().find(|one| plain(one.as_str()) == word)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }
    };
}

words! {
    /// What a fact is about.
    Category {
        /// Somebody, and what they do.
        Person = "person",
        /// A project and its state.
        Project = "project",
        /// How somebody wants things done.
        Preference = "preference",
        /// What was decided, and why.
        Decision = "decision",
        /// What was learnt the hard way.
        Lesson = "lesson",
        /// Machines, versions, paths.
        Environment = "environment",
        /// A tool or tactic, and how it behaves.
        Tool = "tool",
        /// What is being worked on.
        Task = "task",
        /// The summary of a session; no model names it.
        Session = "session",
    }
}

words! {
    /// Where a fact holds.
    Scope {
        /// Everywhere.
        Global = "global",
        /// In the project that it was found in.
        Project = "project",
    }
}

words! {
    /// How long a fact is meant to be of use.
    Tier {
        /// For weeks and longer.
        LongTerm = "long-term",
        /// While something is being worked on.
        Working = "working",
    }
}

words! {
    /// Where a fact comes from, as the model says.
    SourceType {
        /// The person said it outright.
        UserSaid = "user_said",
        /// It follows from the rest.
        Inferred = "inferred",
        /// A tool printed it.
        ToolOutput = "tool_output",
    }
}

/// How long a fact holds: always, or for some hours from when it was last seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lifetime {
    /// A long-term fact.
    Always,
    /// A working fact; never 0.
    Hours(u32),
}

impl Lifetime {
    /// What a working fact has that does not say.
    pub const WORKING: Self = Self::Hours(24);

    /// No working fact lasts longer: 90 days.
    const MOST_HOURS: u32 = 90 * 24;

    /// Reads `24h`, `7d`, `always`; `None` for anything else.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text == "always" {
            return Some(Self::Always);
        }
        let (number, hours) = match (text.strip_suffix('h'), text.strip_suffix('d')) {
            (Some(number), _) => (number, 1),
            (_, Some(number)) => (number, 24),
            _ => return None,
        };
        let hours = number.trim().parse::<u32>().ok()?.checked_mul(hours)?;
        (1..=Self::MOST_HOURS).contains(&hours).then_some(Self::Hours(hours))
    }

    /// When what was seen to hold at `now` ends; `None` for never.
    pub fn end(self, now: Timestamp) -> Option<Timestamp> {
        match self {
            Self::Always => None,
            Self::Hours(hours) => {
                now.checked_add(SignedDuration::from_hours(i64::from(hours))).ok()
            }
        }
    }
}

impl Serialize for Lifetime {
    /// As the time to live of the specification: null, `24h`, `7d`.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Always => to.serialize_none(),
            Self::Hours(hours) if hours % 24 == 0 && *hours > 24 => {
                to.serialize_str(&format!("{}d", hours / 24))
            }
            Self::Hours(hours) => to.serialize_str(&format!("{hours}h")),
        }
    }
}

/// A fact as a model gave it, checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fact {
    pub category: Category,
    /// Dotted, lower case: `mathlib.revision`. With the category and the project it is the identity.
    pub key: String,
    /// What holds, in one line.
    pub value: String,
    pub scope: Scope,
    pub source_type: SourceType,
    /// How sure the model is, 0.0 to 1.0.
    pub confidence: f64,
    /// How long it holds.
    #[serde(rename = "ttl")]
    pub lifetime: Lifetime,
}

impl Fact {
    /// Its tier: what ends is working memory.
    pub fn tier(&self) -> Tier {
        match self.lifetime {
            Lifetime::Always => Tier::LongTerm,
            Lifetime::Hours(_) => Tier::Working,
        }
    }

    /// As it is stored, seen to hold at `now`.
    pub fn detail(&self, now: Timestamp) -> FactDetail {
        FactDetail {
            category: self.category.as_str().to_owned(),
            key: self.key.clone(),
            value: self.value.clone(),
            scope: self.scope.as_str().to_owned(),
            tier: self.tier().as_str().to_owned(),
            source_type: self.source_type.as_str().to_owned(),
            confidence: Some(self.confidence),
            expires_at: self.lifetime.end(now).map(stamp),
            last_verified: Some(stamp(now)),
            hours: None,
        }
    }
}

/// A time as the database writes it, in UTC.
fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

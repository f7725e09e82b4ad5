//! A fact, with all its fields.

use jiff::{SignedDuration, Timestamp};
use serde::{Serialize, Serializer};

use crate::model::FactDetail;
pub use crate::model::{
    FactCategory as Category, FactOrigin as SourceType, FactScope as Scope, FactTier as Tier,
};

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

//! What Lean said about a declaration when it was asked.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::KernelVerdict;
use crate::text::name_matches;

/// How the problem of a file begins that compiles, but whose compiled form the kernel refuses: an alarm.
pub const REPLAY_REFUSES: &str = "the replay refuses it";

/// Part of the record of a theorem or false lemma.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KernelDetail {
    pub verdict: KernelVerdict,
    /// The file whose declaration Lean was asked about.
    pub file: String,
    /// Those beyond the three usual ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub axioms: Vec<String>,
    /// The compiled file was checked again in an empty environment.
    pub replayed: bool,
    /// For example `v4.35.0`.
    pub toolchain: String,
    pub at: String,
    /// As Lean prints it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub statement: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
}

impl KernelDetail {
    pub fn holds(&self) -> bool {
        self.stale.is_none() && self.verdict == KernelVerdict::Accepted
    }

    /// Lean answered, and the answer speaks against a proof.
    pub fn denies(&self) -> bool {
        self.stale.is_none()
            && (self.verdict == KernelVerdict::Open
                || (self.verdict == KernelVerdict::Unknown && self.problem.is_some()))
    }

    /// Whose word it is, as [`super::Draft::standing`] has it.
    pub fn words(&self) -> Cow<'static, str> {
        let Self { toolchain, axioms, .. } = self;
        if let Some(stale) = &self.stale {
            let was = if self.replayed { "verified" } else { "accepted" };
            return match self.verdict {
                KernelVerdict::Accepted => {
                    format!("{was} under {toolchain}, not since: {stale}").into()
                }
                _ => format!("asked under {toolchain}, not since: {stale}").into(),
            };
        }
        match self.verdict {
            KernelVerdict::Accepted if self.replayed => "by Lean's kernel, replayed".into(),
            KernelVerdict::Accepted => "accepted by Lean, not replayed".into(),
            KernelVerdict::Open => "open for Lean: it rests on `sorry`".into(),
            KernelVerdict::Axioms => {
                format!("accepted by Lean, relies on {}", axioms.join(", ")).into()
            }
            KernelVerdict::Compiler => "accepted by Lean, trusts the compiler".into(),
            KernelVerdict::Unknown => match &self.problem {
                Some(problem) => format!("not accepted by Lean: {problem}").into(),
                None => "Lean's answer says nothing".into(),
            },
        }
    }
}

/// The axioms of Lean's own library that every mathematician accepts.
pub const USUAL_AXIOMS: [&str; 3] = ["propext", "Classical.choice", "Quot.sound"];

pub fn is_usual_axiom(name: &str) -> bool {
    USUAL_AXIOMS.contains(&name)
}

/// Whether an axiom is called as those are that `native_decide` makes.
pub fn is_of_native_decide(name: &str) -> bool {
    name.contains("_native.native_decide.")
}

/// What axioms mean, by their whole names. `allowed` are a person's patterns, beside the usual ones. Also those that decide it.
pub fn verdict_of(axioms: &[String], allowed: &[String]) -> (KernelVerdict, Vec<String>) {
    let is_of_compiler = |name: &str| {
        matches!(name, "Lean.trustCompiler" | "Lean.ofReduceBool" | "Lean.ofReduceNat")
            || is_of_native_decide(name)
    };
    let is_allowed = |name: &String| allowed.iter().any(|pattern| name_matches(pattern, name));
    if axioms.iter().any(|name| name == "sorryAx") {
        return (KernelVerdict::Open, vec!["sorryAx".to_owned()]);
    }
    let others = axioms.iter().filter(|name| !is_usual_axiom(name) && !is_allowed(name));
    let others: Vec<String> = others.cloned().collect();
    let verdict = match others.as_slice() {
        [] => KernelVerdict::Accepted,
        names if names.iter().all(|name| is_of_compiler(name)) => KernelVerdict::Compiler,
        _ => KernelVerdict::Axioms,
    };
    (verdict, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axioms_decide() {
        for (axioms, verdict) in [
            ("", KernelVerdict::Accepted),
            ("propext Classical.choice Quot.sound", KernelVerdict::Accepted),
            ("propext sorryAx", KernelVerdict::Open),
            ("A.tall", KernelVerdict::Axioms),
            ("My.propext", KernelVerdict::Axioms),
            ("A.mine", KernelVerdict::Accepted),
            ("A.mine_too", KernelVerdict::Axioms),
            ("Lean.ofReduceBool Lean.trustCompiler", KernelVerdict::Compiler),
            ("A.f._native.native_decide.ax_1_1 propext", KernelVerdict::Compiler),
            ("A.f._native.native_decide.ax_1_1 A.tall", KernelVerdict::Axioms),
            ("sorryAx A.tall", KernelVerdict::Open),
        ] {
            let axioms: Vec<String> = axioms.split_whitespace().map(str::to_owned).collect();
            assert_eq!(verdict_of(&axioms, &["A.mine".to_owned()]).0, verdict, "{axioms:?}");
        }
    }
}

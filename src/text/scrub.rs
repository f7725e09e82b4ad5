//! What must not be stored: secrets, and what the person marked as private.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

const REMOVED: &str = "[secret removed]";

/// In a text beyond this length a key may stand that no look at its bytes tells from a name.
const SHORT: usize = 4096;

/// Keys whose form gives them away.
const FORMATS: &str = concat!(
    r"(?-u:\b)(?:",
    // Anthropic, OpenAI and those who followed them.
    r"sk-(?:ant|proj|or|svcacct|admin|lf)-[A-Za-z0-9_-]{16,}",
    r"|sk-[A-Za-z0-9]{20,}",
    r"|(?:gsk_|xai-|pplx-|tvly-|r8_)[A-Za-z0-9]{20,}",
    r"|arstl_[A-Za-z0-9_-]{16,}",
    // Code and packages.
    r"|gh[pousr]_[A-Za-z0-9]{20,}",
    r"|github_pat_[A-Za-z0-9_]{20,}",
    r"|gl(?:pat|dt|rt|rtr|cbt|ptt|ft|soat|imt|agent)-[A-Za-z0-9_-]{20,}",
    r"|npm_[A-Za-z0-9]{36}",
    r"|pypi-[A-Za-z0-9_-]{40,}",
    r"|(?P<plain>(?:hf_|ntn_|fw_|api_org_)[A-Za-z0-9]{30,})",
    r"|dckr_pat_[A-Za-z0-9_-]{20,}",
    r"|cio[A-Za-z0-9]{32}(?-u:\b)",
    // Clouds, payments, messages.
    r"|A(?:KIA|SIA|BIA|CCA)[0-9A-Z]{16}",
    r"|AIza[0-9A-Za-z_-]{35}",
    r"|ya29\.[0-9A-Za-z_-]{20,}",
    r"|GOCSPX-[0-9A-Za-z_-]{20,}",
    r"|[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"|whsec_[A-Za-z0-9+/]{24,}",
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"|xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
    r"|dop_v1_[a-f0-9]{64}",
    r"|SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}",
    r"|hvs\.[A-Za-z0-9_-]{20,}",
    r"|shp(?:at|ca|pa|ss)_[a-f0-9]{32}",
    r"|lin_api_[A-Za-z0-9]{32,}",
    r"|AGE-SECRET-KEY-1[0-9A-Z]{40,}",
    r"|dapi[a-f0-9]{32}|(?:key|pul|tskey|PMAK|NRAK|HRKU)-[A-Za-z0-9-]{27,}",
    r"|(?:figd|sbp|nfp|glsa|glc|sgp|pscale_tkn|pscale_pw|pcsk|lsv2_pt|lsv2_sk|rubygems|nvapi|tfp)[_-][A-Za-z0-9_-]{30,}",
    r"|(?:xkeysib|sntryu|sntrys)[_-][A-Za-z0-9=_/+-]{40,}|sq0[ac][ts]p-[A-Za-z0-9_-]{22,}",
    r"|(?:ATATT3|ATBB|ATCTT3)[A-Za-z0-9_=-]{20,}|LTAI[A-Za-z0-9]{16,}|AKCp[A-Za-z0-9]{40,}",
    r"|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9.]{40,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}",
    r"|[0-9]{8,10}:[A-Za-z0-9_-]{35}(?-u:\b)|1//0[A-Za-z0-9_-]{30,}|secret_[A-Za-z0-9]{40,}",
    r"|[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    r"|discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{30,}",
    r"|[a-f0-9]{32}-us[0-9]{1,2}(?-u:\b)",
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}",
    r")",
    r"|-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----",
    r"(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
);

/// Headers, addresses, options and assignments: what says that a secret follows, and the secret. `value`
/// and `variable` count only where they look random.
const NAMED: &str = concat!(
    r"(?i-u:\bbearer\s+)(?P<header>[A-Za-z0-9._~+/-]{12,}=*)",
    r"|(?i-u:\bauthorization:\s*basic\s+)(?P<basic>[A-Za-z0-9+/]{6,}=*)",
    r"|(?-u:\b)[a-z][a-z0-9+.-]{1,15}://[^\s/:@\x22'`]*:(?P<address>[^\s/@\x22'`]{3,})@",
    r"|(?-u:\b)https?://(?P<owner>[A-Za-z0-9_-]{20,})@",
    r"|(?-u:\s)(?:-u|--user)[\s=]+[\x22']?[^\s:\x22']+:(?P<login>[^\s\x22']{3,})",
    r"|(?-u:\s)--(?i-u:password|passwd|passphrase)[\s=]+[\x22']?(?P<option>[^\s\x22'-][^\s\x22']{3,})",
    r"|(?-u:\s)--(?i-u:(?:[a-z]+-)?(?:token|api-?key|secret))[\s=]+[\x22']?(?P<long>[^\s\x22']{8,})",
    r"|(?i-u:(?:set-)?cookie:)\s*(?P<cookie>[^\x22'\n]{8,})",
    r"|(?-u:\b)machine\s+\S+\s+login\s+\S+\s+password\s+(?P<netrc>\S+)",
    r"|(?-u:\b)sshpass\s+-p\s*[\x22']?(?P<sshpass>[^\s\x22']+)",
    r"|[?&](?:sig|[A-Za-z0-9_-]*[Ss]ignature|code)=(?P<signed>[A-Za-z0-9%+/_.-]{16,})",
    // The words of a quoted value belong together.
    r"|(?i-u:(?:password|passwd|passphrase|client_secret)\\?[\x22']?\s*=\s*)\\?\x22(?P<quoted>[^\x22\n\\]{4,})",
    r"|(?i-u:(?:password|passwd|passphrase|client_secret)\\?[\x22']?\s*=\s*)\\?'(?P<single>[^'\n\\]{4,})",
    r"|(?i-u:\\?[\x22'](?:password|passwd|passphrase|client_secret)\\?[\x22']\s*:\s*)\\?[\x22'](?P<json>[^\x22'\n\\]{4,})",
    r"|(?i-u:(?:password|passwd|passphrase)\s*=\s*)(?P<password>[^\s\x22',;&]{4,})",
    r"|(?i-u:(?:password|passwd|passphrase|secret|token|credential|(?:api|access|account|private|secret|auth)[_-]?key)s?)",
    // A blank before the colon is how Lean writes a type, and nobody a header.
    r"(?:\\?[\x22']\s*[:=]|:|\s*=)\s*\\?[\x22']?(?P<value>[^\s\x22',;&=\\][^\s\x22',;&\\]{7,})",
    r"|(?-u:\b)[A-Z][A-Z0-9_]{2,}=[\x22']?(?P<variable>[A-Za-z0-9+/_-]{32,}=*)",
);

/// Letters, digits and what else a word is made of: nearly `\w`, which takes far longer to compile.
macro_rules! of_word {
    () => {
        r"0-9A-Za-z_\u{aa}\u{b5}\u{ba}\u{c0}-\u{1fff}\u{2071}-\u{218f}\u{24b6}-\u{24e9}\u{2c00}-\u{2fff}\u{3001}-\u{10ffff}-"
    };
}

/// A password in plain words: one with a digit to the next blank, any other to the end of its clause.
const SPOKEN: &str = concat!(
    r"\b(?:(?i:password|passwd|passphrase|passcode|passwort|kennwort|mot\s+de\s+passe|pin|secret\s+key)",
    r"(?:\s+(?i:for|of|to|on|du|de|des|pour|von|vom|für|zum|zur)(?:\s+[.@",
    of_word!(),
    r"]+){1,3}?)?(?:\s+(?i:is|ist|est|lautet)\s*:?\s+[\x22'`]?|:\s+)",
    r"|(?i:my|our|mon|notre|mein|unser)\s+(?:[",
    of_word!(),
    r"]+\s+){0,2}?",
    r"(?i:password|passphrase|passcode|passwort|kennwort|mot\s+de\s+passe|pin|secret\s+key),\s+)",
    r"(?P<told>[^\s\x22'`]*[0-9][^\s\x22'`]*|[^\s\x22'`]*[^\s\x22'`.,;:!?)}](?:[ \t]+[",
    of_word!(),
    r"]+){0,7})",
);

/// What a sentence about passwords goes on with.
const ORDINARY: &str = " a an the not no in on at of for to too so very only just now still there here what that \
    this it its my your ask wrong right correct bad good weak strong long short empty missing \
    unknown invalid valid fine ok optional secret public private hidden mandatory never always \
    also old new known safe then when if where same different hard easy one and or but please i you \
    we they is are do don’t can could should will would use give type enter see let set kept read \
    nicht kein keine ein eine der die das im auf zu falsch richtig leer noch nur sehr immer wo was \
    pas un une le la dans faux vide requis trop encore toujours string str nat option ";

static SPOKEN_RULE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(SPOKEN).ok());
static BY_FORMAT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(FORMATS).ok());
static BY_NAME: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(NAMED).ok());

/// Replaces keys, tokens and passwords by a mark.
///
/// Known forms are found anywhere; other values only where what stands before them says what they are
/// (`password=...`, `TOKEN: ...`, `Bearer ...`, `https://user:password@`), or where an environment
/// variable is set to something long and random. A rule is compiled when it first could match, which takes
/// longer than a look at the bytes.
pub fn scrub(text: &str) -> Cow<'_, str> {
    let may = May::of(text);
    if may == May::default() {
        return Cow::Borrowed(text);
    }
    by_rules(text, may)
}

fn by_rules(text: &str, may: May) -> Cow<'_, str> {
    let rule = |may: bool, rule: &'static LazyLock<Option<Regex>>| {
        if may { rule.as_ref() } else { None }
    };
    let text = without_torn_key(text);
    let text = replace(text, rule(may.by_format, &BY_FORMAT), |found| {
        let whole = found.get(0)?;
        // A name in camel case has fewer different letters than a key of that length.
        let is_secret =
            found.name("plain").is_none_or(|key| entropy(key.as_str().as_bytes()) > 4.2);
        is_secret.then(|| whole.range())
    });
    let text = replace(text, rule(may.by_name, &BY_NAME), |found| {
        for (name, needed) in PARTS {
            let Some(part) = found.name(name) else { continue };
            let is_secret = *needed == 0.0 || is_random(part.as_str(), *needed);
            return (is_secret && !is_reference(part.as_str())).then(|| part.range());
        }
        None
    });
    replace(text, rule(may.spoken, &SPOKEN_RULE), |found| {
        let told = found.name("told")?;
        let value = told.as_str().trim_end_matches(|c: char| ".,;:!?)]}".contains(c));
        let is_secret = !value.is_empty() && !is_reference(value) && !is_ordinary(value);
        is_secret.then(|| told.start()..told.start() + value.len())
    })
}

fn is_ordinary(value: &str) -> bool {
    let first = value.split([' ', '\t', ',']).next().unwrap_or_default().to_lowercase();
    let is_form = ["ed", "ing", "able", "ible"].iter().any(|end| first.ends_with(end));
    ORDINARY.contains(&format!(" {first} "))
        || is_form && first.bytes().all(|b| b.is_ascii_alphabetic())
}

/// The groups of [`NAMED`] and the bits per character that a value needs to count; 0 for any value.
const PARTS: &[(&str, f64)] = &[
    ("header", 2.5),
    ("basic", 0.0),
    ("address", 0.0),
    ("owner", 2.5),
    ("login", 0.0),
    ("option", 0.0),
    ("long", 2.5),
    ("cookie", 2.5),
    ("netrc", 0.0),
    ("sshpass", 0.0),
    ("signed", 2.5),
    ("quoted", 0.0),
    ("single", 0.0),
    ("json", 0.0),
    ("password", 0.0),
    ("value", 2.5),
    ("variable", 4.2),
];

/// A value that only says where the secret is, or that was replaced already.
fn is_reference(value: &str) -> bool {
    value.starts_with(['$', '<', '{']) || value.starts_with("[secret") || value.starts_with("***")
}

/// Takes out the end of a private key whose beginning was cut away: the lines of it that are there.
fn without_torn_key(text: &str) -> Cow<'_, str> {
    let Some(end) = text.find("-----END ").filter(|end| !text[..*end].contains("-----BEGIN "))
    else {
        return Cow::Borrowed(text);
    };
    let line = text[end..].lines().next().unwrap_or_default();
    let Some(length) = line.find("PRIVATE KEY-----").map(|at| at + "PRIVATE KEY-----".len()) else {
        return Cow::Borrowed(text);
    };
    // Line breaks are those of the key, or what JSON makes of them.
    let key = |c: char| c.is_ascii_alphanumeric() || "+/=\\\r\n".contains(c);
    let mut start = text[..end].trim_end_matches(key).len();
    // Lines of a patch, and lines with their numbers before them.
    let begin = text[..end].rfind('\n').map_or(0, |at| at + 1);
    let lines = text[..begin].split_inclusive('\n').rev().enumerate();
    // Only the last line of a key is short.
    let lines = lines.take_while(|(at, line)| is_key_line(line, if *at == 0 { 1 } else { 16 }));
    let of_key: usize = lines.map(|(_, line)| line.len()).sum();
    if of_key > 0 {
        start = start.min(begin - of_key);
    }
    Cow::Owned(format!("{}{REMOVED}{}", &text[..start], &text[end + length..]))
}

/// Whether a line holds at least so many letters of a key and nothing else, but for what marks a line
/// of a listing.
fn is_key_line(line: &str, least: usize) -> bool {
    let marks = |c: char| c.is_ascii_digit() || " \t+-|>→:".contains(c);
    let line = line.trim();
    let letters = line.trim_start_matches(marks);
    letters.len() >= least
        && letters.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b))
}

/// Which of the rules could match.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct May {
    by_format: bool,
    by_name: bool,
    spoken: bool,
}

impl May {
    /// What a look at the bytes says, much cheaper than the rules.
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut may = Self { by_format: bytes.len() > SHORT, ..Self::default() };
        let (mut run, mut letters, mut digits) = (0_usize, 0_usize, false);
        let (mut unbroken, mut is_long, mut is_set) = (0_usize, false, false);
        for (at, byte) in bytes.iter().enumerate() {
            unbroken = if byte.is_ascii_whitespace() { 0 } else { unbroken + 1 };
            is_long |= unbroken >= 12;
            letters = if byte.is_ascii_alphanumeric() { letters + 1 } else { 0 };
            if letters > 0 || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'.') {
                run += 1;
                digits |= byte.is_ascii_digit();
                may.by_format |= letters >= 16 || (run >= 12 && digits);
            } else {
                (run, digits) = (0, false);
            }
            let rest = &bytes[at..];
            let begins = |word: &str| {
                let here = rest.get(..word.len());
                here.is_some_and(|here| here.eq_ignore_ascii_case(word.as_bytes()))
            };
            let stands = |word: &str| {
                begins(word) && !rest.get(word.len()).is_some_and(u8::is_ascii_alphanumeric)
            };
            match byte.to_ascii_lowercase() {
                b'p' => {
                    let is_password = begins("pass");
                    may.by_name |= is_password;
                    may.spoken |= is_password || stands("pin");
                }
                b's' => {
                    let is_secret = begins("secret");
                    may.by_name |= is_secret || begins("sig=") || begins("signature=");
                    may.spoken |= is_secret;
                }
                b'k' => {
                    may.by_name |= begins("key");
                    may.spoken |= begins("kennwort");
                }
                b't' => may.by_name |= begins("token"),
                b'c' => {
                    may.by_name |= begins("credential") || begins("cookie:") || begins("code=");
                }
                b'b' => may.by_name |= begins("bearer") || begins("basic"),
                b'-' => {
                    may.by_name |= stands("-u") || begins("--user");
                    may.by_format |= begins("-----");
                }
                b':' => may.by_name |= begins("://"),
                b'=' => is_set = true,
                _ => {}
            }
        }
        // A variable that is set to something random; a key without digits beside a word for it.
        may.by_name |= is_set && may.by_format;
        may.by_format |= is_long && (may.by_name || may.spoken);
        may
    }
}

/// Takes out `<private>...</private>`, in any case, nested or not; one that is never closed reaches to
/// the end, and one that is closed without a beginning from there: the beginning may have been cut off.
pub fn without_private(text: &str) -> Cow<'_, str> {
    let parts = private_parts(text);
    if parts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut from = 0;
    for part in parts {
        kept.push_str(&text[from..part.start]);
        from = part.end;
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// A text as it may be kept: without private parts and secrets.
pub fn keepable(text: &str) -> Cow<'_, str> {
    match without_private(text) {
        Cow::Borrowed(text) => scrub(text),
        Cow::Owned(text) => Cow::Owned(scrub(&text).into_owned()),
    }
}

/// Where the private parts of a text are, their marks included, in order and apart from each other.
pub fn private_parts(text: &str) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, _) in text.match_indices('<') {
        let Some((closes, end)) = private_mark(&text[at..]) else { continue };
        match (closes, depth) {
            (false, _) => {
                start = if depth == 0 { at } else { start };
                depth += 1;
            }
            (true, 0) => {
                parts.clear();
                parts.push(0..at + end);
            }
            (true, 1) => {
                depth = 0;
                parts.push(start..at + end);
            }
            (true, _) => depth -= 1,
        }
    }
    if depth > 0 {
        parts.push(start..text.len());
    }
    parts
}

/// Whether a text begins with the mark that opens or closes a private part, and how long that is:
/// `<private>`, `< Private reason="x">`, `</private >`.
fn private_mark(text: &str) -> Option<(bool, usize)> {
    /// A mark that goes on for longer is none.
    const LONGEST: usize = 200;
    let inner = text.strip_prefix('<')?.trim_start_matches([' ', '\t']);
    let (closes, name) = match inner.strip_prefix('/') {
        Some(rest) => (true, rest.trim_start_matches([' ', '\t'])),
        None => (false, inner),
    };
    let (word, rest) = name.split_at_checked("private".len())?;
    let begins = word.eq_ignore_ascii_case("private")
        && rest.starts_with(|c: char| c == '>' || c.is_ascii_whitespace());
    let end = text.len() - rest.len() + rest.find('>').filter(|_| begins)? + 1;
    (end <= LONGEST).then_some((closes, end))
}

/// Replaces what `secret` finds in each match.
fn replace<'t>(
    text: Cow<'t, str>,
    rule: Option<&Regex>,
    secret: impl Fn(&Captures<'_>) -> Option<Range<usize>>,
) -> Cow<'t, str> {
    let Some(rule) = rule else { return text };
    let found: Vec<Range<usize>> =
        rule.captures_iter(&text).filter_map(|captures| secret(&captures)).collect();
    if found.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for range in found {
        out.push_str(&text[end..range.start]);
        out.push_str(REMOVED);
        end = range.end;
    }
    out.push_str(&text[end..]);
    Cow::Owned(out)
}

/// A value that no person would say: letters and digits, with at least so many bits per character.
fn is_random(value: &str, bits: f64) -> bool {
    let has = |test: fn(&u8) -> bool| value.as_bytes().iter().any(test);
    has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic) && entropy(value.as_bytes()) >= bits
}

/// Shannon entropy in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = f64::from(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
    counts
        .into_iter()
        .filter(|count| *count > 0)
        .map(|count| {
            let share = f64::from(count) / total;
            -share * share.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests;

//! Plain text: clipping to a width, cleaning what came from outside, taking out secrets. No Lean, no IO.

mod clean;
mod clip;
mod digits;
mod glob;
mod letter;
mod mend;
mod near;
mod plural;
mod scrub;
mod since;
pub mod tolerant_json;
mod vocabulary;

pub use clean::{clean, clean_block, clean_json, clean_page};
pub use clip::{
    capitalised, clip, clip_middle, cut_middle, first_sentence, listed, one_line, says, spaced,
    width,
};
pub use digits::{ByNumber, Numbers, hash, hex};
pub use glob::{glob_matches, is_among, name_matches};
pub use letter::without_mark;
pub use mend::mend_json;
pub use near::{base_name, has_name, name_words, nearest};
pub use plural::{counted, in_bytes, plural, times};
pub use scrub::{keepable, private_parts, scrub, without_private};
pub use since::{parse_time, since, span, time_text};
pub(crate) use vocabulary::vocabulary;

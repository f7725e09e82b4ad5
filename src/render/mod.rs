//! Reports become text. Nothing here decides anything or reads anything.
//!
//! Every view takes its report, the width of the page and, where it shows relative times, `now`. Text
//! from a database is cleaned before it is shown.

mod said;

pub use said::said;

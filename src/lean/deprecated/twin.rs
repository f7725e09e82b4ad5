//! The second declaration that `to_additive` makes of one.

use super::additive::additive_name;
use super::attribute;
use crate::lean::records::Declaration;
use crate::lean::sig;

/// The full name of the additive declaration, given or guessed; `None` if there is none.
pub fn additive_twin(declaration: &Declaration) -> Option<String> {
    let name = declaration.name.as_deref()?;
    let attribute = declaration.attributes.iter().find(|a| a.starts_with("to_additive"))?;
    let sigs = sig::read(attribute).sigs;
    let given = attribute::target(attribute, sigs.get(1..)?).map(|sig| sig.text(attribute));
    let twin = additive_name(name, given);
    (twin != name).then_some(twin)
}

//! Pragmas by which a name is another one to the linker: `#pragma weak a = b`, `#pragma redefine_extname a b`.

use super::Reader;

impl Reader<'_> {
    /// Notes the variables and functions that pragmas give to others, wherever they stand.
    pub(super) fn note_second_names(&mut self) {
        let renamed: Vec<String> = self
            .unit
            .pragmas
            .iter()
            .filter_map(|pragma| {
                let text = String::from_utf8_lossy(&self.text[pragma.range.clone()]);
                renamed_by(&text).map(str::to_owned)
            })
            .collect();
        if renamed.is_empty() {
            return;
        }
        for number in 0..self.unit.symbols.len() {
            let name = self.unit.symbols[number].name.map(|name| self.unit.names.text(name));
            if name.is_some_and(|name| renamed.iter().any(|renamed| renamed == name)) {
                self.unit.symbols[number].attributes.is_alias = true;
            }
        }
    }
}

/// The name that a pragma makes another one.
fn renamed_by(pragma: &str) -> Option<&str> {
    let words = pragma.trim_start_matches('#').trim_start().strip_prefix("pragma")?.trim_start();
    if let Some(rest) = words.strip_prefix("weak ") {
        return rest.split_once('=').map(|(name, _)| name.trim());
    }
    words.strip_prefix("redefine_extname ")?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_others_are_found() {
        assert_eq!(renamed_by("#pragma weak other = target"), Some("other"));
        assert_eq!(renamed_by("# pragma redefine_extname other target"), Some("other"));
        // It may be missing, but is no other one.
        assert_eq!(renamed_by("#pragma weak other"), None);
        assert_eq!(renamed_by("#pragma pack(1)"), None);
    }
}

//! `#pragma pack`.

use super::Reader;

/// The state of `#pragma pack`.
#[derive(Default)]
pub(super) struct Packing {
    current: Option<u64>,
    saved: Vec<Option<u64>>,
    /// So many pragmas have been looked at.
    done: usize,
}

impl Packing {
    /// Applies the words of a pragma: `pack(push, 1)`.
    fn apply(&mut self, text: &str) {
        let Some(rest) = text.trim_start_matches('#').trim_start().strip_prefix("pragma") else { return };
        let Some(rest) = rest.trim_start().strip_prefix("pack") else { return };
        let Some((inside, _)) = rest.trim_start().strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
            return;
        };
        let mut words = inside.split(',').map(str::trim).peekable();
        match words.peek() {
            Some(&"push") => self.saved.push(self.current),
            Some(&"pop") => self.current = self.saved.pop().flatten(),
            _ => self.current = None,
        }
        if let Some(bytes) = words.find_map(|word| word.parse::<u64>().ok()).filter(|bytes| bytes.is_power_of_two()) {
            self.current = Some(bytes);
        }
    }
}

impl Reader<'_> {
    /// The largest alignment of members, in bytes, as pragmas in front of the next token say it.
    pub(super) fn current_packing(&mut self) -> Option<u64> {
        while let Some(pragma) = self.unit.pragmas.get(self.packing.done).filter(|pragma| pragma.before <= self.at) {
            self.packing.apply(&String::from_utf8_lossy(&self.text[pragma.range.clone()]));
            self.packing.done += 1;
        }
        self.packing.current
    }
}

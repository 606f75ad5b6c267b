//! Pragmas that say how the loop below them is compiled: nothing may come in between.

use super::lowering::Lowering;
use super::uncounted_loops::is_loop;
use crate::frontend::c::unit;

impl Lowering<'_> {
    /// Where the first of the pragmas begins that stand just in front of a loop, and say how it is compiled.
    pub fn hint_above(&self, id: unit::StatementId) -> Option<usize> {
        let statement = self.unit.statement(id);
        if !is_loop(&statement.kind) {
            return None;
        }
        let mut begin = statement.range.start as usize;
        let mut found = None;
        let first = self.unit.pragmas.partition_point(|pragma| pragma.range.start < begin);
        for pragma in self.unit.pragmas[..first].iter().rev() {
            let between = self.input.text.get(pragma.range.end..begin)?;
            if !between.trim_ascii().is_empty() {
                break;
            }
            begin = pragma.range.start;
            let text = String::from_utf8_lossy(&self.input.text[pragma.range.clone()]);
            if is_for_loop(&text) {
                let range = u32::try_from(pragma.range.start).ok()?..u32::try_from(pragma.range.end).ok()?;
                found = Some(self.span(&range).start);
            }
        }
        found
    }
}

/// Does a pragma speak of the loop below it? Those of OpenMP and OpenACC do, where they are not ignored, and then their function is left alone.
fn is_for_loop(pragma: &str) -> bool {
    let mut words = pragma.trim_start_matches('#').split_whitespace().skip_while(|word| *word == "pragma");
    let first = words.next().unwrap_or_default();
    let second = words.next().unwrap_or_default();
    let others = ["STDC", "message", "once", "weak", "region", "endregion", "redefine_extname", "omp", "acc"];
    let is_other = others.contains(&first) || first.starts_with("pack");
    let is_setting = ["diagnostic", "optimize", "push_options", "pop_options", "visibility", "target", "warning"];
    !(is_other || matches!(first, "GCC" | "clang") && is_setting.contains(&second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pragmas_of_loops_are_told_from_others() {
        for pragma in [
            "#pragma GCC unroll 4",
            "# pragma ivdep",
            "#pragma clang loop unroll(full)",
            "#pragma nounroll",
            "#pragma simd",
        ] {
            assert!(is_for_loop(pragma), "{pragma}");
        }
        for pragma in [
            "#pragma GCC diagnostic push",
            "#pragma pack(1)",
            "#pragma STDC FP_CONTRACT OFF",
            "#pragma omp parallel for",
        ] {
            assert!(!is_for_loop(pragma), "{pragma}");
        }
    }
}

//! Procedures that sweep over a grid.

use fastrand::Rng;

use super::generator::{Grid, happens, one_of};

/// A nest of two loops: of any reach, sometimes with something that keeps it whole.
pub fn sweep(random: &mut Rng, grid: &Grid, index: usize) -> String {
    let (rows, columns) = grid.names();
    let offset = |random: &mut Rng| [-1, 0, 0, 1][random.usize(..4)];
    let terms: Vec<String> = (0..random.usize(1..=4))
        .map(|_| {
            let (across, along) = (offset(random), offset(random));
            format!("{}d-1 * a(i{across:+}, j{along:+})", random.u32(1..=4))
        })
        .collect();
    // Sometimes each iteration needs the one before.
    let target = one_of(random, &["b", "b", "b", "b", "a"]);
    let extra = one_of(
        random,
        &[
            "",
            "",
            "",
            "        tally = b(i, j)\n",
            "        b(i, j) = b(i, j) + rate\n",
            "        if (b(i, j) > 5d0) b(i, j) = 0.5d0 * b(i, j)\n",
        ],
    );
    let needs_rate = extra.contains("rate");
    let value = match (needs_rate, random.u32(..5)) {
        (_, 0) => "    rate = a(0, 1)\n",
        (_, 1) => "    rate = dble(runs)\n",
        (true, _) | (_, 2) => "    rate = 0.25d0\n",
        _ => "",
    };
    let declared = if !value.is_empty() || happens(random, 30) { "    double precision :: rate\n" } else { "" };
    let first = one_of(random, &["1", "1", "2"]);
    let intent = if target == "a" { "inout" } else { "in" };
    format!(
        "{head}    double precision, intent({intent}) :: a{shape}\n    double precision, intent(inout) :: b{shape}\n{declared}\
        \x20   integer :: i, j\n{value}    do j = {first}, {columns}\n      do i = 1, {rows}\n        {target}(i, j) = {sum}\n{extra}\
        \x20     end do\n    end do\n  end subroutine sweep{index}\n\n",
        head = grid.head(&format!("sweep{index}"), "a, b"),
        shape = grid.shape(),
        sum = terms.join(" + "),
    )
}

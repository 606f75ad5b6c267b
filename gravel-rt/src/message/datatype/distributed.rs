//! One process's part of an array that is distributed over a grid of processes (MPI_Type_create_darray, MPI 4.0, section 5.1.4).

use super::blocks::Blocks;
use super::layout::order_of;

/// What the MPI side writes for MPI_DISTRIBUTE_CYCLIC, whose number each MPI chooses. MPI_DISTRIBUTE_BLOCK is 0 and
/// MPI_DISTRIBUTE_NONE 2.
const CYCLIC: i64 = 1;
const NONE: i64 = 2;

/// The data of the part, from the arguments: the processes, the rank among them, the number of dimensions; of each dimension its
/// length, how it is distributed, in blocks of which length and over how many processes; and the order of the dimensions. Nothing
/// if they make no sense.
pub(super) fn part_of(arguments: &[i32], element: &Blocks, extent: i64) -> Option<Blocks> {
    let integer = |place: usize| arguments.get(place).map(|&integer| i64::from(integer));
    let dimensions = usize::try_from(integer(2)?).ok()?;
    let list = |which: usize| {
        let from = 3 + which * dimensions;
        let range = arguments.get(from..from + dimensions)?;
        Some(range.iter().map(|&integer| i64::from(integer)).collect::<Vec<_>>())
    };
    let (lengths, kinds, blocks, processes) = (list(0)?, list(1)?, list(2)?, list(3)?);
    // Ranks are numbered along the last dimension of the grid first, whatever the order of the array.
    let mut rest = integer(1)?;
    let mut coordinates = vec![0; dimensions];
    for (coordinate, &along) in coordinates.iter_mut().zip(&processes).rev() {
        *coordinate = rest.checked_rem(along)?;
        rest = rest.checked_div(along)?;
    }
    let (mut part, mut step) = (element.clone(), extent);
    for dimension in order_of(integer(3 + 4 * dimensions)?, dimensions)? {
        let (length, along) = (lengths[dimension], processes[dimension]);
        let block = match (kinds[dimension], blocks[dimension]) {
            (NONE, _) => length,
            (CYCLIC, block) if block > 0 => block,
            (CYCLIC, _) => 1,
            (_, block) if block > 0 => block,
            (_, _) => length.checked_add(along - 1)?.checked_div(along)?,
        };
        let dealt = Dealt { length, block, along, coordinate: coordinates[dimension] };
        part = dealt.of(&part, step)?;
        step = step.checked_mul(length)?;
    }
    Some(part)
}

/// A dimension of which blocks are dealt out to processes in turn.
struct Dealt {
    length: i64,
    block: i64,
    /// How many processes there are along it.
    along: i64,
    /// The one of these whose part it is.
    coordinate: i64,
}

impl Dealt {
    /// What the process gets of elements that lie `step` bytes apart.
    fn of(&self, element: &Blocks, step: i64) -> Option<Blocks> {
        let whole_blocks = self.length.checked_div(self.block)?;
        let own =
            if self.coordinate < whole_blocks { (whole_blocks - self.coordinate - 1) / self.along + 1 } else { 0 };
        let width = self.block.checked_mul(step)?;
        let blocks = element.repeated(self.block, step)?.repeated(own, width.checked_mul(self.along)?)?;
        // The last one may be shorter.
        let rest = if whole_blocks % self.along == self.coordinate { self.length % self.block } else { 0 };
        let parts = [(blocks, self.coordinate), (element.repeated(rest, step)?, whole_blocks)];
        Blocks::joined(parts.into_iter().map(|(part, block)| Some((part, width.checked_mul(block)?))))
    }
}

//! Parts of arrays: one that lies in the middle of another, and that of one process (MPI 4.0, sections 5.1.3 and 5.1.4).

use super::blocks::Blocks;

/// What the MPI side writes for MPI_ORDER_C, whose number each MPI chooses, and for MPI_ORDER_FORTRAN.
pub(super) const ORDER_C: i64 = 0;
/// See [`ORDER_C`].
const ORDER_FORTRAN: i64 = 1;

/// What the MPI side writes for MPI_DISTRIBUTE_CYCLIC, whose number each MPI chooses. MPI_DISTRIBUTE_BLOCK is 0 and
/// MPI_DISTRIBUTE_NONE 2.
const CYCLIC: i64 = 1;
const NONE: i64 = 2;

/// The arguments of a constructor.
struct Arguments<'a>(&'a [i32]);

impl Arguments<'_> {
    fn number(&self, place: usize) -> Option<i64> {
        self.0.get(place).map(|&number| i64::from(number))
    }

    fn list(&self, from: usize, count: usize) -> Option<Vec<i64>> {
        let numbers = self.0.get(from..from.checked_add(count)?)?;
        Some(numbers.iter().map(|&number| i64::from(number)).collect())
    }
}

/// The dimensions of an array, the fastest one first. Nothing if the order is none.
fn order_of(order: i64, dimensions: usize) -> Option<Vec<usize>> {
    match order {
        ORDER_C => Some((0..dimensions).rev().collect()),
        ORDER_FORTRAN => Some((0..dimensions).collect()),
        _ => None,
    }
}

/// The data of a part in the middle, from the arguments of MPI_Type_create_subarray: the number of dimensions; of each dimension its
/// length, that of the part and where that begins; and the order of the dimensions.
pub(super) fn subarray(arguments: &[i32], element: &Blocks, extent: i64) -> Option<Blocks> {
    let arguments = Arguments(arguments);
    let dimensions = usize::try_from(arguments.number(0)?).ok()?;
    let list = |which: usize| arguments.list(1 + which * dimensions, dimensions);
    let (lengths, own, starts) = (list(0)?, list(1)?, list(2)?);
    let (mut part, mut step, mut place) = (element.clone(), extent, 0_i64);
    for dimension in order_of(arguments.number(1 + 3 * dimensions)?, dimensions)? {
        part = part.repeated(own[dimension], step)?;
        place = place.checked_add(starts[dimension].checked_mul(step)?)?;
        step = step.checked_mul(lengths[dimension])?;
    }
    Blocks::joined(std::iter::once(Some((part, place))))
}

/// The data of one process's part, from the arguments of MPI_Type_create_darray: the processes, the rank among them, the number of dimensions; of each dimension its
/// length, how it is distributed, in blocks of which length and over how many processes; and the order of the dimensions. Nothing
/// if they make no sense.
pub(super) fn distributed(arguments: &[i32], element: &Blocks, extent: i64) -> Option<Blocks> {
    let arguments = Arguments(arguments);
    let dimensions = usize::try_from(arguments.number(2)?).ok()?;
    let list = |which: usize| arguments.list(3 + which * dimensions, dimensions);
    let (lengths, kinds, blocks, processes) = (list(0)?, list(1)?, list(2)?, list(3)?);
    // Ranks are numbered along the last dimension of the grid first, whatever the order of the array.
    let mut rest = arguments.number(1)?;
    let mut coordinates = vec![0; dimensions];
    for (coordinate, &along) in coordinates.iter_mut().zip(&processes).rev() {
        *coordinate = rest.checked_rem(along)?;
        rest = rest.checked_div(along)?;
    }
    let (mut part, mut step) = (element.clone(), extent);
    for dimension in order_of(arguments.number(3 + 4 * dimensions)?, dimensions)? {
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

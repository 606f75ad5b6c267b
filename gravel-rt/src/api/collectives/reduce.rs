//! Sums, minima and maxima over all ranks.

use super::Call;
use crate::api::{Element, Gravel};
use crate::error::Result;

/// What a reduction does with the values of two ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reduction {
    /// Adds them. Integers wrap around.
    Sum,
    /// Takes the smaller one. A NaN of any rank is the result; -0 is smaller than 0.
    Min,
    /// Takes the larger one. A NaN of any rank is the result; -0 is smaller than 0.
    Max,
}

mod sealed {
    pub trait Sealed {}
}

/// Numbers that can be reduced. Implemented here only.
pub trait Reducible: Element + sealed::Sealed {
    #[doc(hidden)]
    fn reduce(self, other: Self, reduction: Reduction) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Reducible for $type {
            fn reduce(self, other: Self, reduction: Reduction) -> Self {
                match reduction {
                    Reduction::Sum => self.wrapping_add(other),
                    Reduction::Min => self.min(other),
                    Reduction::Max => self.max(other),
                }
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! floats {
    ($($type:ty)*) => {$(
        impl sealed::Sealed for $type {}
        impl Reducible for $type {
            fn reduce(self, other: Self, reduction: Reduction) -> Self {
                // The library's `min` and `max` lose a NaN, and leave open which zero they take.
                match reduction {
                    Reduction::Sum => self + other,
                    _ if self.is_nan() => self,
                    _ if other.is_nan() => other,
                    Reduction::Min => if self.total_cmp(&other).is_le() { self } else { other },
                    Reduction::Max => if self.total_cmp(&other).is_ge() { self } else { other },
                }
            }
        }
    )*};
}

floats!(f32 f64);

impl Gravel {
    /// Reduces the values of all ranks, element by element, and gives all ranks the result. Collective; all ranks give
    /// equally many values.
    ///
    /// The order of the additions depends on the number of ranks alone, and all ranks get the same bits.
    ///
    /// ```
    /// # fn main() -> gravel::Result<()> {
    /// # let gravel = gravel::Gravel::from_environment()?;
    /// use gravel::Reduction;
    ///
    /// let mut sums = [1.0, gravel.rank() as f64];
    /// gravel.all_reduce(&mut sums, Reduction::Sum)?;
    /// assert_eq!(sums[0], gravel.ranks() as f64);
    ///
    /// let residual = gravel.all_reduce_value(0.25, Reduction::Max)?;
    /// assert_eq!(residual, 0.25);
    /// # gravel.finalize()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the lengths differ, or a rank has died. The values are lost then.
    #[doc(alias = "MPI_Allreduce")]
    pub fn all_reduce<T: Reducible>(&self, values: &mut [T], reduction: Reduction) -> Result<()> {
        let reduced = self.reduce_to_first(values, reduction);
        let outcome = self.broadcast_in(Call::Reduce, values, 0, reduced);
        outcome.map_err(|error| Call::Reduce.failed(error))
    }

    /// As [`Gravel::all_reduce`], of one value.
    ///
    /// # Errors
    /// As [`Gravel::all_reduce`].
    pub fn all_reduce_value<T: Reducible>(&self, value: T, reduction: Reduction) -> Result<T> {
        let mut values = [value];
        self.all_reduce(&mut values, reduction)?;
        Ok(values[0])
    }

    /// Leaves the result at rank 0: along a binomial tree, each rank with those behind it, the nearest first.
    fn reduce_to_first<T: Reducible>(&self, values: &mut [T], reduction: Reduction) -> Result<()> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let mut outcome = Ok(());
        let mut theirs = Vec::new();
        let mut distance = 1;
        while distance < ranks {
            if rank & distance != 0 {
                let told = self.tell(Call::Reduce, values, rank - distance, &outcome);
                return outcome.and(told);
            }
            let child = rank + distance;
            if child < ranks {
                theirs.clear();
                theirs.extend_from_slice(values);
                let heard = self.hear(Call::Reduce, &mut theirs, child);
                outcome = outcome.and(heard);
                for (mine, &theirs) in values.iter_mut().zip(&theirs) {
                    *mine = mine.reduce(theirs, reduction);
                }
            }
            distance *= 2;
        }
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_do_not_depend_on_the_order_where_values_allow_it() {
        assert_eq!(200u8.reduce(100, Reduction::Sum), 44);
        assert_eq!((-3i32).reduce(2, Reduction::Min), -3);
        for (one, other) in [(0.0f64, -0.0), (-0.0, 0.0)] {
            assert!(one.reduce(other, Reduction::Min).is_sign_negative());
            assert!(one.reduce(other, Reduction::Max).is_sign_positive());
        }
        for reduction in [Reduction::Sum, Reduction::Min, Reduction::Max] {
            assert!(f32::NAN.reduce(1.0, reduction).is_nan() && 1.0.reduce(f32::NAN, reduction).is_nan());
        }
    }
}

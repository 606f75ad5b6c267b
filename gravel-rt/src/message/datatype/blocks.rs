//! Where the bytes of an element, or of a whole message, lie: the runs of a type map, in its order, without a list of them.
//!
//! A vector of a hundred million blocks is a count, a stride and one block (as in the compiler's regions); only what the
//! program itself has given as a list is one. Runs that follow one another without a gap are one run, and a repetition of a
//! repetition is one where that is the same. All arithmetic is checked: what does not fit is not known.

use std::sync::Arc;

/// Bytes in memory, in the order in which a message has them. Places are relative to the address that the program gives.
#[derive(Debug, Clone)]
pub struct Blocks {
    /// Where the pattern's origin is.
    pub(super) place: i64,
    /// Nothing if there are no bytes.
    pub(super) pattern: Option<Arc<Pattern>>,
}

/// Bytes relative to an origin: that of their first run.
#[derive(Debug)]
pub(super) struct Pattern {
    /// How many; more than 0.
    pub(super) bytes: u64,
    /// Place of the lowest.
    start: i64,
    /// One past the place of the highest.
    end: i64,
    pub(super) form: Form,
}

#[derive(Debug)]
pub(super) enum Form {
    /// All of them, from the origin on.
    Run,
    /// The same so many times, each so many bytes behind the one before: a negative stride goes down.
    Repeated { count: u64, stride: i64, of: Arc<Pattern> },
    /// Runs: the place of each, and its bytes.
    Runs(Box<[(i64, u64)]>),
    /// Whatever else, each at its place.
    Sequence(Box<[(i64, Arc<Pattern>)]>),
}

impl Blocks {
    /// No bytes.
    pub const EMPTY: Self = Self { place: 0, pattern: None };

    /// So many bytes without a gap. Nothing if they can't be memory.
    pub fn run(place: i64, bytes: i64) -> Option<Self> {
        if bytes <= 0 {
            return (bytes == 0).then_some(Self::EMPTY);
        }
        place.checked_add(bytes)?;
        let pattern = Pattern { bytes: bytes.unsigned_abs(), start: 0, end: bytes, form: Form::Run };
        Some(Self { place, pattern: Some(Arc::new(pattern)) })
    }

    /// How many bytes these are.
    pub fn bytes(&self) -> u64 {
        self.pattern.as_ref().map_or(0, |pattern| pattern.bytes)
    }

    /// Place of the lowest byte, and one past that of the highest. Nothing without bytes.
    pub fn bounds(&self) -> Option<(i64, i64)> {
        let pattern = self.pattern.as_ref()?;
        // Checked when they were put together.
        Some((self.place + pattern.start, self.place + pattern.end))
    }

    /// Place and length, if all is one run in this order.
    pub fn as_run(&self) -> Option<(i64, u64)> {
        let pattern = self.pattern.as_ref()?;
        matches!(pattern.form, Form::Run).then_some((self.place, pattern.bytes))
    }

    /// These bytes `count` times, each `stride` bytes behind the ones before.
    pub fn repeated(&self, count: i64, stride: i64) -> Option<Self> {
        let Some(pattern) = self.pattern.as_ref().filter(|_| count > 0) else { return Some(Self::EMPTY) };
        if count == 1 {
            return Some(self.clone());
        }
        let last = stride.checked_mul(count - 1)?;
        let bytes = pattern.bytes.checked_mul(count.unsigned_abs()).filter(|&bytes| bytes <= i64::MAX as u64)?;
        let start = pattern.start.min(pattern.start.checked_add(last)?);
        let end = pattern.end.max(pattern.end.checked_add(last)?);
        self.place.checked_add(start)?;
        self.place.checked_add(end)?;
        let form = match &pattern.form {
            Form::Run if stride.unsigned_abs() == pattern.bytes && stride > 0 => Form::Run,
            &Form::Repeated { count: inner, stride: step, ref of }
                if i64::try_from(inner).ok().and_then(|inner| step.checked_mul(inner)) == Some(stride) =>
            {
                Form::Repeated { count: inner.checked_mul(count.unsigned_abs())?, stride: step, of: Arc::clone(of) }
            }
            _ => Form::Repeated { count: count.unsigned_abs(), stride, of: Arc::clone(pattern) },
        };
        Some(Self { place: self.place, pattern: Some(Arc::new(Pattern { bytes, start, end, form })) })
    }

    /// Several, each moved by its displacement, in this order. Nothing as soon as one of them is not known.
    pub fn joined(parts: impl Iterator<Item = Option<(Self, i64)>>) -> Option<Self> {
        let mut all: Vec<Self> = Vec::new();
        let mut bytes = 0_u64;
        for part in parts {
            let (part, displacement) = part?;
            let Some(pattern) = &part.pattern else { continue };
            let place = part.place.checked_add(displacement)?;
            place.checked_add(pattern.start)?;
            place.checked_add(pattern.end)?;
            bytes = bytes.checked_add(pattern.bytes).filter(|&bytes| bytes <= i64::MAX as u64)?;
            // A run that goes on where the last one has ended is a part of it.
            if let (Form::Run, Some(last)) = (&pattern.form, all.last_mut())
                && let Some((start, length)) = last.as_run()
                && start.checked_add_unsigned(length) == Some(place)
            {
                *last = Self::run(start, i64::try_from(length + pattern.bytes).ok()?)?;
                continue;
            }
            all.push(Self { place, ..part });
        }
        match all.as_slice() {
            [] => Some(Self::EMPTY),
            [one] => Some(one.clone()),
            [first, ..] => match regular_step(&all) {
                Some(step) => first.repeated(i64::try_from(all.len()).ok()?, step),
                None => Self::listed(first.place, &all, bytes),
            },
        }
    }

    /// Several that follow no rule.
    fn listed(origin: i64, all: &[Self], bytes: u64) -> Option<Self> {
        let (mut start, mut end) = (i64::MAX, i64::MIN);
        for part in all {
            let (low, high) = part.bounds()?;
            start = start.min(low.checked_sub(origin)?);
            end = end.max(high.checked_sub(origin)?);
        }
        let runs: Option<Box<[_]>> =
            all.iter().map(|part| part.as_run().map(|(place, bytes)| (place - origin, bytes))).collect();
        let form = match runs {
            Some(runs) => Form::Runs(runs),
            None => Form::Sequence(
                all.iter().filter_map(|part| Some((part.place - origin, Arc::clone(part.pattern.as_ref()?)))).collect(),
            ),
        };
        Some(Self { place: origin, pattern: Some(Arc::new(Pattern { bytes, start, end, form })) })
    }

    /// Whether `visit` says so of any run: each is shown as its place and one past its end.
    pub fn any_run(&self, visit: &mut dyn FnMut(i64, i64) -> bool) -> bool {
        self.pattern.as_ref().is_some_and(|pattern| pattern.any_run(self.place, visit))
    }

    /// Whether any byte lies in places `start..end`.
    pub fn touches(&self, start: i64, end: i64) -> bool {
        let (start, end) = (i128::from(start) - i128::from(self.place), i128::from(end) - i128::from(self.place));
        self.pattern.as_ref().is_some_and(|pattern| pattern.touches(start, end))
    }
}

/// The distance of neighbours, if all are the same and equally far apart.
fn regular_step(all: &[Blocks]) -> Option<i64> {
    let [first, second, ..] = all else { return None };
    let step = second.place.checked_sub(first.place)?;
    let is_same = |one: &Blocks, other: &Blocks| match (&one.pattern, &other.pattern) {
        (Some(one), Some(other)) => {
            Arc::ptr_eq(one, other)
                || (matches!((&one.form, &other.form), (Form::Run, Form::Run)) && one.bytes == other.bytes)
        }
        _ => false,
    };
    let is_regular =
        |pair: &[Blocks]| pair[1].place.checked_sub(pair[0].place) == Some(step) && is_same(&pair[0], &pair[1]);
    all.windows(2).all(is_regular).then_some(step)
}

impl Pattern {
    fn any_run(&self, origin: i64, visit: &mut dyn FnMut(i64, i64) -> bool) -> bool {
        match &self.form {
            Form::Run => visit(origin, origin + self.end),
            Form::Repeated { count, stride, of } => {
                (0..count.cast_signed()).any(|number| of.any_run(origin + number * stride, visit))
            }
            Form::Runs(runs) => {
                runs.iter().any(|&(place, bytes)| visit(origin + place, origin + place + bytes.cast_signed()))
            }
            Form::Sequence(parts) => parts.iter().any(|(place, part)| part.any_run(origin + place, visit)),
        }
    }

    /// Places are relative to the origin.
    fn touches(&self, start: i128, end: i128) -> bool {
        if start >= end || end <= i128::from(self.start) || start >= i128::from(self.end) {
            return false;
        }
        match &self.form {
            Form::Run => true,
            Form::Repeated { count, stride, of } => {
                // Those whose bounds reach into the places: all between two numbers.
                let (low, high, stride) = (i128::from(of.start), i128::from(of.end), i128::from(*stride));
                let (mut first, mut last) = (0, i128::from(*count) - 1);
                if stride > 0 {
                    first = first.max((start - high).div_euclid(stride) + 1);
                    last = last.min(-(low - end).div_euclid(stride) - 1);
                } else if stride < 0 {
                    first = first.max((low - end).div_euclid(-stride) + 1);
                    last = last.min(-(start - high).div_euclid(-stride) - 1);
                } else {
                    last = 0;
                }
                (first..=last).any(|number| of.touches(start - number * stride, end - number * stride))
            }
            Form::Runs(runs) => runs
                .iter()
                .any(|&(place, bytes)| i128::from(place) < end && start < i128::from(place) + i128::from(bytes)),
            Form::Sequence(parts) => {
                parts.iter().any(|(place, part)| part.touches(start - i128::from(*place), end - i128::from(*place)))
            }
        }
    }
}

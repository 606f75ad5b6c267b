//! Halos: the rows that need no message run before the wait, on the part of the field that is lent to none.

use std::error::Error;

use gravel::Gravel;

use super::{Log, bits, caught, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn blocking(comm: &Gravel, u: &mut [f64], v: &mut [f64], nx: usize, ny: usize, up: Option<usize>, down: Option<usize>) -> gravel::Result<()> {
        comm.send(&u[nx..2 * nx], up, 1)?;
        comm.send(&u[ny * nx..(ny + 1) * nx], down, 2)?;
        comm.receive(&mut u[..nx], up, 2)?;
        comm.receive(&mut u[(ny + 1) * nx..], down, 1)?;
        for i in 1..=ny {
            for j in 1..nx - 1 {
                let k = i * nx + j;
                v[k] = 0.25 * (u[k - nx] + u[k + nx] + u[k - 1] + u[k + 1]);
            }
        }
        Ok(())
    }
}

overlap! {
    [unordered]
    fn packed(comm: &Gravel, u: &mut Vec<f64>, v: &mut Vec<f64>, (top, bottom): (&mut [f64], &mut [f64]), nx: usize, up: usize, down: usize) -> Result<f64, Box<dyn Error>> {
        let ny = v.len() / nx - 2;
        for j in 0..nx {
            top[j] = u[nx + j];
            bottom[j] = u[ny * nx + j];
        }
        let weight = 0.125;
        comm.send_receive(&top[..], up, &mut u[(ny + 1) * nx..], down, 1)?;
        let last = ny * nx;
        comm.send_receive(&bottom[..], down, &mut u[..nx], up, 2)?;
        let mut sum = weight;
        for i in 1..ny + 1 {
            for j in 0..nx {
                let here = u[i * nx + j];
                let mut around = 0.0;
                if j > 0 {
                    around += u[i * nx + j - 1];
                } else {
                    around = around - here;
                }
                v[i * nx + j] = here * 0.5 + weight * (u[(i - 1) * nx + j] + u[(i + 1) * nx + j]).abs().sqrt() + around * (i as f64);
            }
        }
        sum += v[last];
        Ok(sum + weight)
    }
}

overlap! {
    fn in_a_line<T: gravel::plain::Number>(comm: &Gravel, u: &mut [T], v: &mut [T], half: T, n: usize, left: usize, right: usize) -> gravel::Result<()> {
        comm.send(&u[1..2], left, 1)?;
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        comm.receive(&mut u[n + 1..], right, 1)?;
        for i in 1..=n {
            v[i] = half * (u[i - 1] + u[i + 1]);
        }
        Ok(())
    }
}

struct Plate {
    old: Vec<f64>,
    new: Vec<f64>,
    columns: usize,
    rows: usize,
    weight: f64,
}

overlap! {
    impl Plate {
        fn step(&mut self, comm: &Gravel, next: usize, prev: usize) -> gravel::Result<(usize, usize)> {
            let columns = self.columns;
            comm.send(&self.old[self.rows * columns..(self.rows + 1) * columns], next, 3)?;
            let status = comm.receive(&mut self.old[0..columns], prev, 3)?;
            for i in 1..self.rows + 1 {
                for j in 0..columns {
                    self.new[i * columns + j] = self.weight * self.old[(i - 1) * columns + j] + self.old[i * columns + j];
                }
            }
            let status = status.expect("a message");
            Ok((status.source, columns))
        }
    }
}

overlap! {
    fn of_part(comm: &Gravel, u: &mut [f64], v: &mut [f64], nx: usize, ny: usize, next: usize, prev: usize) -> gravel::Result<()> {
        // Of the field's first rows none is touched, nor lent.
        comm.send(&u[4 * nx..5 * nx], next, 4)?;
        comm.receive(&mut u[2 * nx..3 * nx], prev, 4)?;
        for i in 3..ny {
            for j in 0..nx {
                v[i * nx + j] = u[(i - 1) * nx + j] - u[i * nx + j];
            }
        }
        u[0] = v[3 * nx];
        Ok(())
    }
}

overlap! {
    fn two_rows(comm: &Gravel, u: &mut [f64], v: &mut [f64], nx: usize, ny: usize, up: usize, down: usize) -> gravel::Result<()> {
        comm.send(&u[2 * nx..4 * nx], up, 5)?;
        comm.send(&u[ny * nx..(ny + 2) * nx], down, 6)?;
        comm.receive(&mut u[..2 * nx], up, 6)?;
        comm.receive(&mut u[(ny + 2) * nx..], down, 5)?;
        for i in 2..ny + 2 {
            for j in 0..nx {
                let k = i * nx + j;
                v[k] = 0.5 * (u[k - 2 * nx] + u[k + 2 * nx]) - u[k - nx] + u[k];
            }
        }
        Ok(())
    }
}

overlap! {
    fn three_points(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize, right: usize) -> gravel::Result<()> {
        comm.send(&u[n..n + 3], right, 7)?;
        comm.receive(&mut u[..3], left, 7)?;
        for i in 3..n + 3 {
            v[i] = u[i - 3] * 0.5 + u[i];
        }
        Ok(())
    }
}

pub fn halos(comm: &Gravel, log: &mut Log) -> Outcome {
    let (rank, ranks) = (comm.rank(), comm.ranks());
    let (next, prev) = neighbours(comm);
    let (up, down) = (rank.checked_sub(1), Some(rank + 1).filter(|&it| it < ranks));
    for (nx, ny) in [(5, 7), (30, 4), (3, 3), (2, 5), (8, 2), (8, 1)] {
        let all = nx * (ny + 2);
        let (mut u, mut v) = (numbers(comm, all), vec![0.0; all]);
        blocking(comm, &mut u, &mut v, nx, ny, up, down)?;
        log.push(format!("blocking {nx} {ny}: {:x} {:x}", bits(&u), bits(&v)));
        let (mut top, mut bottom) = (vec![0.0; nx], vec![0.0; nx]);
        for _ in 0..3 {
            let sum = packed(comm, &mut u, &mut v, (&mut top, &mut bottom), nx, prev, next)?;
            std::mem::swap(&mut u, &mut v);
            log.push(format!("packed {nx} {ny}: {:x} {:x} {sum}", bits(&u), bits(&v)));
        }
        in_a_line(comm, &mut u, &mut v, 0.5, all - 2, prev, next)?;
        log.push(format!("in a line {all}: {:x}", bits(&v)));
        let mut plate = Plate { old: u, new: v, columns: nx, rows: ny, weight: 0.3 };
        let said = plate.step(comm, next, prev)?;
        log.push(format!("plate {nx} {ny}: {:x} {said:?}", bits(&plate.new)));
        if ny > 4 {
            of_part(comm, &mut plate.old, &mut plate.new, nx, ny, next, prev)?;
            log.push(format!("part {nx} {ny}: {:x} {:x}", bits(&plate.old), bits(&plate.new)));
        }
    }
    for (nx, ny) in [(6, 9), (6, 5), (6, 4), (6, 3), (6, 2), (6, 1), (1, 12)] {
        let all = nx * (ny + 4);
        let (mut u, mut v) = (numbers(comm, all), vec![0.0; all]);
        for _ in 0..2 {
            two_rows(comm, &mut u, &mut v, nx, ny, prev, next)?;
            std::mem::swap(&mut u, &mut v);
            log.push(format!("two rows {nx} {ny}: {:x} {:x}", bits(&u), bits(&v)));
        }
        three_points(comm, &mut u, &mut v, ny, prev, next)?;
        log.push(format!("three points {ny}: {:x} {:x}", bits(&u), bits(&v)));
    }
    // Whole numbers, of which arithmetic may end the program.
    let (mut u, mut v) = ((0..12i32).collect::<Vec<_>>(), vec![0; 12]);
    in_a_line(comm, &mut u, &mut v, 3, 10, prev, next)?;
    log.push(format!("whole numbers {v:?}"));
    Ok(())
}

overlap! {
    fn in_place(comm: &Gravel, u: &mut [f64], n: usize, left: usize, right: usize) -> gravel::Result<f64> {
        let mut sum = 0.0;
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            u[i] = 0.5 * (u[i - 1] + u[i]);
        }
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            sum = sum * 0.5 + u[i - 1];
        }
        Ok(sum)
    }
}

overlap! {
    fn needed_inside(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize, right: usize) -> gravel::Result<()> {
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            v[i] = u[i - 1] + u[0];
        }
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            // Each row is written by two iterations: the later one counts.
            v[i / 2] = u[i - 1];
        }
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            v[n - i] = u[n - i + 1] + u[i - 1];
        }
        Ok(())
    }
}

overlap! {
    fn of_counts(comm: &Gravel, u: &mut [f64], v: &mut [f64], shift: usize, n: usize, left: usize, right: usize) -> gravel::Result<()> {
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            let k = i + 3 - shift;
            v[k] = u[i - 1] + (i * 2) as f64;
        }
        Ok(())
    }
}

overlap! {
    fn divided(comm: &Gravel, u: &mut [i64], v: &mut [i64], by: i64, n: usize, left: usize, right: usize) -> gravel::Result<()> {
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            let mut part = u[i - 1] / (by - u[i]);
            part += 7;
            v[i] = part.pow(2);
        }
        Ok(())
    }
}

overlap! {
    fn with_neighbour(comm: &Gravel, u: &mut [f64], v: &mut [f64], w: &[f64], n: usize, left: usize, right: usize) -> gravel::Result<()> {
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            if w[i] > 0.0 {
                v[i] = u[i - 1] * w[i + 1];
            }
        }
        Ok(())
    }
}

overlap! {
    [skip(split-loop, strip-mine-consumer)]
    fn left_out(comm: &Gravel, u: &mut [f64], v: &mut [f64], n: usize, left: usize, right: usize) -> gravel::Result<()> {
        comm.send(&u[n..n + 1], right, 2)?;
        comm.receive(&mut u[..1], left, 2)?;
        for i in 1..=n {
            v[i] = u[i - 1];
        }
        comm.send(&v[n..n + 1], right, 2)?;
        comm.receive(&mut v[..1], left, 2)?;
        // Names that are declared again are others.
        let n = n - 1;
        let u = &mut u[1..];
        for i in 1..=n {
            let v = v[i - 1] * 2.0;
            u[i] = v;
        }
        Ok(())
    }
}

pub fn traps_of_halos(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let n = 20;
    let (mut u, mut v, w) = (numbers(comm, n + 1), vec![0.0; n + 1], numbers(comm, n + 2));
    log.push(format!("in place {:?} {:x}", in_place(comm, &mut u, n, prev, next)?, bits(&u)));
    needed_inside(comm, &mut u, &mut v, n, prev, next)?;
    log.push(format!("inside {:x}", bits(&v)));
    with_neighbour(comm, &mut u, &mut v, &w, n, prev, next)?;
    left_out(comm, &mut u, &mut v, n, prev, next)?;
    log.push(format!("others {:x} {:x}", bits(&u), bits(&v)));
    for shift in 1..6 {
        caught(log, "counts", || Ok(of_counts(comm, &mut u, &mut v, shift, n, prev, next)?));
        log.push(format!("counts {shift} {:x}", bits(&v[..3])));
        comm.barrier()?;
    }
    for by in [1000, 9, 20] {
        let (mut u, mut v) = ((0..21).collect::<Vec<i64>>(), vec![0; 21]);
        caught(log, "divided", || Ok(divided(comm, &mut u, &mut v, by, n, prev, next)?));
        log.push(format!("divided {by} {v:?}"));
        comm.barrier()?;
    }
    // Arrays that are too short: the first iteration that panics is the one that panicked.
    for short in [0, 1, 2, 15, 19, 20] {
        let mut v = vec![0.0; short];
        caught(log, "short", || Ok(of_counts(comm, &mut u, &mut v, 3, n, prev, next)?));
        log.push(format!("short {short} {v:?}"));
        comm.barrier()?;
        caught(log, "short", || Ok(with_neighbour(comm, &mut u, &mut [0.0; 21], &w[..short], n, prev, next)?));
        comm.barrier()?;
    }
    for (nx, ny) in [(1, 5), (0, 5), (4, 0)] {
        let (mut u, mut v) = (numbers(comm, 40), vec![0.0; 40]);
        caught(log, "blocking", || Ok(blocking(comm, &mut u, &mut v, nx, ny, None, None)?));
        log.push(format!("blocking {nx} {ny} {:x}", bits(&v)));
    }
    Ok(())
}

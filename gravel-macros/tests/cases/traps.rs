//! Programs in which a careless version of the macro changes results.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::sync::atomic::{AtomicUsize, Ordering};

use gravel::Gravel;

use super::{Log, bits, caught, neighbours, numbers};

type Outcome = Result<(), Box<dyn Error>>;

overlap! {
    fn patched_step(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        out[3] = -1.0;
        comm.send_receive(&out[..], next, &mut inc[..], prev, 1)?;
        inc[5] += 1.0;
        for i in 0..out.len() {
            out[i] = inc[i] * 2.0;
        }
        Ok(())
    }
}

/// The message is changed behind the loop that fills it, and in front of the one that reads it.
pub fn patched(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 200], vec![0.0; 200]);
    patched_step(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("patched {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn rewritten_step(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64;
            out[0] = i as f64 * 10.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 2)?;
        for i in 0..inc.len() {
            inc[i] = inc[0] + inc[i];
        }
        Ok(())
    }
}

/// An element is written again by a later iteration; the reading loop writes what it reads.
pub fn rewritten(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 200], vec![0.0; 200]);
    rewritten_step(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("rewritten {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn recurrence_step(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        out[0] = 1.0;
        for i in 1..out.len() {
            out[i] = out[i - 1] * 1.01 + 0.5;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 3)?;
        for i in 0..out.len() - 1 {
            out[i] = inc[out.len() - 1 - i];
        }
        Ok(())
    }
}

/// Iterations read what earlier ones have filled; the message is read from its end.
pub fn recurrence(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 200], vec![0.0; 200]);
    recurrence_step(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("recurrence {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn needed_step(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..field.len() {
            field[i] += inc[i];
        }
        comm.send_receive(&field[..], next, &mut inc[..], prev, 4)?;
        for i in 0..out.len() {
            out[i] = inc[i] + inc[out.len() - 1];
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 4)?;
        Ok(())
    }
}

/// The loop above a receive needs the buffer's old contents; the one below needs its end from the beginning.
pub fn needed_in_loop(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut field, mut out, mut inc) = (numbers(comm, 150), vec![0.0; 150], numbers(comm, 150));
    needed_step(comm, &mut field, &mut out, &mut inc, next, prev)?;
    log.push(format!("needed {:x} {:x} {:x}", bits(&field), bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn same_key_step(comm: &Gravel, out: &mut [f64], first: &[f64], a: &mut [f64], b: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        comm.send(&first[..], next, 5)?;
        comm.send(&out[..], next, 5)?;
        comm.receive(&mut a[..], prev, 5)?;
        comm.receive(&mut b[..], prev, 5)?;
        for i in 0..a.len() {
            a[i] += 1.0;
        }
        for i in 0..b.len() {
            out[i] = b[i] * 3.0;
        }
        Ok(())
    }
}

/// Two messages of one key: their order is what tells them apart.
pub fn same_key(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, first) = (vec![0.0; 50], vec![9.0; 50]);
    let (mut a, mut b) = (vec![0.0; 50], vec![0.0; 50]);
    same_key_step(comm, &mut out, &first, &mut a, &mut b, next, prev)?;
    log.push(format!("same key {:x} {:x} {:x}", bits(&out), bits(&a), bits(&b)));
    Ok(())
}

fn check(value: f64, limit: f64) -> Result<f64, Box<dyn Error>> {
    if value > limit { Err(format!("{value} is too large").into()) } else { Ok(value) }
}

overlap! {
    fn leaves_early(comm: &Gravel, out: &mut [f64], inc: &mut [f64], limit: f64, next: usize, prev: usize) -> Result<(), Box<dyn Error>> {
        for i in 0..out.len() {
            out[i] = check(i as f64, limit)?;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 6)?;
        for i in 0..out.len() {
            if inc[i] > limit - 10.0 {
                return Ok(());
            }
            out[i] += inc[i];
        }
        Ok(())
    }
}

/// A loop that may leave the function has sent nothing then: the next message of the key is the next one.
pub fn early_return(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    for limit in [50.0, 100.0, 1000.0] {
        let (mut out, mut inc) = (vec![0.0; 100], vec![0.0; 100]);
        let outcome = leaves_early(comm, &mut out, &mut inc, limit, next, prev).map_err(|error| error.to_string());
        log.push(format!("early {limit} {outcome:?} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn odd_steps(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<usize> {
        for i in (0..out.len()).step_by(2) {
            out[i] = i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 7)?;
        for i in (0..out.len()).rev() {
            out[i] = inc[i] - 1.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 7)?;
        let mut last = 0;
        'rows: for i in 0..out.len() {
            for j in 0..3 {
                if inc[i] > 100.0 {
                    break 'rows;
                }
                if j == 1 {
                    continue 'rows;
                }
                last = i;
            }
        }
        for i in 0..out.len() {
            if i == 77 {
                break;
            }
            out[i] = i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 7)?;
        Ok(last)
    }
}

/// Loops that are no simple ranges, or that are left.
pub fn odd_loops(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 200], vec![0.0; 200]);
    let last = odd_steps(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("odd {last} {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn saying(comm: &Gravel, said: &RefCell<Vec<String>>, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            said.borrow_mut().push(format!("{i}"));
            out[i] = i as f64;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 8)?;
        said.borrow_mut().push(String::from("sent"));
        for i in 0..inc.len() {
            said.borrow_mut().push(format!("{}", inc[i]));
        }
        Ok(())
    }
}

/// Effects in loops.
pub fn said_in_loop(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let said = RefCell::new(Vec::new());
    saying(comm, &said, &mut [0.0; 20], &mut [0.0; 20], next, prev)?;
    log.push(said.into_inner().join(" "));
    Ok(())
}

static SEEN: AtomicUsize = AtomicUsize::new(0);

overlap! {
    fn counting(comm: &Gravel, counter: &Cell<f64>, list: &RefCell<f64>, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            counter.set(counter.get() + 1.0);
            out[i] = counter.get();
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
        for i in 0..out.len() {
            out[i] = inc[i] + *list.borrow();
            *list.borrow_mut() += 1.0;
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 9)?;
        for i in 0..out.len() {
            out[i] = inc[i] + SEEN.fetch_add(1, Ordering::Relaxed) as f64;
        }
        Ok(())
    }
}

pub fn shared_counters(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    SEEN.store(0, Ordering::Relaxed);
    let (counter, list, mut out) = (Cell::new(0.5), RefCell::new(0.25), vec![0.0; 60]);
    counting(comm, &counter, &list, &mut out, &mut [0.0; 60], next, prev)?;
    log.push(format!("counters {} {:?} {:x}", counter.get(), list, bits(&out)));
    Ok(())
}

thread_local! {
    static CALLS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

fn remembered(i: usize) -> f64 {
    CALLS.with_borrow_mut(|calls| calls.push(i));
    i as f64
}

overlap! {
    fn calling(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = remembered(i);
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 10)?;
        for i in 0..inc.len() {
            inc[i] = remembered(inc[i] as usize);
        }
        Ok(())
    }
}

pub fn unknown_function(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    calling(comm, &mut [0.0; 30], &mut [0.0; 30], next, prev)?;
    log.push(format!("{:?}", CALLS.take()));
    Ok(())
}

fn sends_itself(comm: &Gravel, to: usize) -> gravel::Result<()> {
    comm.send(&[-5.0f64; 40], to, 11)
}

overlap! {
    fn hands_on(comm: &Gravel, out: &mut [f64], a: &mut [f64], b: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        sends_itself(comm, next)?;
        comm.send(&out[..], next, 11)?;
        comm.receive(&mut a[..], prev, 11)?;
        comm.receive(&mut b[..], prev, 11)?;
        Ok(())
    }
}

/// A function that is handed the communicator sends a message of the same key.
pub fn handed_on(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut a, mut b) = (vec![0.0; 40], vec![0.0; 40]);
    hands_on(comm, &mut [0.0; 40], &mut a, &mut b, next, prev)?;
    log.push(format!("handed on {a:?} {b:?}"));
    Ok(())
}

overlap! {
    fn in_one_arm(comm: &Gravel, out: &mut [f64], inc: &mut [f64], is_first: bool, next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64 * 0.5;
        }
        if is_first {
            comm.send(&out[..], next, 12)?;
        }
        if prev == 0 {
            comm.receive(&mut inc[..], prev, 12)?;
            for i in 0..inc.len() {
                out[i] += inc[i];
            }
        }
        Ok(())
    }
}

/// Only one rank sends what all have computed.
pub fn one_arm(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 80], vec![0.0; 80]);
    in_one_arm(comm, &mut out, &mut inc, comm.rank() == 0, next, prev)?;
    log.push(format!("one arm {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn elementary(comm: &Gravel, field: &mut [f64], out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        let h = 0.1;
        for i in 0..out.len() {
            let x = i as f64 * h;
            out[i] = x.sin() + (i as f64).exp();
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 13)?;
        for i in 0..field.len() {
            field[i] = inc[i].sin().powf(2.0) + field[i].cos().abs().ln();
        }
        Ok(())
    }
}

pub fn functions(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut field = numbers(comm, 300);
    elementary(comm, &mut field, &mut [0.0; 300], &mut [0.0; 300], next, prev)?;
    log.push(format!("functions {:x}", bits(&field)));
    Ok(())
}

overlap! {
    fn configured(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64;
        }
        #[cfg(any())]
        comm.send(&out[..], next, 14)?;
        #[cfg(all())]
        comm.send_receive(&out[..], next, &mut inc[..], prev, 14)?;
        #[cfg(any())]
        {
            out[0] = 5.0;
        }
        Ok(())
    }
}

pub fn with_cfg(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut inc = vec![0.0; 30];
    configured(comm, &mut [0.0; 30], &mut inc, next, prev)?;
    log.push(format!("cfg {:x}", bits(&inc)));
    Ok(())
}

overlap! {
    fn with_pointers(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        let pointer = out.as_mut_ptr();
        for i in 0..inc.len() {
            // SAFETY: both arrays have the same length, and nothing else uses this one meanwhile.
            unsafe { *pointer.add(i) = i as f64 };
        }
        comm.send_receive(&out[..], next, &mut inc[..], prev, 15)?;
        Ok(())
    }
}

pub fn not_safe(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut inc = vec![0.0; 30];
    with_pointers(comm, &mut [0.0; 30], &mut inc, next, prev)?;
    log.push(format!("pointers {:x}", bits(&inc)));
    Ok(())
}

overlap! {
    fn runs_on(comm: &Gravel, out: &mut [f64], inc: &mut [f64], n: usize, m: usize, told: &mut [f64]) -> gravel::Result<()> {
        for i in 0..n {
            told[0] = i as f64;
            out[i] = 1.0;
        }
        comm.send_receive(&out[..], None, &mut inc[..], None, 16)?;
        for i in 0..m {
            told[1] = i as f64;
            told[2] += inc[i];
        }
        Ok(())
    }
}

/// Loops that run beyond the message panic as they did, at the iteration at which they did.
pub fn too_long(comm: &Gravel, log: &mut Log) -> Outcome {
    for (n, m) in [(50, 50), (51, 50), (50, 51), (1000, 3), (0, 60), (0, 0), (usize::MAX, 1)] {
        let mut told = [-1.0; 3];
        let (mut out, mut inc) = (vec![0.0; 50], vec![2.0; 50]);
        caught(log, "too long", || Ok(runs_on(comm, &mut out, &mut inc, n, m, &mut told)?));
        log.push(format!("{n} {m} {told:?} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn looks_up(comm: &Gravel, table: &[f64], out: &mut [f64], inc: &mut [f64]) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = table[i] + 1.0;
        }
        comm.send_receive(&out[..], None, &mut inc[..], None, 17)?;
        for i in 0..inc.len() {
            out[i] = inc[i] + table[i * 2];
        }
        Ok(())
    }
}

/// An iteration between two tiles panics: by an index, and by what other arrays have.
pub fn panics_between(comm: &Gravel, log: &mut Log) -> Outcome {
    for length in [100, 99, 65, 64, 1, 0, 198, 199] {
        let (table, mut out, mut inc) = (vec![1.0; length], vec![0.0; 100], vec![2.0; 100]);
        caught(log, "looks up", || Ok(looks_up(comm, &table, &mut out, &mut inc)?));
        log.push(format!("{length} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn odd_section(comm: &Gravel, out: &mut [f64], inc: &mut [f64], a: usize, b: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = 1.5;
        }
        comm.send_receive(&out[a..b], None, &mut inc[a..b], None, 18)?;
        for i in a..b {
            out[i] = inc[i];
        }
        Ok(())
    }
}

/// Sections that are none: the loop above has run when the program panics.
pub fn bad_section(comm: &Gravel, log: &mut Log) -> Outcome {
    for (a, b) in [(0, 40), (0, 41), (30, 20), (41, 41), (40, 40)] {
        let (mut out, mut inc) = (vec![0.0; 40], vec![2.0; 40]);
        caught(log, "section", || Ok(odd_section(comm, &mut out, &mut inc, a, b)?));
        log.push(format!("{a} {b} {:x} {:x}", bits(&out), bits(&inc)));
    }
    Ok(())
}

overlap! {
    fn changing(comm: &Gravel, out: &mut [f64], inc: &mut [f64], next: usize, prev: usize) -> gravel::Result<usize> {
        let mut n = out.len();
        for i in 0..n {
            out[i] = i as f64;
            n = 10 + i / 2;
        }
        comm.send_receive(&out[..n], next, &mut inc[..n], prev, 19)?;
        n /= 2;
        for i in 0..n {
            out[i] = inc[i] + n as f64;
        }
        let mut to = next;
        for i in 0..n {
            out[i] += 1.0;
            to = (next + i * 0) % comm.ranks();
        }
        comm.send_receive(&out[..], to, &mut inc[..], prev, 19)?;
        Ok(n)
    }
}

/// What loops and calls are given changes on the way.
pub fn bounds_change(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut inc) = (vec![0.0; 90], vec![0.0; 100]);
    let n = changing(comm, &mut out, &mut inc, next, prev)?;
    log.push(format!("changing {n} {:x} {:x}", bits(&out), bits(&inc)));
    Ok(())
}

overlap! {
    fn twice(comm: &Gravel, out: &mut [f64], a: &mut [f64], b: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..out.len() {
            out[i] = i as f64 + 0.125;
        }
        comm.send_receive(&out[..], next, &mut a[..], prev, 20)?;
        comm.send_receive(&out[..], prev, &mut b[..], next, 21)?;
        for i in 0..out.len() {
            out[i] = a[i] - b[i];
        }
        Ok(())
    }
}

/// One buffer for two messages.
pub fn sent_twice(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let (mut out, mut a, mut b) = (vec![0.0; 300], vec![0.0; 300], vec![0.0; 300]);
    twice(comm, &mut out, &mut a, &mut b, next, prev)?;
    log.push(format!("twice {:x} {:x} {:x}", bits(&out), bits(&a), bits(&b)));
    Ok(())
}

overlap! {
    fn back_and_forth(comm: &Gravel, buffer: &mut [f64], next: usize, prev: usize) -> gravel::Result<()> {
        for i in 0..buffer.len() {
            buffer[i] = i as f64 + 0.125;
        }
        comm.send(&buffer[..], next, 22)?;
        comm.receive(&mut buffer[..], prev, 22)?;
        for i in 0..buffer.len() {
            buffer[i] *= 2.0;
        }
        Ok(())
    }
}

/// What is received takes the place of what was sent.
pub fn sent_and_received(comm: &Gravel, log: &mut Log) -> Outcome {
    let (next, prev) = neighbours(comm);
    let mut buffer = vec![0.0; 100];
    back_and_forth(comm, &mut buffer, next, prev)?;
    log.push(format!("back {:x}", bits(&buffer)));
    Ok(())
}

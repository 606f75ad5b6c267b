//! Which thread this is, as a number: without a call. To find a variable of the own thread is one in a library that is loaded.

/// A number that no other thread has that lives: the address of what the system keeps for it.
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
#[inline(always)]
pub fn this_thread() -> usize {
    let here;
    // SAFETY: the ABI of the system (System V, "ELF handling for thread-local storage", 3.4.6) puts the address of the thread's
    // control block into its first word; the instruction reads that one and changes nothing.
    unsafe { std::arch::asm!("mov {}, fs:0", out(reg) here, options(pure, readonly, nostack, preserves_flags)) };
    here
}

/// Likewise: the address of a variable of its own.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
pub fn this_thread() -> usize {
    thread_local! {
        static HERE: u8 = const { 0 };
    }
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_live_at_one_time_have_different_numbers() {
        let here = this_thread();
        assert_eq!(here, this_thread());
        std::thread::scope(|scope| {
            let (to_first, first) = std::sync::mpsc::channel::<()>();
            let other = scope.spawn(move || {
                let number = this_thread();
                // Lives until the other one has said who it is.
                let _ = first.recv();
                number
            });
            let another = scope.spawn(this_thread).join().expect("no panic");
            drop(to_first);
            let other = other.join().expect("no panic");
            assert!(here != other && here != another && other != another);
        });
    }
}

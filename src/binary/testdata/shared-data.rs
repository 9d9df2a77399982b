// Compiled by LLVM, whose debug information is unlike gcc's.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;

static COUNTER: AtomicUsize = AtomicUsize::new(0);
static FLAGS: [AtomicBool; 4] = [const { AtomicBool::new(false) }; 4];
static NUMBERS: Mutex<Vec<usize>> = Mutex::new(Vec::new());
static mut PAIRS: [(u8, u32); 3] = [(0, 0); 3];

fn work(number: usize) {
    COUNTER.fetch_add(number, Ordering::Relaxed);
    FLAGS[number].store(true, Ordering::SeqCst);
    NUMBERS.lock().unwrap().push(number);
    unsafe { PAIRS[number].1 += 1 }
}

fn main() {
    let threads: Vec<_> = (0..3).map(|i| std::thread::spawn(move || work(i))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    println!("{}", COUNTER.load(Ordering::SeqCst) + FLAGS[1].load(Ordering::SeqCst) as usize);
}

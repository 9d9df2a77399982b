/**
 * Types that are atomic by their name, where the language has no word for it as C has (`_Atomic`, which is
 * an entry of its own, DW_TAG_atomic_type):
 *
 *   C++    std::atomic<int>, std::atomic_flag, and what libstdc++ and libc++ derive them from. Classes of
 *          that name elsewhere (boost::atomics::atomic<int>) are meant, too.
 *   Rust   core::sync::atomic::AtomicU32, and AtomicPtr<T>; or Atomic<u32> as later versions have it
 *
 * `std::atomic_ref<int>` is not: it is a pointer to what is accessed atomically, which has a plain type.
 */
const CPP = /^(__)?atomic(_base|_float|_impl|_futex_unsigned_base)?<|^(__)?atomic_flag(_base)?$/;
const CPP_WITHOUT_PARAMETERS = /^(__)?atomic(_base|_float)?$/;
const RUST = /^Atomic(Bool|[IU](8|16|32|64|128|size)|Ptr<.*>|<.*>)$/;

/** The name with its scopes, as `EntryNames` gives it: `std::atomic<int>`. */
export function isAtomicName(qualified: string): boolean {
  const { scope, name } = split(qualified);
  if (CPP.test(name)) return true;
  // With -gsimple-template-names the parameters are left out; too little to go by outside of std.
  if (scope === 'std' || scope.startsWith('std::')) return CPP_WITHOUT_PARAMETERS.test(name);
  return scope.endsWith('sync::atomic') && RUST.test(name);
}

/** At the last `::` that is not within the parameters: `std` and `atomic<jobs::State>`. */
function split(qualified: string): { scope: string; name: string } {
  const parameters = qualified.indexOf('<');
  const at = qualified.lastIndexOf('::', parameters < 0 ? undefined : parameters);
  return at < 0
    ? { scope: '', name: qualified }
    : { scope: qualified.slice(0, at), name: qualified.slice(at + 2) };
}

/**
 * Types that are atomic by their name. DWARF 5 has a word for C's `_Atomic`, an entry of its own
 * (DW_TAG_atomic_type); others have none:
 *
 *   C      before DWARF 5, `_Atomic int` is told as `int`, and cannot be known. What <stdatomic.h> calls
 *          atomic_int, atomic_size_t and so on can, but not its atomic_flag, a structure without a name.
 *   C++    std::atomic<int>, std::atomic_flag, and what libstdc++ and libc++ derive them from. Classes of
 *          that name elsewhere (boost::atomics::atomic<int>) are meant, too.
 *   Rust   core::sync::atomic::AtomicU32, and AtomicPtr<T>; or Atomic<u32> as later versions have it
 *
 * `std::atomic_ref<int>` is not: it is a pointer to what is accessed atomically, which has a plain type.
 */
const CPP = /^(__)?atomic(_base|_float|_impl|_futex_unsigned_base)?<|^(__)?atomic_flag(_base)?$/;
const CPP_WITHOUT_PARAMETERS = /^(__)?atomic(_base|_float)?$/;
const C_NAME =
  /^atomic_(bool|u?(char|short|int|long|llong)|schar|char(8|16|32)_t|wchar_t|size_t|ptrdiff_t|u?int(ptr|max)_t|u?int_(least|fast)(8|16|32|64)_t)$/;
const RUST = /^Atomic(Bool|[IU](8|16|32|64|128|size)|Ptr<.*>|<.*>)$/;

/** The name of a structure or class with its scopes, as `EntryNames` gives it: `std::atomic<int>`. */
export function isAtomicRecord(qualified: string): boolean {
  const { scope, name } = split(qualified);
  if (CPP.test(name)) return true;
  // With -gsimple-template-names the parameters are left out; too little to go by outside of std.
  if (scope === 'std' || scope.startsWith('std::')) return CPP_WITHOUT_PARAMETERS.test(name);
  return scope.endsWith('sync::atomic') && RUST.test(name);
}

/** The name of a typedef, or of a basic type: gcc makes that of an atomic_int. */
export const isAtomicInC = (name: string): boolean => C_NAME.test(name);

/** At the last `::` that is not within the parameters: `std` and `atomic<jobs::State>`. */
function split(qualified: string): { scope: string; name: string } {
  const parameters = qualified.indexOf('<');
  const at = qualified.lastIndexOf('::', parameters < 0 ? undefined : parameters);
  return at < 0
    ? { scope: '', name: qualified }
    : { scope: qualified.slice(0, at), name: qualified.slice(at + 2) };
}

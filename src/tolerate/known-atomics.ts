/**
 * What debug information knows of atomic variables that plain instructions read and write: those at fixed addresses
 * have an atomic type, and what C++ does to one, wherever it lies, is code of the standard library, inlined.
 *
 *   box->ready.store(1, std::memory_order_release)      mov qword ptr [rdi], 1      at atomic_base.h:477, in put (box.cc:12)
 */
import type { ImageNames } from '../debugger/image-names.ts';
import type { KnownAtomics } from './sections/inside-actions.ts';

/** libstdc++'s, libc++'s, and what C shares with C++. */
const ATOMIC_CODE = /(^|\/)(atomic|atomic_base\.h|stdatomic\.h|__atomic\/\w+\.h)$/;

export const knownAtomics = (names: ImageNames): KnownAtomics => ({
  isVariable: (address) => names.isAtomic(address),
  isCode: (address) => ATOMIC_CODE.test(names.placeAt(address).file),
});

/**
 * Accesses that are atomic by what they were written as. On x86 an atomic load or store is a plain instruction, and
 * only the type of a global variable tells; but of C++ and Rust, debug information has the function that was inlined:
 *
 *   head.store(h + 1, std::memory_order_release)
 *   mov [rdi],eax      std::__atomic_base<unsigned int>::store, inlined into prod
 *
 * The innermost function counts: what a reference count calls when it comes to zero is none of its own.
 */
import type { Site } from '../report/model.ts';
import type { CaughtRace, CaughtSide } from './caught.ts';
import type { DebugTarget } from './debug-target.ts';
import { addressOf } from './watched-code.ts';

const NAMES = [
  /^std::(__\w+::)?_{0,2}(atomic|cxx_atomic)\w*(<.*>::|_load|_store|_exchange|_compare|_fetch|_flag|::)/,
  /^std::(__\w+::)?_Sp_counted_base<.*>::/,
  /^__gnu_cxx::__(exchange_and_add|atomic_add)(_dispatch)?$/,
  /^core::sync::atomic::/,
];

export const isAtomicMember = ({ function: name = '' }: Site): boolean =>
  NAMES.some((one) => one.test(name));

/** By a lock prefix, or by name. */
export async function areAtomicMembers(
  target: Pick<DebugTarget, 'sitesAt'>,
  { held, other }: CaughtRace,
): Promise<boolean> {
  const isOne = async ({ place }: CaughtSide): Promise<boolean> => {
    if (place === undefined || place.instruction.isAtomic) return place !== undefined;
    const [site] = await target.sitesAt(addressOf(place));
    return site !== undefined && isAtomicMember(site);
  };
  return other !== undefined && (await isOne(held)) && (await isOne(other));
}

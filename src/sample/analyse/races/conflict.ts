/** Whether two sites may race at all, by what their instructions do. */
import { SiteFlag } from '../code/place-table.ts';

/**
 * One of them must write. Atomic instructions do not race with each other; and a plain load is what an atomic load
 * is compiled to, so that it is not held against an atomic update either.
 */
export function mayRace(one: number, other: number): boolean {
  const isWritten = ((one | other) & SiteFlag.write) !== 0;
  if (!isWritten) return false;
  const [isOneAtomic, isOtherAtomic] = [isAtomic(one), isAtomic(other)];
  if (isOneAtomic && isOtherAtomic) return false;
  if (isOneAtomic) return (other & SiteFlag.write) !== 0;
  return isOtherAtomic ? (one & SiteFlag.write) !== 0 : true;
}

export const isAtomic = (flags: number): boolean => (flags & SiteFlag.atomic) !== 0;

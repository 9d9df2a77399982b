/**
 * Which races are the same: those of the same two source lines, and of the same variable if it has a name.
 *
 *   counter++ at pool.c:24 ‖ counter++ at pool.c:24       four pairs of loads and stores, one race
 *   put(&first, 1) ‖ put(&second, 1)                      line 10 of put in all of them, but two races
 *
 * Lines of headers that are for everybody (`/usr/include/c++/12/bits/stl_vector.h`, `include/linux/list.h`) say
 * nothing: what was inlined from there counts as the line that it was inlined into. Elements of an array are one.
 */
import type { Access, Race, Site } from '../report/model.ts';

/** `variable`: '' if nobody knows. */
export const raceKey = ({ accesses }: Pick<Race, 'accesses'>, variable: string): string =>
  [variableOf(variable), ...accesses.map(sideKey).sort()].join(' ');

/** `table[3].next` is one of `table[].next`, and `table+16` some of `table`. */
export const variableOf = (name: string): string =>
  name.replace(/\[\d+\]/g, '[]').replace(/\+\d+$/, '');

export function sideKey(access: Pick<Access, 'site' | 'stack'>): string {
  const { file, line, function: name, module, address } = ownSite(access);
  return file === undefined ? `${module} ${address}` : `${file}:${line ?? 0} ${name ?? ''}`;
}

/** Of the functions at its instruction, the innermost one that is not from a header for everybody. */
function ownSite({ site, stack }: Pick<Access, 'site' | 'stack'>): Site {
  const called = stack.findIndex(({ address }) => address !== site.address);
  const inlined = stack.slice(0, called < 0 ? stack.length : called);
  return inlined.find(({ file }) => file !== undefined && !isForEverybody(file)) ?? site;
}

const isForEverybody = (file: string): boolean => /(^|\/)include\//.test(file);

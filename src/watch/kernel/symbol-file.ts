/**
 * A list of symbols as text, System.map or /proc/kallsyms, in which modules have their names behind the symbols:
 *
 *   ffffffff812f4ab0 T vfs_read
 *   ffffffffc0201000 t lo_open	[loop]
 *
 * Modules are left out: they are elsewhere after each start, and found in the kernel's memory.
 */
import { BadBinary } from '../../binary/byte-reader.ts';
import type { KernelSymbol } from './symbols.ts';

/** Debian's System.map consists of a line that tells where the real one is; it has none. */
const FEWEST = 100;

export function parseSymbolFile(text: string): KernelSymbol[] {
  const symbols: KernelSymbol[] = [];
  for (const [, address = '', type = '', name = '', module] of text.matchAll(
    /^([0-9a-f]{8,16}) (\S) (\S+)(\t\[.*)?$/gm,
  )) {
    if (module === undefined) symbols.push({ name, type, address: BigInt(`0x${address}`) });
  }
  if (symbols.length < FEWEST) throw new BadBinary('it has no symbols of a kernel');
  if (symbols.filter(({ address }) => address !== 0n).length < FEWEST) {
    throw new BadBinary('all addresses in it are 0: /proc/kallsyms shows them to root only');
  }
  return symbols;
}

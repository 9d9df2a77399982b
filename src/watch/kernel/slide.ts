/**
 * How far a kernel is from where it was linked to be: kernels move at each start (KASLR), in steps of 2 MB, and a
 * file has the addresses before that. Found by what must be at one of them: `Linux version …`, at `linux_banner`.
 */
import { UserError } from '../../base/user-error.ts';
import type { ReadMemory } from '../gdb/remote-system.ts';
import { IMAGE } from './find-kernel.ts';
import type { KernelSymbol } from './symbols.ts';

const STEP = 0x200000n;
const BANNER = Buffer.from('Linux version ');

export async function movedSymbols(
  symbols: readonly KernelSymbol[],
  read: ReadMemory,
): Promise<KernelSymbol[]> {
  const banner = symbols.find(({ name }) => name === 'linux_banner')?.address;
  if (banner !== undefined) {
    const lowest = IMAGE.start + (banner % STEP);
    // Nearly always it is where the file has it, or above.
    const places = [banner];
    for (let at = lowest; at < IMAGE.end; at += STEP) places.push(at);
    for (const at of places) {
      const bytes = await read(at, BANNER.length);
      if (BANNER.equals(bytes)) return symbols.map((one) => moved(one, at - banner));
    }
  }
  throw new UserError(
    'the symbols of --kernel are not those of the kernel that runs',
    'give those of exactly that build, or leave out --kernel: they are looked for in memory',
  );
}

const moved = (symbol: KernelSymbol, slide: bigint): KernelSymbol =>
  symbol.address >= IMAGE.start ? { ...symbol, address: symbol.address + slide } : symbol;

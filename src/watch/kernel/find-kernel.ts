/**
 * Finds a running kernel's own list of symbols in its memory, wherever the kernel is. One address of its code is
 * enough to start from, such as where the processor goes for a division by zero: read-only data comes behind code.
 *
 *   IDT 0xfffffe0000000000 → its first entry → 0xffffffff99400a40 → 2 MB by 2 MB upwards → kallsyms.ts
 */
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import type { ReadMemory } from '../gdb/remote-system.ts';
import type { Stub } from '../gdb/stub.ts';
import { findTokens, readKallsyms } from './kallsyms.ts';
import type { KernelSymbol } from './symbols.ts';

/** Where kernels have their code, without modules. */
export const IMAGE = { start: 0xffffffff80000000n, end: 0xffffffffc0000000n } as const;
export const LARGE_PAGE = 0x200000n;
const PAGE = 4096;
/** No kernel is larger. */
const FURTHEST = 128n * 0x100000n;
/** So that tokens across the end of a large page are found. */
const OVERLAP = 1 << 14;

export const isKernelCode = (address: bigint): boolean =>
  address >= IMAGE.start && address < IMAGE.end;

/** An address in the kernel's code; undefined if no processor tells one. */
export async function kernelCodeAddress(stub: Stub): Promise<bigint | undefined> {
  return (await firstGate(stub)) ?? (await executedNow(stub));
}

/** QEMU tells where the table of interrupts is. */
async function firstGate(stub: Stub): Promise<bigint | undefined> {
  const told = await stub.connection.monitor('info registers');
  const [, table] = /IDT=\s*([0-9a-f]+)/.exec(told ?? '') ?? [];
  if (table === undefined) return undefined;
  const gate = Buffer.from(await stub.read(BigInt(`0x${table}`), 16));
  if (gate.length < 16) return undefined;
  const low = (gate.readUInt16LE(6) << 16) | gate.readUInt16LE(0);
  const address = (BigInt(gate.readUInt32LE(8)) << 32n) | BigInt(low >>> 0);
  return isKernelCode(address) ? address : undefined;
}

async function executedNow(stub: Stub): Promise<bigint | undefined> {
  for (const runner of stub.runners()) {
    const address = (await stub.registers(runner)).get('rip');
    if (isKernelCode(address)) return address;
  }
  return undefined;
}

export async function symbolsInMemory(read: ReadMemory, code: bigint): Promise<KernelSymbol[]> {
  const start = code - (code % LARGE_PAGE);
  let data: Buffer = Buffer.alloc(0);
  let searched = 0;
  for (let at = start; at < start + FURTHEST && at < IMAGE.end; at += LARGE_PAGE) {
    data = Buffer.concat([data, await largePage(read, at)]);
    const from = Math.max(0, searched - OVERLAP) & ~7;
    const table = findTokens(data.subarray(from));
    searched = data.length;
    if (table === undefined) continue;
    const moved = { ...table, start: table.start + from, end: table.end + from };
    for (const more of [1n, 2n]) {
      data = Buffer.concat([data, await largePage(read, at + more * LARGE_PAGE)]);
    }
    const symbols = readKallsyms(data, moved);
    if (symbols !== undefined) return symbols;
    break;
  }
  throw new UserError(
    'the kernel has no list of symbols (kallsyms) in its memory, or one of a kind that is not known',
    'give its symbols with --kernel FILE: a System.map, a copy of /proc/kallsyms as root sees it, or a vmlinux',
    ExitStatus.unavailable,
  );
}

/** Zeros where there is nothing. */
async function largePage(read: ReadMemory, start: bigint): Promise<Buffer> {
  const page = Buffer.alloc(Number(LARGE_PAGE));
  let at = 0;
  while (at < page.length) {
    const bytes = await read(start + BigInt(at), page.length - at);
    page.set(bytes, at);
    at += bytes.length;
    if (at >= page.length) break;
    // Nothing there: the next page.
    at = (Math.floor(at / PAGE) + 1) * PAGE;
  }
  return page;
}

/**
 * Which of a kernel's functions may have breakpoints: all but those that are run while a breakpoint is being handled,
 * or before the processor is ready for that, and those of the start, whose memory is used for something else since.
 */
import type { CodeFunction } from '../debug-target.ts';
import type { KernelSymbols } from './symbols.ts';

/** Symbols that stand around such code. */
const LEFT_OUT: readonly (readonly [string, string])[] = [
  ['__noinstr_text_start', '__noinstr_text_end'],
  ['__entry_text_start', '__entry_text_end'],
  ['__kprobes_text_start', '__kprobes_text_end'],
  ['__cpuidle_text_start', '__cpuidle_text_end'],
  ['_sinittext', '_einittext'],
];
const LEFT_OUT_NAMES =
  /^(asm_|exc_|sysvec_|native_|paravirt_|do_int3|poke_int3|text_poke|notify_die|__pfx_|__x86_|entry_|nmi|kgdb)/;

export const KERNEL = 'vmlinux';

export function watchedFunctions(symbols: KernelSymbols): CodeFunction[] {
  const start = symbols.find('_stext') ?? symbols.find('_text') ?? 0n;
  const end = symbols.find('_etext') ?? 1n << 64n;
  const leftOut = LEFT_OUT.flatMap(([from, to]) => {
    const [first, last] = [symbols.find(from), symbols.find(to)];
    return first === undefined || last === undefined ? [] : [[first, last] as const];
  });
  const functions: CodeFunction[] = [];
  for (const one of symbols.ranges()) {
    if (!/^[tTwW]$/.test(one.type) || one.start < start || one.end > end) continue;
    if (one.end === one.start || LEFT_OUT_NAMES.test(one.name)) continue;
    if (leftOut.some(([from, to]) => one.start >= from && one.start < to)) continue;
    functions.push({ name: one.name, module: KERNEL, start: one.start, end: one.end });
  }
  return functions;
}

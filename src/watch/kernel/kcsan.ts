/**
 * A race of a kernel as the kernel's own detector, KCSAN, prints it (kernel/kcsan/report.c), for parsers that read that:
 *
 *   ==================================================================
 *   BUG: KCSAN: data-race in drop_link / take_link
 *
 *   write to 0xffffffffc0203440 of 4 bytes by task 87 on cpu 1:
 *    take_link+0x12/0x40 [link_count]
 *    …
 *
 *   read to 0xffffffffc0203440 of 4 bytes by task 88 on cpu 0:
 *    drop_link+0x9/0x30 [link_count]
 *    …
 *
 *   value changed: 0x00000002 -> 0x00000003
 *
 *   Reported by Kernel Concurrency Sanitizer on:
 *   CPU: 0 PID: 88 Comm: drop
 *   ==================================================================
 *
 * The one that came second, while the other was held, is the first of the two. If nobody saw who changed the value,
 * there is one side only: 'race at unknown origin, with …'.
 */

export interface KcsanAccess {
  readonly address: bigint;
  readonly size: number;
  readonly isWrite: boolean;
  /** It reads what it writes: `add`, `xchg`. */
  readonly alsoReads: boolean;
  /** By a lock prefix, or otherwise such that the processor keeps it in one piece. */
  readonly isMarked: boolean;
  /** undefined in an interrupt. */
  readonly task: number | undefined;
  readonly processor: number;
  /** As `KernelSystem.frameText` has them; innermost first, and at least one. */
  readonly stack: readonly string[];
}

export interface KcsanRace {
  /** Who was held before the access. */
  readonly held: KcsanAccess;
  readonly heldName: string;
  readonly heldThread: number;
  readonly other: KcsanAccess | undefined;
  /** As numbers, if it was one of at most eight bytes. */
  readonly value: { readonly before: bigint; readonly after: bigint } | undefined;
}

const LINE = '='.repeat(66);

export function kcsanText({ held, heldName, heldThread, other, value }: KcsanRace): string {
  const reported = [
    '',
    'Reported by Kernel Concurrency Sanitizer on:',
    `CPU: ${held.processor} PID: ${heldThread} Comm: ${heldName}`,
  ];
  const sides = other
    ? ['', ...sideLines('', other), '', ...sideLines('', held)]
    : ['', ...sideLines('race at unknown origin, with ', held)];
  const lines = [LINE, title(held, other), ...sides];
  if (value && value.before !== value.after) {
    const digits = held.size * 2;
    const number = (one: bigint): string => `0x${one.toString(16).padStart(digits, '0')}`;
    lines.push('', `value changed: ${number(value.before)} -> ${number(value.after)}`);
  }
  return [...lines, ...reported, LINE, ''].join('\n');
}

/** The same race has the same title, whoever came first. */
function title(held: KcsanAccess, other: KcsanAccess | undefined): string {
  const start = 'BUG: KCSAN: data-race in';
  if (other === undefined) return `${start} ${held.stack[0] ?? '??'}`;
  const names = [functionOf(other), functionOf(held)].sort((a, b) => (a < b ? -1 : Number(a > b)));
  return `${start} ${names.join(' / ')}`;
}

/** Of `take_link+0x12/0x40 [link_count]`, with its module. */
const functionOf = ({ stack }: KcsanAccess): string =>
  (stack[0] ?? '??').replace(/\+0x[0-9a-f]+\/0x[0-9a-f]+/, '');

function sideLines(start: string, access: KcsanAccess): string[] {
  const { address, size, task, processor, stack } = access;
  const place = `0x${address.toString(16).padStart(16, '0')} of ${size} bytes`;
  const who = task === undefined ? 'interrupt' : `task ${task}`;
  return [
    `${start}${kind(access)} to ${place} by ${who} on cpu ${processor}:`,
    ...stack.map((frame) => ` ${frame}`),
  ];
}

function kind({ isWrite, alsoReads, isMarked }: KcsanAccess): string {
  const what = isWrite ? (alsoReads ? 'read-write' : 'write') : 'read';
  return isMarked ? `${what} (marked)` : what;
}

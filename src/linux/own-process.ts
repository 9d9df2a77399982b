/** What deadheat needs to know about itself. */
import { readFileSync, readlinkSync } from 'node:fs';
import { byteStrings, decodeBytes } from '../base/bytes.ts';
import { tryTo } from '../base/result.ts';

/**
 * Our own arguments without loss: Node has already replaced bytes that are not UTF-8 in
 * `process.argv`, so they are taken from the kernel. `skip` counts what precedes them (the node
 * binary and the script); options given to node itself come before those.
 */
export function ownArguments(skip = 2): string[] {
  const wanted = process.argv.length - skip;
  return wanted === 0 ? [] : byteStrings(readFileSync('/proc/self/cmdline')).slice(-wanted);
}

/** The current folder as a byte string, of which `process.cwd()` loses what is not UTF-8. */
export function ownFolder(): string {
  // Throws if it has been deleted, of which the link would only tell in its text.
  process.cwd();
  return decodeBytes(readlinkSync('/proc/self/cwd', { encoding: 'buffer' }));
}

/** Who traces us (and so, usually, all that we start), as `strace (pid 4711)`. */
export function ownTracer(): string | undefined {
  const tracer = /^TracerPid:\s*([1-9]\d*)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  if (tracer === undefined) return undefined;
  const name = readFileSync(`/proc/${tracer}/comm`, 'latin1').trim();
  return `${name} (pid ${tracer})`;
}

/** How long the calling thread has had a processor; 0 on kernels that do not count it. */
export function ownProcessorMs(): number {
  const counted = tryTo(() => readFileSync('/proc/thread-self/schedstat', 'latin1'));
  return counted.ok ? Number(counted.value.split(' ')[0]) / 1e6 : 0;
}

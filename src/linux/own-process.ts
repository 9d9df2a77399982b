/** What deadheat needs to know about itself. */
import { readFileSync } from 'node:fs';
import { byteStrings } from '../base/bytes.ts';

/**
 * Our own arguments without loss: Node has already replaced bytes that are not UTF-8 in
 * `process.argv`, so they are taken from the kernel. `skip` counts what precedes them (the node
 * binary and the script); options given to node itself come before those.
 */
export function ownArguments(skip = 2): string[] {
  const wanted = process.argv.length - skip;
  return wanted === 0 ? [] : byteStrings(readFileSync('/proc/self/cmdline')).slice(-wanted);
}

/** Who traces us (and so, usually, all that we start), as `strace (pid 4711)`. */
export function ownTracer(): string | undefined {
  const tracer = /^TracerPid:\s*([1-9]\d*)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  if (tracer === undefined) return undefined;
  const name = readFileSync(`/proc/${tracer}/comm`, 'latin1').trim();
  return `${name} (pid ${tracer})`;
}

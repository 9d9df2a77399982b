/** What deadheat needs to know about itself, or do to itself. */
import { readFileSync } from 'node:fs';
import { decodeBytes } from '../base/bytes.ts';

/**
 * Our own arguments without loss: Node has already replaced bytes that are not UTF-8 in
 * `process.argv`, so they are taken from the kernel. `skip` counts what precedes them (the node
 * binary and the script); options given to node itself come before those.
 */
export function ownArguments(skip = 2): string[] {
  const wanted = process.argv.length - skip;
  return wanted === 0 ? [] : byteStrings('/proc/self/cmdline').slice(-wanted);
}

/** `NAME=value` each, without loss. */
export function ownEnvironment(): string[] {
  return byteStrings('/proc/self/environ');
}

/** Who traces us (and so, usually, all that we start), as `strace (pid 4711)`. */
export function ownTracer(): string | undefined {
  const tracer = /^TracerPid:\s*([1-9]\d*)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1];
  if (tracer === undefined) return undefined;
  const name = readFileSync(`/proc/${tracer}/comm`, 'latin1').trim();
  return `${name} (pid ${tracer})`;
}

function byteStrings(path: string): string[] {
  const text = readFileSync(path);
  const strings: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(0, start);
    const stop = end < 0 ? text.length : end;
    strings.push(decodeBytes(text.subarray(start, stop)));
    start = stop + 1;
  }
  return strings;
}

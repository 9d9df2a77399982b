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

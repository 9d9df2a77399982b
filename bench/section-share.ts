/**
 * How much of what a program does lies in its critical sections: instructions of its own code that run there, of all
 * that it and its libraries run. Callgrind counts them one by one:
 *
 *   ob=(1) /usr/bin/zstd
 *   fn=(12) 0x000000000000ab10
 *   0xab10 0 5012          at this address of its file, so many times
 *   calls=5012 0x…         what comes then is counted where it is called
 *   0xab14 0 99999
 *   ob=(2) /usr/lib/…      from here on in another file; later it is only called (2)
 *
 * A function that is also called outside of sections counts there, too; so it is rather too much.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseElf } from '../src/binary/elf/elf-file.ts';
import { programSections } from '../src/tolerate/program-sections.ts';
import { printed } from './tolerated.ts';

export function sectionShare(command: readonly string[], folder: string): number {
  const [path = ''] = command;
  const output = join(folder, 'callgrind.out');
  const counting = ['valgrind', '-q', '--tool=callgrind', '--dump-instr=yes'];
  printed([...counting, `--callgrind-out-file=${output}`, ...command], folder);
  const program = realPath(path);
  const inside = insideOf(program);
  let [all, within] = [0, 0];
  for (const { file, address, count } of costsIn(readFileSync(output, 'latin1'))) {
    all += count;
    if (file === program && inside.has(address)) within += count;
  }
  return within / all;
}

const realPath = (path: string): string =>
  spawnSync('readlink', ['-f', path], { encoding: 'utf8' }).stdout.trim();

function insideOf(path: string): Set<number> {
  const plans = programSections({ path, elf: parseElf(readFileSync(path)) });
  const inside = new Set<number>();
  for (const { code, isInside } of plans.flatMap(({ parts }) => parts)) {
    for (const [place, { address }] of code.instructions.entries()) {
      if (isInside[place] === 1) inside.add(address);
    }
  }
  return inside;
}

/** Addresses are told as they are, or by how far they are from the last one. */
function* costsIn(output: string): Generator<{ file: string; address: number; count: number }> {
  const files = new Map<string, string>();
  let file = '';
  let address = 0;
  let isOfCall = false;
  for (const line of output.split('\n')) {
    const [, isIn, id = '', name] = /^(c?ob)=(\(\d+\))(?: (.*))?$/.exec(line) ?? [];
    if (name !== undefined) files.set(id, name);
    if (isIn === 'ob') file = files.get(id) ?? '';
    if (line.startsWith('calls=')) isOfCall = true;
    const [, at, count] = /^(0x[0-9a-f]+|[+-]\d+|\*) \S+ (\d+)$/.exec(line) ?? [];
    if (at === undefined) continue;
    if (at.startsWith('0x')) address = Number(at);
    else if (at !== '*') address += Number(at);
    if (!isOfCall) yield { file, address, count: Number(count) };
    isOfCall = false;
  }
}

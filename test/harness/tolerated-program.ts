import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { scratchFolder } from './scratch.ts';

/** A program of test/tolerate/, compiled. */
export function toleratedProgram(name: string, ...flags: string[]): string {
  const binary = join(scratchFolder(), name.replace(/\..*/, ''));
  const source = new URL(`../tolerate/${name}`, import.meta.url).pathname;
  const compiler = name.endsWith('.cc') ? 'c++' : 'cc';
  const include = `-I${new URL('../../include', import.meta.url).pathname}`;
  const optimised = flags.some((flag) => /^-O/.test(flag)) ? [] : ['-O2'];
  execFileSync(compiler, [...optimised, '-g', '-Wall', include, '-o', binary, source, ...flags]);
  return binary;
}

import { execFileSync, spawnSync } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import { scratchFolder } from './scratch.ts';

/**
 * Compiles a program of test/programs, in a folder that is removed when the test is done: the path of the
 * executable. C++ if the name ends in .cc, Rust if it ends in .rs.
 */
export function compiled(source: string, ...options: string[]): string {
  const path = resolve(import.meta.dirname, '../programs', source);
  const output = join(scratchFolder(), basename(source).replace(/\.\w+$/, ''));
  execFileSync(compilerOf(source), [...options, path, '-o', output], { stdio: 'pipe' });
  return output;
}

export const hasCompilerFor = (source: string): boolean =>
  spawnSync(compilerOf(source), ['--version']).status === 0;

function compilerOf(source: string): string {
  if (source.endsWith('.rs')) return 'rustc';
  return source.endsWith('.cc') ? 'g++' : 'gcc';
}

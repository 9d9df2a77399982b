/** Programs compiled for a test, and what binutils says about them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const here = dirname(fileURLToPath(import.meta.url));
/** readelf shows many megabytes. */
const MOST = 2 ** 30;

/** A folder for one test, which is removed afterwards. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-binary-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Compiles a file of this folder; the path of the result, which is removed after the test. */
export function compiled(source: string, ...options: string[]): string {
  const output = join(scratchFolder(), source.replace(/\.\w+$/, ''));
  execFileSync(compilerOf(source), [join(here, source), ...options, '-o', output], {
    stdio: 'pipe',
  });
  return output;
}

export const hasCompilerFor = (source: string): boolean =>
  spawnSync(compilerOf(source), ['--version']).status === 0;

function compilerOf(source: string): string {
  if (source.endsWith('.rs')) return 'rustc';
  return source.endsWith('.cc') ? 'g++' : 'gcc';
}

export const toolOutput = (command: string, ...args: string[]): string =>
  execFileSync(command, args, {
    encoding: 'utf8',
    maxBuffer: MOST,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

/** As if `sstrip` had been there: a file that runs, but has no section headers. */
export function withoutSections(path: string): Buffer {
  const file = Buffer.from(readFileSync(path));
  file.fill(0, 40, 48);
  file.fill(0, 58, 64);
  return file;
}

export const number = (text: string | undefined): number => Number.parseInt(text ?? '', 16);

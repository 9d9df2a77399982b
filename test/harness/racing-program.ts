/**
 * Small programs whose racing instructions have labels of their own:
 *
 *   SIDE_A("movl $1, %0" : "=m"(shared));      the label side_a, then the instruction
 *
 * and a stand-off of the two.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryTo } from '../../src/base/result.ts';
import { PLAIN_INHERITANCE } from '../../src/linux/own-inheritance.ts';
import { readImageFile } from '../../src/preload/image-file.ts';
import type { Side, StandOffLimits, VariablePlace } from '../../src/threads/confirm/side.ts';
import type { StandOffProgram } from '../../src/threads/confirm/stand-off.ts';

const PRELUDE = `
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define LABELLED(label, code, ...) __asm__ volatile(".globl " label "\\n" label ": " code __VA_ARGS__)
#define SIDE_A(...) LABELLED("side_a", __VA_ARGS__)
#define SIDE_B(...) LABELLED("side_b", __VA_ARGS__)
static pthread_mutex_t mutex __attribute__((unused)) = PTHREAD_MUTEX_INITIALIZER;
static pthread_t start(void *(*f)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, f, NULL)) abort();
  return thread;
}
`;

/** Compiles the rest of a C program; the path of the result. */
export function racingProgram(folder: string, text: string, ...options: string[]): string {
  const source = join(folder, 'racing.c');
  const binary = join(folder, 'racing');
  writeFileSync(source, `${PRELUDE}#line 1 "racing.c"\n${text}`);
  const flags = ['-g', '-O1', '-fno-inline', '-pthread', ...options];
  execFileSync('cc', [...flags, '-o', binary, source], { stdio: 'pipe' });
  return binary;
}

/** The address of a symbol, as in the file. */
export function symbolIn(binary: string, name: string): number {
  const lines = execFileSync('nm', [binary], { encoding: 'utf8' }).split('\n');
  const line = lines.find((one) => one.endsWith(` ${name}`));
  if (line === undefined) throw new Error(`${binary} has no ${name}`);
  return Number.parseInt(line, 16);
}

export const LIMITS: StandOffLimits = {
  stallMs: 300,
  patienceMs: 20_000,
  runMs: 60_000,
  endMs: 30_000,
  attempts: 3,
};

export function sideAt(binary: string, label: string, isStore: boolean): Side {
  const { path, key: buildId } = readImageFile(binary);
  return { code: { path, buildId, address: symbolIn(binary, label) }, isStore };
}

/** A variable with a name. */
export const variableIn = (binary: string, name: string, size: number): VariablePlace => ({
  path: readImageFile(binary).path,
  address: symbolIn(binary, name),
  size,
});

export function runnable(folder: string, binary: string, ...args: string[]): StandOffProgram {
  return {
    program: {
      path: binary,
      args: [binary, ...args],
      environment: [`PATH=${process.env.PATH}`],
      inheritance: PLAIN_INHERITANCE,
    },
    folder: join(folder, 'agent'),
  };
}

/** Processes that run this file, or are left over from one. */
export const runningFrom = (folder: string): string[] =>
  readdirSync('/proc').filter((name) => {
    const link = tryTo(() => readlinkSync(`/proc/${name}/exe`));
    return link.ok && link.value.startsWith(`${folder}/`);
  });

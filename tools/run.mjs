/** Small helpers for the tools that run before anything is installed: plain JavaScript, no packages. */
import { spawnSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const home = dirname(dirname(fileURLToPath(import.meta.url)));

/** Exit status for "the machine lacks something"; the same as src/base/exit-status.ts. */
const UNAVAILABLE = 69;

/**
 * Prints one line and ends the tool.
 * @param {string} message
 * @returns {never}
 */
export function giveUp(message) {
  console.error(`deadheat: ${message}`);
  process.exit(UNAVAILABLE);
}

/**
 * Runs a command in the project's folder with our own stdio; true if it succeeded.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
export function run(command, args, env = process.env) {
  return spawnSync(command, args, { cwd: home, stdio: 'inherit', env }).status === 0;
}

/**
 * What a command prints, or undefined if it failed.
 * @param {string} command
 * @param {readonly string[]} args
 */
export function output(command, args) {
  const result = spawnSync(command, args, { cwd: home, encoding: 'utf8' });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

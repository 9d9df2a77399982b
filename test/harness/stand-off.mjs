/**
 * node stand-off.mjs TASK: a stand-off by the built files, in a process of its own. TASK is a file with
 * { target, race, limits } in JSON; what came of it is printed as one line of JSON.
 */
import { readFileSync } from 'node:fs';

const built = new URL('../../dist/threads/confirm/stand-off.js', import.meta.url);
/** @type {typeof import('../../src/threads/confirm/stand-off.ts')} */
const { standOff } = await import(built.href);

const { target, race, limits } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
target.program.inheritance.blockedSignals = 0n;
const result = await standOff(target, undefined, race, limits);
const { kind, attempts } = result;
const why = result.kind === 'missed' ? { cause: result.cause, reason: result.reason } : {};
console.log(JSON.stringify({ kind, attempts, ...why }));

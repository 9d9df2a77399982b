/**
 * node null-clones.mjs [--also FILE]… -- COMMAND: runs it with clones that log nothing, and ends as it does.
 * Status 99: nothing of it was cloned.
 */
const built = new URL('../../dist/threads/tracing/run-null-clones.js', import.meta.url);
/** @type {typeof import('../../src/threads/tracing/run-null-clones.ts')} */
const { runNullClones } = await import(built.href);

const words = process.argv.slice(2);
const from = words.indexOf('--');
const also = words.slice(0, from).filter((word) => word !== '--also');
const { end, records } = await runNullClones(words.slice(from + 1), also);
if (!records.some((record) => record.kind === 'module' && record.patched > 0)) process.exit(99);
if ('signal' in end) process.kill(process.pid, end.signal);
else process.exitCode = end.status;

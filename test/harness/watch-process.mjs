/**
 * node watch-process.mjs PID FUNCTION [HOW]: watches a process by the built files, in a process of its own, with one
 * window after the other at the start of a function. It says `window` when the first one is open, and ends at
 * SIGTERM, SIGINT or SIGHUP: by leaving, or without a word (HOW is `exit`), or by an error that nobody catches
 * (`throw`). If the process cannot be watched, the reason and the exit status that deadheat would have are printed as
 * one line of JSON.
 */
const folder = new URL('../../dist/watch/ptrace/', import.meta.url);
/** @type {typeof import('../../src/watch/ptrace/attach.ts')} */
const { attachTarget } = await import(new URL('attach.js', folder).href);

const [, , number, name, how] = process.argv;
let isOver = false;
/** @type {Awaited<ReturnType<typeof attachTarget>> | undefined} */
let target;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  process.on(signal, () => {
    if (how === 'exit') process.exit(1);
    if (how === 'throw') throw new Error('as the test wants');
    isOver = true;
    target?.wake();
  });
}

try {
  target = await attachTarget(/** @type {import('../../src/linux/ids.ts').Pid} */ (Number(number)));
} catch (error) {
  const { message, remedy, status } =
    /** @type {import('../../src/base/user-error.ts').UserError} */ (error);
  console.log(JSON.stringify({ message, remedy, status }));
  process.exit(0);
}

const [start] = (await target.functions()).flatMap((one) => (one.name === name ? [one.start] : []));
if (start === undefined) throw new Error(`no function ${name}`);
let [windows, touches] = [0, 0];
while (!isOver) {
  await target.plant([start]);
  const event = await target.next(performance.now() + 1000);
  if (event.kind === 'ended') break;
  if (event.kind !== 'breakpoint') {
    if (event.kind === 'watchpoint') await target.release(event.runner);
    continue;
  }
  const address = event.registers.get('rsp') & ~7n;
  const watch = await target.arm([{ address, size: 8 }], 'load-or-store', event.runner);
  if (windows++ === 0) console.log('window');
  const other = await target.next(performance.now() + 2);
  if (other.kind === 'watchpoint') touches++;
  // In mid-window.
  if (isOver) break;
  if (watch) await target.disarm(watch);
  if ('runner' in other && other.kind !== 'lost') await target.release(other.runner);
  await target.release(event.runner);
}
await target.leave();
console.log(JSON.stringify({ windows, touches, watchesBy: target.watchesBy }));

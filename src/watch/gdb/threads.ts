import type { Runner } from '../debug-target.ts';
import type { GdbConnection } from './connection.ts';
import { threadNumber } from './stop-reply.ts';

const MOST_ANSWERS = 10_000;

/** Those that a stub has now, with its own names: 1 is `p01.01`. */
export async function readThreads(stub: GdbConnection): Promise<Map<Runner, string>> {
  const threads = new Map<Runner, string>();
  let answer = await stub.ask('qfThreadInfo');
  for (let count = 0; answer.startsWith('m') && count < MOST_ANSWERS; count++) {
    for (const name of answer.slice(1).split(',')) threads.set(threadNumber(name), name);
    answer = await stub.ask('qsThreadInfo');
  }
  return threads;
}

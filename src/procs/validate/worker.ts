/**
 * The thread that knows the recording, and runs the program again as it is told. It blocks while the
 * program runs; the main thread (attempt-thread.ts) watches the clock and empties pipes meanwhile.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { toPlainError } from '../../base/plain-error.ts';
import { listenToProgress } from '../../base/progress.ts';
import { tryTo } from '../../base/result.ts';
import { ownProcessorMs } from '../../linux/own-process.ts';
import { removeTree } from '../../linux/sandbox/upper-files.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import { Run } from '../../trace/run-directory.ts';
import { readRunInfo } from '../../trace/run-info.ts';
import { attempt } from '../replay/attempt.ts';
import type { Drain } from '../replay/captured-output.ts';
import { Follower } from '../replay/follower.ts';
import { recordedAnswers } from '../replay/made-up/recorded-answers.ts';
import type { Said } from '../replay/outside/prompter.ts';
import { Strangers } from '../replay/outside/strangers.ts';
import { readProgram } from '../replay/stored-program.ts';
import { divergenceOf, onlyRecordedOrderOf, waysOf } from './known-ways.ts';
import { missingSurroundings } from './missing-surroundings.ts';
import { requireWithinReach } from './out-of-reach.ts';
import { type Answer, END, type Request, type ThreadTask, type Tried } from './request.ts';

const task = workerData as ThreadTask;
const run = new Run(task.runPath, readRunInfo(task.runPath), task.home);
const tell = (answer: Answer): void => parentPort?.postMessage(answer);

listenToProgress((progress) => {
  if (progress) tell({ kind: 'progress', progress });
});

/** What attempts have left that nobody needs: it is removed while others look at the rest. */
const rubbish: string[] = [];

function prepare(): (request: Request) => Tried | undefined {
  const say = (utterances: Said): void => tell({ kind: 'say', utterances });
  const ways = task.onlyRecordedOrder ? onlyRecordedOrderOf(run, say) : waysOf(run, task, say);
  const { records, timeline, found, outside, prompter, conductorOf, told } = ways;
  const stored = readProgram(run);
  const answers = recordedAnswers(records, timeline.steps);
  const missing = missingSurroundings(stored, records, outside.peers);
  const { umask } = stored;
  const processorMs = ownProcessorMs();
  tell({
    kind: 'ready',
    ...(found && { found }),
    umask,
    missing,
    outside: outside.peers,
    processorMs,
  });
  return ({ way, folder, control }) => {
    const conductor = conductorOf(way);
    if (!conductor) return undefined;
    requireWithinReach(run, records);
    const drain = (one: Drain): void => tell({ kind: 'drain', drain: one });
    const remove = (path: string): void => void rubbish.push(path);
    const listening = {
      at: outside.peers,
      opened: (peer: number, fd: number) => tell({ kind: 'stand-in', peer, listening: fd }),
    };
    if (!(conductor instanceof Follower)) prompter.letGo();
    const strangers = new Strangers(outside);
    const watch = (record: TraceRecord): void => strangers.note(record);
    const around = { run, stored, records, answers, outside: listening, watch, drain, remove };
    const outcome = attempt({ ...around, folder, control, conductor });
    const diverged = strangers.trouble ?? divergenceOf(conductor);
    const outOfTurn = conductor instanceof Follower ? conductor.outOfTurn : undefined;
    return { outcome, diverged, outOfTurn, told: told(way) };
  };
}

try {
  const perform = prepare();
  parentPort?.on('message', (request: Request | typeof END) => {
    if (request === END) return parentPort?.close();
    try {
      tell({ kind: 'tried', tried: perform(request) });
    } catch (error) {
      tell({ kind: 'broken', error: toPlainError(error) });
    }
    for (const path of rubbish.splice(0)) void tryTo(() => removeTree(path));
  });
} catch (error) {
  tell({ kind: 'broken', error: toPlainError(error) });
}

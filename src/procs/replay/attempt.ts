/**
 * One more run of a recorded program, from the same files as the first one, along a given course.
 * Blocks its thread until the last process is gone.
 *
 *   RUN/attempts/R1-1/changes/0/upper   what it changed
 *                     stdout, stderr    what it wrote
 *                     trace.bin         its own recording
 */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import { blocking } from '../../base/resting.ts';
import type { Listening } from '../../linux/sandbox/sandbox.ts';
import { settleChanges } from '../../linux/sandbox/settle.ts';
import { parseWaitStatus } from '../../linux/wait.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { Run } from '../../trace/run-directory.ts';
import type { RunOutcome } from '../check/outcome.ts';
import { prepareIn } from '../prepare-sandbox.ts';
import type { Conductor } from '../recorder/conductor.ts';
import type { Observer } from '../recorder/observer.ts';
import { PtraceRecorder } from '../recorder/ptrace-recorder.ts';
import { recordProgramTask } from '../recorder/recording-task.ts';
import { captureOutput, type Drain } from './captured-output.ts';
import { Ending } from './ending.ts';
import { openFurther, sameAs } from './further-files.ts';
import type { TaskAnswers } from './made-up/recorded-answers.ts';
import { RepeatedAnswers } from './made-up/repeated-answers.ts';
import { openInput } from './repeated-input.ts';
import type { StoredProgram } from './stored-program.ts';

export interface Attempt {
  readonly run: Run;
  readonly stored: StoredProgram;
  readonly records: Iterable<TraceRecord>;
  /** Where to leave everything; is made. */
  readonly folder: string;
  /** See recorder/control.ts. */
  readonly control: SharedArrayBuffer;
  readonly conductor: Conductor;
  /** What is to be made up again. */
  readonly answers?: TaskAnswers | undefined;
  /** With whom somebody else, in another thread, plays the other side. */
  readonly outside: Listening;
  /** Is told what it does. */
  readonly watch: (record: TraceRecord) => void;
  /** Has to empty this from now on, in another thread. */
  readonly drain: (drain: Drain) => void;
  /** Is told of what nobody needs any more: a busy disk takes longer to remove it than some programs run. */
  readonly remove: (path: string) => void;
}

/** `hung`, only whoever ended it knows. */
export function attempt({
  run,
  stored,
  records,
  folder,
  control,
  conductor,
  answers,
  outside,
  watch,
  drain,
  remove,
}: Attempt): Omit<RunOutcome, 'hung'> {
  mkdirSync(encodeBytes(folder), { recursive: true });
  // First what may fail: what is to be drained ends only when it has been closed here.
  // And what it did to others the first time, it is not to do again.
  const alone = { choosesNumbers: true, isAlone: true, listening: outside };
  const sandbox = { ...prepareIn(join(folder, 'changes'), run), ...alone };
  const further = openFurther(stored);
  const input = openInput(stored, records);
  const nothing = openSync('/dev/null', 'r+');
  const { descriptors, stdout, stderr, drains } = captureOutput(stored, folder);
  for (const one of drains) drain(one);
  const opened = new Map([input, ...descriptors].entries());
  for (const [fd, source] of further) opened.set(fd, source);
  const program = withFiles(stored, opened, nothing);
  const ending = new Ending();
  const noting = (observer: Observer): Observer => ({
    ...observer,
    append: (record) => {
      ending.note(record);
      watch(record);
      observer.append(record);
    },
  });
  try {
    const { status, fileSystem, failure } = blocking(
      recordProgramTask(
        { program, sandbox, traceFile: join(folder, 'trace.bin'), control },
        // biome-ignore lint/correctness/useYield: it never rests, it blocks.
        function* (placed, observer) {
          const repeated = answers && new RepeatedAnswers(answers);
          return new PtraceRecorder(noting(observer), conductor, repeated).run(placed);
        },
      ),
    );
    if (failure) throw failure;
    const settled = settleChanges(sandbox, fileSystem, { keep: false, since: 0n, remove });
    const layers = settled.layers.map(({ place, layer }) => ({
      place,
      upper: join(folder, 'changes', `${layer}`, 'upper'),
    }));
    const { deaths, leftovers } = ending;
    return { exit: exitOf(status), deaths, leftovers, stdout, stderr, layers };
  } finally {
    for (const fd of new Set([...opened.values(), nothing])) if (fd !== undefined) closeSync(fd);
  }
}

/** What else the program had open was somebody else's: it gets `nothing` in its place. */
function withFiles(
  stored: StoredProgram,
  opened: ReadonlyMap<number, number | undefined>,
  nothing: number,
): StoredProgram['program'] {
  const { program } = stored;
  const source = (fd: number): number | undefined => {
    const same = sameAs(stored, fd);
    if (same !== undefined) return source(same);
    return opened.has(fd) ? opened.get(fd) : nothing;
  };
  const files = program.inheritance.files.filter((fd) => source(fd) !== undefined);
  const sources = new Map(files.map((fd) => [fd, source(fd)!]));
  return { ...program, inheritance: { ...program.inheritance, files, sources } };
}

function exitOf(rawStatus: number): RunOutcome['exit'] {
  const status = parseWaitStatus(rawStatus);
  if (status.kind === 'killed') return { signal: status.signal };
  return { code: status.kind === 'exited' ? status.code : 0 };
}

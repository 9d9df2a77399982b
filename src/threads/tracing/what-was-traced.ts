/** What of the images was traced in the end, and which programs were not: as the agent has told. */
import { basename } from 'node:path';
import type { AgentHello, AgentModule, AgentRecord } from '../../linux/agent-channel.ts';
import { type Pid, tid } from '../../linux/ids.ts';
import { isRunning } from '../../linux/running-process.ts';
import type { SkippedFunctions } from './make-blob.ts';
import type { PreparedImage } from './prepare-blobs.ts';

export interface TracedImage {
  readonly path: string;
  /** A process has loaded it, or has tried to get its clones. */
  readonly isLoaded: boolean;
  readonly functionsTraced: number;
  /** Of those, too, that could not be traced. */
  readonly functions: number;
  readonly skipped: readonly SkippedFunctions[];
}

export function tracedImages(
  images: readonly PreparedImage[],
  records: readonly AgentRecord[],
): TracedImage[] {
  const modules = records.filter((record): record is AgentModule => record.kind === 'module');
  const problems = records.flatMap((record) => (record.kind === 'problem' ? [record] : []));
  return images.map(({ image, clones }) => {
    const module = modules.find(({ buildId }) => buildId === image.key);
    const isRefused = ({ text }: { text: string }): boolean =>
      basename(text) === basename(image.path);
    const refused = module?.refused ?? 0;
    const skipped = refused === 0 ? clones.skipped : [...clones.skipped, notPatched(refused)];
    return {
      path: image.path,
      isLoaded: module !== undefined || problems.some(isRefused),
      functionsTraced: module?.patched ?? 0,
      functions: clones.traced + clones.skipped.reduce((sum, some) => sum + some.functions, 0),
      skipped,
    };
  });
}

const notPatched = (functions: number): SkippedFunctions => ({
  reason: 'their code could not be changed',
  functions,
});

const hellos = (records: readonly AgentRecord[]): AgentHello[] =>
  records.filter((record): record is AgentHello => record.kind === 'hello');

/** The executables of processes in which nothing was traced. */
export function untracedPrograms(records: readonly AgentRecord[]): string[] {
  const traced = new Set(
    records.flatMap((record) => (record.kind === 'module' ? [record.process] : [])),
  );
  const untraced = hellos(records).filter(
    ({ process, parentProcess }) => parentProcess === undefined && !traced.has(process),
  );
  return [...new Set(untraced.map(({ path }) => path))];
}

/** Processes that the program has left behind. */
export function stillRunning(records: readonly AgentRecord[]): Pid[] {
  return [...new Set(hellos(records).map(({ pid }) => pid))].filter((pid) => isRunning(tid(pid)));
}

/** Collects logs that a test has written, with a module of which nothing is known but sizes and addresses. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentModule, AgentRecord } from '../../../linux/agent-channel.ts';
import { Labels } from '../../model/labels.ts';
import { opNames } from '../../model/op.ts';
import { ThreadTrace } from '../../model/trace.ts';
import { type Collected, collectTrace } from '../collect.ts';
import type { TracedModule } from '../traced-module.ts';
import { ATOMIC_SITE, SIZES } from './random-program.ts';
import type { WrittenLog } from './written-log.ts';

export const MODULE: AgentModule = {
  ...{ kind: 'module', process: 1, siteBase: 0, loadBase: 0x9000, blobBase: 0xb000, patched: 1 },
  ...{ refused: 0, buildId: 'ab', path: '/bin/program' },
};

/** A site's address is its number. */
export const TRACED: TracedModule = {
  imageEnd: 0x1000,
  blobSize: 0x100,
  sites: Uint32Array.from({ length: ATOMIC_SITE + 1 }, (_, i) => i),
  siteSizes: Uint16Array.from(SIZES),
  returns: Uint32Array.from([0x10, 0x234, 0x20, 0x345]),
  skipped: [],
  placeAt: () => ({ function: '', file: '', line: 0 }),
  dataAt: () => '',
};

export interface CollectedTrace extends Collected {
  readonly trace: ThreadTrace;
  /** `t0 acquire mutex 0x4040` for each event. */
  readonly lines: readonly string[];
}

export function collected(
  logs: readonly WrittenLog[],
  records: readonly AgentRecord[] = [MODULE],
  changeFile: (path: string) => void = () => {},
  lost = 0,
): CollectedTrace {
  const folder = mkdtempSync(join(tmpdir(), 'deadheat-test-'));
  try {
    for (const log of logs) changeFile(log.save(folder));
    const trace = new ThreadTrace();
    const result = collectTrace({ folder, records, lost, describe: () => TRACED, writer: trace });
    return { trace, lines: linesOf(trace), ...result };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function linesOf(trace: ThreadTrace): string[] {
  const labels = new Labels(trace.tables);
  return Array.from({ length: trace.length }, (_, at) => {
    const [op, target] = [trace.opAt(at), trace.targetAt(at)];
    return `${labels.thread(trace.threadAt(at))} ${opNames[op]} ${labels.target(op, target)}`;
  });
}

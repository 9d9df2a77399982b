import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readBuildId } from '../src/binary/elf/build-id.ts';
import { parseElf } from '../src/binary/elf/elf-file.ts';
import { encodeBlob } from '../src/binary/rewrite/blob.ts';
import { rewriteImage } from '../src/binary/rewrite/rewrite.ts';
import { openAgentChannel } from '../src/linux/agent-channel.ts';
import { AgentOption } from '../src/linux/agent-protocol.ts';
import { collectTrace } from '../src/threads/collect/collect.ts';
import { describeModules } from '../src/threads/collect/traced-module-file.ts';
import { Labels } from '../src/threads/model/labels.ts';
import { isAccess, NONE, opNames } from '../src/threads/model/op.ts';
import { ThreadTrace } from '../src/threads/model/trace.ts';
import { compiled } from './harness/agent-run.ts';
import { scratchFolder } from './harness/scratch.ts';

/** Runs a program with clones, and collects what it left. */
function traced(program: string): { trace: ThreadTrace; problems: readonly string[] } {
  const folder = scratchFolder();
  const blobs = join(folder, 'blobs');
  mkdirSync(blobs);
  const elf = parseElf(readFileSync(program));
  writeFileSync(join(blobs, readBuildId(elf)!), encodeBlob(rewriteImage(elf, { logs: true }).blob));
  const channel = openAgentChannel(folder, 1 << 20, AgentOption.DH_OPTION_LOG);
  const env = { ...process.env, ...channel.environment };
  const run = spawnSync(program, { env, timeout: 300_000, killSignal: 'SIGKILL' });
  expect([run.status, run.signal]).toEqual([0, null]);
  const records = [...channel.records()];
  channel.close();
  const trace = new ThreadTrace();
  const describeModule = describeModules(blobs);
  return { trace, ...collectTrace({ folder, records, describe: describeModule, writer: trace }) };
}

describe('a trace of a real program', () => {
  it('has what its threads share, with names and lines, and nothing else', () => {
    const { trace, problems } = traced(compiled('shared.c', 'cc', '-pthread'));
    expect(problems).toEqual([]);
    const labels = new Labels(trace.tables);
    const { variables } = trace.tables;
    const rows = Array.from({ length: variables.count }, (_, i) => variables.row(i));
    const named = rows.map(({ symbol }) => symbol).filter((symbol) => symbol !== '');
    expect(named.sort()).toEqual(['counter', 'raced[0]']);
    // job->data, job->ready and what that points to; no stack.
    const others = rows.filter(({ symbol }) => symbol === '');
    expect(others.map(({ size }) => size).sort()).toEqual([4, 4, 8]);
    expect(others.every(({ allocation }) => allocation !== NONE)).toBe(true);
    const { locks } = trace.tables;
    expect(Array.from({ length: locks.count }, (_, i) => locks.row(i).symbol)).toEqual(['lock']);
    const places = new Set<string>();
    for (let at = 0; at < trace.length; at++) {
      const [op, target, site] = [trace.opAt(at), trace.targetAt(at), trace.siteAt(at)];
      if (isAccess(op) || labels.target(op, target) === 'lock') {
        places.add(`${opNames[op]} ${labels.site(site).replace(/.*\//, '')}`);
      }
    }
    for (const place of [
      'acquire shared.c:26 in count',
      'read shared.c:27 in count',
      'write shared.c:29 in count',
      'atomic-read shared.c:37 in take',
      'atomic-write shared.c:57 in main',
    ]) {
      expect([...places]).toContain(place);
    }
  });
});

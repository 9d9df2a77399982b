import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openAgentChannel } from './agent-channel.ts';
import * as protocol from './agent-protocol.ts';

const header = new URL('../../agent/deadheat.h', import.meta.url).pathname;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'deadheat-agent-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('the agent', () => {
  it('says hello from inside an unmodified program and from its children', () => {
    const channel = openAgentChannel(folder, 4096);
    const env = { ...process.env, ...channel.environment };
    const { stdout } = spawnSync('sh', ['-c', 'echo $$; /bin/true'], { env, encoding: 'utf8' });
    const records = [...channel.records()];
    expect(records[0]).toEqual({
      kind: 'hello',
      pid: Number(stdout),
      protocol: 4,
      process: 1,
      parentPid: process.pid,
      parentProcess: undefined,
      path: realpathSync('/bin/sh'),
    });
    expect(records[1]).toMatchObject({
      kind: 'hello',
      process: 2,
      path: realpathSync('/bin/true'),
    });
    expect(records).toHaveLength(2);
    expect(channel.lost).toBe(0);
    channel.close();
  });

  it('counts what did not fit and leaves the program alone', () => {
    const size = 32 + Math.ceil(realpathSync('/bin/sh').length / 8) * 8;
    const channel = openAgentChannel(folder, size + 8);
    const env = { ...process.env, ...channel.environment };
    expect(spawnSync('sh', ['-c', '/bin/true; exit 3'], { env }).status).toBe(3);
    expect([...channel.records()]).toHaveLength(1);
    expect(channel.lost).toBe(32 + Math.ceil(realpathSync('/bin/true').length / 8) * 8 - 8);
    channel.close();
  });

  it('does nothing with a channel of another protocol', () => {
    const channel = openAgentChannel(folder, 4096);
    const path = join(folder, 'agent-channel');
    const bytes = readFileSync(path);
    bytes.writeUInt32LE(99, protocol.ChannelAt.protocol);
    writeFileSync(path, bytes);
    const env = { ...process.env, ...channel.environment };
    expect(spawnSync('/bin/true', { env }).status).toBe(0);
    expect([...channel.records()]).toEqual([]);
    channel.close();
  });
});

describe('agent-protocol.ts and deadheat.h', () => {
  it('state the same constants and layouts', () => {
    const offsets = (struct: string, fields: object): [string, number][] =>
      Object.entries(fields).map(([field, at]) => [`offsetof(struct ${struct}, ${field})`, at]);
    const { DH_CHANNEL_VARIABLE, DH_SAMPLING_VARIABLE, DH_SAMPLING_CHANNEL, ...numbers } =
      protocol.AgentProtocol;
    const strings = { DH_CHANNEL_VARIABLE, DH_SAMPLING_VARIABLE, DH_SAMPLING_CHANNEL };
    const constants = [
      ...[numbers, protocol.AgentOption, protocol.AgentKind, protocol.AgentProblem],
      ...[protocol.LogKind, protocol.AccessFlag, protocol.LogOp, protocol.LockBits],
      ...[protocol.AgentThread, protocol.GateOpen, protocol.GateState, protocol.StepFlag],
      ...[protocol.SamplingOption, protocol.SamplingEvent, protocol.SamplingClock],
      ...[protocol.SamplingNumbers, protocol.SampledKind, protocol.SampledWords],
      protocol.SampleFlag,
    ];
    const expectations: [string, number][] = [
      ...constants.flatMap((constant) => Object.entries<number>(constant)),
      ['DH_LOG_WINDOW', protocol.DH_LOG_WINDOW],
      ['DH_SIZE_PAGES', protocol.DH_SIZE_PAGES],
      ['sizeof(struct dh_channel)', protocol.CHANNEL_SIZE],
      ['sizeof(struct dh_record)', protocol.RECORD_SIZE],
      ['sizeof(struct dh_log_header)', protocol.LOG_HEADER_SIZE],
      ['DH_NO_STEP', protocol.DH_NO_STEP],
      ['sizeof(struct dh_schedule)', protocol.SCHEDULE_SIZE],
      ['sizeof(struct dh_scheduled_thread)', protocol.SCHEDULED_THREAD_SIZE],
      ['sizeof(struct dh_scheduled_object)', protocol.SCHEDULED_OBJECT_SIZE],
      ['sizeof(struct dh_step)', protocol.STEP_SIZE],
      ['sizeof(struct dh_sampling_control)', protocol.SAMPLING_CONTROL_SIZE],
      ['DH_EPOLL_OBJECT >> 60', Number(protocol.DH_EPOLL_OBJECT >> 60n)],
      ...offsets('dh_channel', protocol.ChannelAt),
      ...offsets('dh_record', protocol.RecordAt),
      ...offsets('dh_hello', protocol.HelloAt),
      ...offsets('dh_module', protocol.ModuleAt),
      ...offsets('dh_image', protocol.ImageAt),
      ...offsets('dh_thread_name', protocol.ThreadNameAt),
      ...offsets('dh_problem', protocol.ProblemAt),
      ...offsets('dh_log_header', protocol.LogHeaderAt),
      ...offsets('dh_schedule', protocol.ScheduleAt),
      ...offsets('dh_scheduled_thread', protocol.ScheduledThreadAt),
      ...offsets('dh_scheduled_object', protocol.ScheduledObjectAt),
      ...offsets('dh_step', protocol.StepAt),
      ...offsets('dh_sampling_control', protocol.SamplingControlAt),
    ];
    const asserts = expectations.map(([c, ts]) => `_Static_assert(${c} == ${ts}, "${c}");`);
    const names = Object.entries(strings).map(
      ([name, { length }]) => `_Static_assert(sizeof ${name} == ${length + 1}, "${name}");`,
    );
    const source = ['#include <stddef.h>', `#include "${header}"`, ...asserts, ...names].join('\n');
    execFileSync('cc', ['-fsyntax-only', '-x', 'c', '-'], { input: source });
  });
});

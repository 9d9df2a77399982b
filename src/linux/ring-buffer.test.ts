import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tryTo } from '../base/result.ts';
import {
  type BpfMap,
  closeBpf,
  createMap,
  type LinkFd,
  loadProgram,
  openRawTracepoint,
  type ProgramFd,
  update,
} from './bpf.ts';
import { BpfAssembler } from './bpf-assembler.ts';
import { RingBuffer } from './ring-buffer.ts';
import { syscallNumber } from './syscalls.ts';

const SIZE = 4096;
const PAYLOAD = 40;
/** With its header, and padded. */
const RECORD = 48;
const KEY = Buffer.alloc(4);

const canary = tryTo(() => closeBpf(ringMap()));
if (!canary.ok) console.warn(`skipped: bpf(2) is not for this user (${canary.error.message})`);

function ringMap(): BpfMap {
  return createMap({ type: 'ring-buffer', keySize: 0, valueSize: 0, entries: SIZE, name: 'ring' });
}

/** Each getppid of ours sends a record with its number: a word of our pid, one of the number. */
function sender(ring: BpfMap, counter: BpfMap): Buffer {
  const a = new BpfAssembler();
  a.load(8, 'r6', 'r1', 8).jumpIf('r6', '!=', syscallNumber('getppid'), 'out');
  a.callHelper('get_current_pid_tgid').shiftRight('r0', 32).moveMapValue('r6', counter);
  a.load(8, 'r1', 'r6', 0).jumpIf('r0', '!=', 'r1', 'out');
  a.move('r2', 1).fetchAdd('r6', 8, 'r2');
  a.moveMap('r1', ring).move('r2', 'r6').move('r3', PAYLOAD).move('r4', 1);
  a.callHelper('ringbuf_output').label('out').move('r0', 0).exit();
  return a.assemble();
}

const send = (count: number): void => {
  for (let sent = 0; sent < count; sent++) void process.ppid;
};

describe.runIf(canary.ok)('RingBuffer', () => {
  let map: BpfMap;
  let ring: RingBuffer;
  const opened: (BpfMap | ProgramFd | LinkFd)[] = [];
  let visited: number[] = [];
  const visit = (records: DataView, at: number, length: number): void => {
    expect(length).toBe(PAYLOAD);
    visited.push(records.getUint32(at + 8, true));
  };

  const drain = (to = visit): number => {
    let count = 0;
    for (let piece = ring.take(); piece; piece = ring.take()) count += piece.visit(to);
    return count;
  };

  beforeEach(() => {
    visited = [];
    map = ringMap();
    ring = new RingBuffer(map);
    const counter = createMap({
      type: 'array',
      keySize: 4,
      valueSize: PAYLOAD,
      entries: 1,
      name: 'counter',
    });
    const first = Buffer.alloc(PAYLOAD);
    first.writeUInt32LE(process.pid);
    update(counter, KEY, first);
    const instructions = sender(map, counter);
    const program = loadProgram({ type: 'raw-tracepoint', name: 'send', instructions });
    opened.push(openRawTracepoint(program, 'sys_enter'), program, counter, map);
  });

  afterEach(() => {
    ring.close();
    for (const object of opened.splice(0)) closeBpf(object);
  });

  it('gives nothing while nothing is there', () => {
    expect(drain()).toBe(0);
    expect(ring.backlog).toBe(0);
  });

  it('gives each record once, oldest first', () => {
    send(3);
    expect(ring.backlog).toBe(3 * RECORD);
    expect(drain()).toBe(3);
    send(2);
    expect(drain()).toBe(2);
    expect(visited).toEqual([1, 2, 3, 4, 5]);
  });

  it('reads records in one piece where the ring starts again', () => {
    for (let round = 0; round < 40; round++) {
      send(7);
      drain();
    }
    expect(visited).toEqual(Array.from({ length: 280 }, (_, index) => index + 1));
  });

  it('lets go of what was read, so that a full ring takes more', () => {
    send(200);
    const fitting = drain();
    expect(fitting).toBe(Math.floor((SIZE - 1) / RECORD));
    send(1);
    drain();
    expect(visited.at(-1)).toBe(201);
  });

  it('does not give a record again when a visitor fails', () => {
    send(2);
    const fail = (): void => {
      throw new Error('no');
    };
    const piece = ring.take();
    expect(() => piece?.visit(fail)).toThrow('no');
    piece?.visit(visit);
    expect(visited).toEqual([2]);
  });
});

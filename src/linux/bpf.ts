/**
 * bpf(2): maps that the kernel and we share, programs that run inside the kernel, and the links
 * that attach them.
 *
 *   const counts = createMap({ type: 'hash', keySize: 4, valueSize: 8, entries: 1024, name: 'counts' });
 *   const program = loadProgram({ type: 'raw-tracepoint', name: 'enter', instructions });
 *   const link = openRawTracepoint(program, 'sys_enter');   // runs until the link is closed
 *
 * Needs root, or CAP_BPF and CAP_PERFMON. Everything is an fd of ours and goes away with it.
 */
import { closeSync, readFileSync } from 'node:fs';
import { assert } from '../base/assert.ts';
import type { Brand } from '../base/brand.ts';
import { errnoNumber } from './errno.ts';
import { allocate } from './native-memory.ts';
import { rawSyscall } from './raw-syscall.ts';
import { SystemError } from './system-error.ts';

export type ProgramFd = Brand<number, 'ProgramFd'>;
/** An attached program; closing it detaches. */
export type LinkFd = Brand<number, 'LinkFd'>;

/** `enum bpf_cmd`, <linux/bpf.h>. */
const Command = {
  BPF_MAP_CREATE: 0,
  BPF_MAP_LOOKUP_ELEM: 1,
  BPF_MAP_UPDATE_ELEM: 2,
  BPF_MAP_DELETE_ELEM: 3,
  BPF_PROG_LOAD: 5,
  BPF_RAW_TRACEPOINT_OPEN: 17,
  BPF_LINK_CREATE: 28,
} as const;

/** `enum bpf_map_type`, <linux/bpf.h>. */
const MapType = {
  hash: 1,
  array: 2,
  /** Of programs that others go on with (`tail_call`); its values are their fds. */
  'program-array': 3,
  'per-cpu-array': 6,
  /** A hash that forgets what was not looked up for long, when it is full. */
  'forgetful-hash': 9,
  'ring-buffer': 27,
} as const;

/** `enum bpf_prog_type`, <linux/bpf.h>. */
const ProgramType = { kprobe: 2, 'raw-tracepoint': 17, tracing: 26, lsm: 29 } as const;

/** `enum bpf_attach_type`, <linux/bpf.h>: needed by `tracing` and `lsm` programs. */
const AttachType = {
  'trace-raw-tracepoint': 23,
  'trace-fentry': 24,
  'trace-fexit': 25,
  lsm: 27,
} as const;

/** `BPF_F_*` of BPF_MAP_CREATE, <linux/bpf.h>. */
export const MapFlag = { noPreallocation: 1, mappable: 0x400 } as const;

// Where things stand in the scratch memory: the attributes (`union bpf_attr`), then what they
// point at. Untouched pages cost nothing.
const KEY_AT = 4096;
const VALUE_AT = 64 << 10;
const TEXT_AT = 8192;
const INSTRUCTIONS_AT = 4 << 20;
const LOG_AT = 16 << 20;
const LOG_SIZE = 8 << 20;
const scratch = allocate(LOG_AT + LOG_SIZE);
const attribute = scratch.bytes.subarray(0, 144);

const ENOENT = errnoNumber('ENOENT');
const EEXIST = errnoNumber('EEXIST');
/** Source: <linux/bpf.h>. */
const BPF_NOEXIST = 1n;

export interface MapDescription {
  type: keyof typeof MapType;
  /** In bytes; 0 for a ring buffer, 4 for arrays. */
  keySize: number;
  valueSize: number;
  /** For a ring buffer: its size in bytes, a power of two. */
  entries: number;
  name: string;
  flags?: number;
}

export interface BpfMap extends MapDescription {
  readonly fd: number;
}

export function createMap(description: MapDescription): BpfMap {
  const { type, keySize, valueSize, entries, name, flags = 0 } = description;
  setAttribute([MapType[type], keySize, valueSize, entries, flags]);
  putName(name, 28);
  const fd = bpf('BPF_MAP_CREATE', 72, [`${type} ${name}`, entries]);
  return { ...description, fd };
}

/** The value, or `undefined` for a key that is not there. Per-CPU maps give all CPUs' values in a row. */
export function lookup(map: BpfMap, key: Uint8Array): Buffer | undefined {
  setElement(map, key);
  putPointer(16, VALUE_AT);
  try {
    bpf('BPF_MAP_LOOKUP_ELEM', 32, [map.name]);
  } catch (error) {
    if (error instanceof SystemError && error.errno === ENOENT) return undefined;
    throw error;
  }
  return Buffer.from(scratch.bytes.subarray(VALUE_AT, VALUE_AT + valueLength(map)));
}

export function update(map: BpfMap, key: Uint8Array, value: Uint8Array): void {
  assert(value.length === valueLength(map), `map ${map.name}: a value of ${value.length} bytes`);
  setElement(map, key);
  putPointer(16, VALUE_AT);
  scratch.bytes.set(value, VALUE_AT);
  bpf('BPF_MAP_UPDATE_ELEM', 32, [map.name]);
}

/** False if the key is there already; its value then stays. */
export function insert(map: BpfMap, key: Uint8Array, value: Uint8Array): boolean {
  assert(value.length === valueLength(map), `map ${map.name}: a value of ${value.length} bytes`);
  setElement(map, key);
  putPointer(16, VALUE_AT);
  scratch.bytes.set(value, VALUE_AT);
  attribute.writeBigUInt64LE(BPF_NOEXIST, 24);
  try {
    bpf('BPF_MAP_UPDATE_ELEM', 32, [map.name]);
    return true;
  } catch (error) {
    if (error instanceof SystemError && error.errno === EEXIST) return false;
    throw error;
  }
}

/** Whether the key was there. */
export function remove(map: BpfMap, key: Uint8Array): boolean {
  setElement(map, key);
  try {
    bpf('BPF_MAP_DELETE_ELEM', 32, [map.name]);
    return true;
  } catch (error) {
    if (error instanceof SystemError && error.errno === ENOENT) return false;
    throw error;
  }
}

export interface ProgramDescription {
  type: keyof typeof ProgramType;
  /** Eight bytes each. */
  instructions: Uint8Array;
  name: string;
  attachType?: keyof typeof AttachType;
  /** The BTF id of the function or tracepoint typedef that a `tracing` or `lsm` program is for. */
  attachTo?: number;
}

/** The kernel's verifier did not accept a program: `log` says at which instruction, and why. */
export class ProgramRejected extends SystemError {
  override name = 'ProgramRejected';
  readonly log: string;

  constructor(cause: SystemError, log: string) {
    super(cause.call, cause.args, cause.errno);
    this.log = log;
    if (log !== '') this.message += `\n${log}`;
  }
}

export function loadProgram(program: ProgramDescription): ProgramFd {
  try {
    return load(program, false);
  } catch (error) {
    // Only now with the log, which costs far more than the check itself.
    if (error instanceof SystemError) return load(program, true);
    throw error;
  }
}

/** Attaches a `raw-tracepoint` program by name; `tracing` and `lsm` ones know their place already. */
export function openRawTracepoint(program: ProgramFd, name?: string): LinkFd {
  attribute.fill(0);
  if (name !== undefined) putPointer(0, putText(name));
  attribute.writeUInt32LE(program, 8);
  return bpf('BPF_RAW_TRACEPOINT_OPEN', 16, [name ?? program]) as LinkFd;
}

export function createLink(
  program: ProgramFd,
  attachType: keyof typeof AttachType,
  target = 0,
): LinkFd {
  setAttribute([program, target, AttachType[attachType]]);
  return bpf('BPF_LINK_CREATE', 64, [program, target, attachType]) as LinkFd;
}

export function closeBpf(object: BpfMap | ProgramFd | LinkFd): void {
  closeSync(typeof object === 'number' ? object : object.fd);
}

function load(program: ProgramDescription, withLog: boolean): ProgramFd {
  const { instructions, name, attachType, attachTo = 0 } = program;
  assert(instructions.length <= LOG_AT - INSTRUCTIONS_AT, `BPF program ${name} is too long`);
  scratch.bytes.set(instructions, INSTRUCTIONS_AT);
  setAttribute([ProgramType[program.type], instructions.length / 8]);
  putPointer(8, INSTRUCTIONS_AT);
  // Most helpers are for programs under the GPL only; this is about the program, not about us.
  putPointer(16, putText('GPL'));
  if (withLog) {
    scratch.bytes[LOG_AT] = 0;
    attribute.writeUInt32LE(1, 24);
    attribute.writeUInt32LE(LOG_SIZE, 28);
    putPointer(32, LOG_AT);
  }
  putName(name, 48);
  attribute.writeUInt32LE(attachType === undefined ? 0 : AttachType[attachType], 68);
  attribute.writeUInt32LE(attachTo, 108);
  try {
    return bpf('BPF_PROG_LOAD', 144, [`${program.type} ${name}`]) as ProgramFd;
  } catch (error) {
    if (withLog && error instanceof SystemError) throw new ProgramRejected(error, verifierLog());
    throw error;
  }
}

function bpf(command: keyof typeof Command, size: number, shownAs: readonly unknown[]): number {
  return rawSyscall('bpf', [Command[command], scratch.address, size], [command, ...shownAs]);
}

function setElement(map: BpfMap, key: Uint8Array): void {
  assert(key.length === map.keySize, `map ${map.name}: a key of ${key.length} bytes`);
  assert(valueLength(map) <= INSTRUCTIONS_AT - VALUE_AT, `map ${map.name}: values too long`);
  setAttribute([map.fd]);
  scratch.bytes.set(key, KEY_AT);
  putPointer(8, KEY_AT);
}

function setAttribute(words: readonly number[]): void {
  attribute.fill(0);
  words.forEach((word, index) => {
    attribute.writeUInt32LE(word, 4 * index);
  });
}

function putPointer(at: number, scratchOffset: number): void {
  attribute.writeBigUInt64LE(scratch.address + BigInt(scratchOffset), at);
}

/** `BPF_OBJ_NAME_LEN` is 16, with the NUL. */
function putName(name: string, at: number): void {
  attribute.write(name.replaceAll(/[^A-Za-z0-9_.]/g, '_').slice(0, 15), at, 'latin1');
}

function putText(text: string): number {
  scratch.bytes.write(`${text}\0`, TEXT_AT, 'latin1');
  return TEXT_AT;
}

function verifierLog(): string {
  const log = scratch.bytes.subarray(LOG_AT, LOG_AT + LOG_SIZE);
  return log.toString('latin1', 0, log.indexOf(0)).trim();
}

function valueLength(map: BpfMap): number {
  if (map.type !== 'per-cpu-array') return map.valueSize;
  return Math.ceil(map.valueSize / 8) * 8 * possibleCpus();
}

let cachedCpus: number | undefined;

/** CPUs that could ever come online, which is how the kernel sizes per-CPU values: `0-3` is 4. */
export function possibleCpus(): number {
  cachedCpus ??=
    Number(/\d+$/.exec(readFileSync('/sys/devices/system/cpu/possible', 'utf8').trim())![0]) + 1;
  return cachedCpus;
}

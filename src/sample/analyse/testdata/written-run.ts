/**
 * A run as sampling leaves it, for tests: an image with some instructions of known kinds, and logs that somebody has
 * made up.
 *
 *   const image = writtenImage(folder);
 *   const log = new WrittenSamplingLog(1, 1);
 *   log.sample({ time: 5, place: image.placeOf('store'), registers: { 7: 0x5000 } });   // stores to [rdi]
 *   writeRun(folder, image, [log]);
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBuildId } from '../../../binary/elf/build-id.ts';
import { type ElfFile, parseElf } from '../../../binary/elf/elf-file.ts';
import { functionIndex, variableIndex } from '../../../binary/elf/symbol-index.ts';
import {
  AgentKind,
  AgentProtocol,
  CHANNEL_SIZE,
  ChannelAt,
  HelloAt,
  ImageAt,
  RecordAt,
} from '../../../linux/agent-protocol.ts';
import type { WrittenSamplingLog } from '../../collect/testdata/written-sampling-log.ts';

/** Each touches four bytes at [rdi], and nothing else; each is a site of its own. */
export const INSTRUCTIONS = {
  load: 'mov eax,[rdi]',
  otherLoad: 'mov ecx,[rdi]',
  store: 'mov [rdi],eax',
  otherStore: 'mov [rdi],ecx',
  update: 'add dword ptr [rdi],1',
  atomic: 'lock inc dword ptr [rdi]',
} as const;
export type WrittenSite = keyof typeof INSTRUCTIONS;
/** Fills bytes from [rdi] to [rsi], as long as a sample is followed. */
const FILL = '0: mov byte ptr [rdi],al\nadd rdi,1\ncmp rdi,rsi\njne 0b';

export interface WrittenImage {
  readonly path: string;
  readonly buildId: string;
  readonly loadBase: number;
  readonly begin: number;
  readonly end: number;
  /** In the process, where a sample stands that is about to execute it. */
  placeOf(site: WrittenSite | 'fill'): number;
  /** Of `globals`, of four bytes; `neighbours` are the 4092 behind it. */
  readonly globals: number;
}

const LOAD_BASE = 0x5555_5555_0000;

interface ImageOptions {
  readonly hasBuildId?: boolean;
  /** Further functions, by name, that do what one of the others does. */
  readonly alsoNamed?: Readonly<Record<string, WrittenSite>>;
}

/** `salt`: another one makes another build. */
export function writtenImage(
  folder: string,
  salt = 0,
  { hasBuildId = true, alsoNamed = {} }: ImageOptions = {},
): WrittenImage {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `program-${salt}`);
  const further = Object.entries(alsoNamed).map(([name, site]) => [name, INSTRUCTIONS[site]]);
  const functions = [...Object.entries({ ...INSTRUCTIONS, fill: FILL }), ...further].map(
    ([name, instruction]) =>
      `.globl ${name}\n.type ${name},@function\n${name}:\n.cfi_startproc\n${instruction}\nret\n.cfi_endproc\n.size ${name},.-${name}\n`,
  );
  const data = `.data\n.balign 4096\n${variable('globals', 1, salt)}${variable('neighbours', 1023, salt)}`;
  const source = `.intel_syntax noprefix\n.text\n${functions.join('')}${data}.section .note.GNU-stack,"",@progbits\n`;
  writeFileSync(`${path}.s`, source);
  const buildId = `-Wl,--build-id=${hasBuildId ? 'sha1' : 'none'}`;
  execFileSync('gcc', ['-shared', '-nostdlib', buildId, `${path}.s`, '-o', path], {
    stdio: 'pipe',
  });
  const elf = parseElf(readFileSync(path));
  return {
    path,
    buildId: readBuildId(elf) ?? '',
    loadBase: LOAD_BASE,
    begin: LOAD_BASE,
    end: LOAD_BASE + Math.max(...elf.segments.map(({ address, size }) => address + size)),
    placeOf: (site) => LOAD_BASE + addressOf(elf, site),
    globals: LOAD_BASE + [...variableIndex(elf)].find(({ name }) => name === 'globals')!.start,
  };
}

const variable = (name: string, words: number, value: number): string =>
  `.globl ${name}\n.type ${name},@object\n${name}: .fill ${words},4,${value}\n.size ${name},${4 * words}\n`;

const addressOf = (elf: ElfFile, name: string): number =>
  [...functionIndex(elf)].find((one) => one.name === name)!.start;

/** In `folder`, with one process for each number that logs have. */
export function writeRun(
  folder: string,
  image: WrittenImage,
  logs: readonly WrittenSamplingLog[],
): string {
  mkdirSync(folder, { recursive: true });
  const processes = [...new Set(logs.map(({ process }) => process))];
  const header = Buffer.alloc(CHANNEL_SIZE);
  header.writeUInt32LE(AgentProtocol.DH_MAGIC, ChannelAt.magic);
  header.writeUInt32LE(AgentProtocol.DH_PROTOCOL, ChannelAt.protocol);
  const records = processes.flatMap((process) => [
    helloRecord(process, image.path),
    imageRecord(process, image),
  ]);
  const bytes = Buffer.concat([header, ...records, Buffer.alloc(64)]);
  writeFileSync(join(folder, AgentProtocol.DH_SAMPLING_CHANNEL), bytes);
  for (const log of logs) log.save(folder);
  return folder;
}

function helloRecord(process: number, path: string): Buffer {
  const text = Buffer.from(path);
  const record = emptyRecord(AgentKind.DH_KIND_HELLO, HelloAt.path + text.length);
  record.writeUInt32LE(1000 + process, HelloAt.pid);
  record.writeUInt32LE(AgentProtocol.DH_PROTOCOL, HelloAt.protocol);
  record.writeUInt32LE(process, HelloAt.process);
  record.writeUInt32LE(text.length, HelloAt.path_length);
  text.copy(record, HelloAt.path);
  return record;
}

function imageRecord(process: number, image: WrittenImage): Buffer {
  const [id, path] = [Buffer.from(image.buildId, 'hex'), Buffer.from(image.path)];
  const length = ImageAt.id_and_path + id.length + path.length;
  const record = emptyRecord(AgentKind.DH_KIND_IMAGE, length);
  record.writeUInt32LE(process, ImageAt.process);
  record.writeUInt32LE(id.length, ImageAt.id_length);
  record.writeBigUInt64LE(BigInt(image.loadBase), ImageAt.load_base);
  record.writeBigUInt64LE(BigInt(image.begin), ImageAt.begin);
  record.writeBigUInt64LE(BigInt(image.end), ImageAt.end);
  record.writeUInt32LE(path.length, ImageAt.path_length);
  id.copy(record, ImageAt.id_and_path);
  path.copy(record, ImageAt.id_and_path + id.length);
  return record;
}

function emptyRecord(kind: number, length: number): Buffer {
  const record = Buffer.alloc(Math.ceil(length / 8) * 8);
  record.writeUInt32LE(kind, RecordAt.kind);
  record.writeUInt32LE(record.length, RecordAt.size);
  return record;
}

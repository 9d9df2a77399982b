/**
 * Where each register stands in what a stub answers to `g`. It says so itself, in XML files:
 *
 *   target.xml        <target><architecture>i386:x86-64</architecture><xi:include href="i386-64bit.xml"/></target>
 *   i386-64bit.xml    <feature …><reg name="rax" bitsize="64" …/><reg name="rbx" …/>…<reg name="fs_base" …/>…
 *
 * Registers follow each other by their numbers, which count up unless one is given. Of XML only tags are looked at.
 */
import type { RegisterName } from '../../linux/registers.ts';
import type { RunnerRegisters } from '../debug-target.ts';
import { NotGdbProtocol } from './packets.ts';

export interface RegisterPlace {
  readonly offset: number;
  /** In bytes. */
  readonly size: number;
}

export type RegisterLayout = ReadonlyMap<string, RegisterPlace>;

const MOST_FILES = 50;
const MOST_REGISTERS = 4096;

/** What every stub for x86-64 begins with. */
const USUAL: readonly (readonly [string, number])[] = [
  ...['rax', 'rbx', 'rcx', 'rdx', 'rsi', 'rdi', 'rbp', 'rsp'].map((name) => [name, 64] as const),
  ...['r8', 'r9', 'r10', 'r11', 'r12', 'r13', 'r14', 'r15'].map((name) => [name, 64] as const),
  ['rip', 64],
  ...['eflags', 'cs', 'ss', 'ds', 'es', 'fs', 'gs'].map((name) => [name, 32] as const),
];

export const usualLayout = (): RegisterLayout =>
  placed(USUAL.map(([name, bits], number) => ({ name, bits, number })));

/** `file`: one of the stub's files; undefined if it has none of that name. */
export async function readLayout(
  file: (name: string) => Promise<string | undefined>,
): Promise<RegisterLayout> {
  const found: Numbered[] = [];
  let filesLeft = MOST_FILES;
  const read = async (name: string): Promise<void> => {
    if (--filesLeft < 0) return;
    const text = (await file(name)) ?? '';
    for (const [, tag = '', inside = ''] of text
      .replace(/<!--.*?-->/gs, '')
      .matchAll(/<(reg|xi:include)\s([^>]*)>/gs)) {
      const attributes = new Map(
        [...inside.matchAll(/([\w-]+)\s*=\s*"([^"]*)"/g)].map(([, key = '', value = '']) => [
          key,
          value,
        ]),
      );
      if (tag === 'xi:include') await read(attributes.get('href') ?? '');
      else found.push(numbered(attributes, found.at(-1)));
    }
  };
  await read('target.xml');
  const layout = found.length <= MOST_REGISTERS ? placed(found) : new Map();
  return layout.has('rip') ? layout : usualLayout();
}

interface Numbered {
  readonly name: string;
  readonly bits: number;
  readonly number: number;
}

function numbered(attributes: ReadonlyMap<string, string>, last: Numbered | undefined): Numbered {
  const given = Number.parseInt(attributes.get('regnum') ?? '', 10);
  const bits = Number.parseInt(attributes.get('bitsize') ?? '', 10);
  return {
    name: attributes.get('name') ?? '',
    bits: bits > 0 && bits <= 4096 ? bits : 0,
    number: given >= 0 ? given : (last?.number ?? -1) + 1,
  };
}

function placed(registers: readonly Numbered[]): RegisterLayout {
  let offset = 0;
  const places = new Map<string, RegisterPlace>();
  for (const { name, bits } of [...registers].sort((a, b) => a.number - b.number)) {
    const size = Math.ceil(bits / 8);
    places.set(name, { offset, size });
    offset += size;
  }
  return places;
}

/** What was in them when a runner stopped; those that the stub does not tell are 0. */
export class StubRegisters implements RunnerRegisters {
  readonly #bytes: Buffer;
  readonly #layout: RegisterLayout;

  /** `answer`: to `g`, in hexadecimal; `x` for what is not known. */
  constructor(answer: string, layout: RegisterLayout) {
    if (answer.length < 2 || answer.length % 2 !== 0 || !/^[0-9a-fx]*$/i.test(answer)) {
      throw new NotGdbProtocol(`its registers are ${JSON.stringify(answer.slice(0, 40))}`);
    }
    this.#bytes = Buffer.from(answer.replaceAll('x', '0'), 'hex');
    this.#layout = layout;
  }

  get(name: RegisterName): bigint {
    return this.find(name) ?? 0n;
  }

  /** Any that the stub has: `k_gs_base` is the kernel's while a program runs. */
  find(name: string): bigint | undefined {
    const place = this.#layout.get(name);
    if (place === undefined || place.offset + place.size > this.#bytes.length) return undefined;
    const bytes = this.#bytes.subarray(place.offset, place.offset + Math.min(place.size, 8));
    let value = 0n;
    for (let index = bytes.length - 1; index >= 0; index--) {
      value = (value << 8n) | BigInt(bytes[index]!);
    }
    return value;
  }
}

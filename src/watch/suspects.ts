/**
 * The user's list of suspicious places, a line for each; what follows # is a remark:
 *
 *   0x401136            an instruction, by its address in memory or in the file
 *   libqueue.so+0x1136  the same, in a library
 *   pipe_read           all of a function's accesses
 *   pipe_read+0x1c      one of them
 *   queue.c:41          all that came of a line
 */
import { basename } from 'node:path';
import { UserError } from '../base/user-error.ts';
import type { CodeFunction, DebugTarget } from './debug-target.ts';
import type { WatchedCode } from './watched-code.ts';
import { worthWatching } from './worth-watching.ts';

export type Suspect = { readonly text: string } & (
  | { readonly kind: 'address'; readonly address: bigint }
  | { readonly kind: 'name'; readonly name: string; readonly offset: bigint | undefined }
  | { readonly kind: 'line'; readonly file: string; readonly line: number }
);

export function parseSuspects(text: string, file: string): Suspect[] {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim());
  return lines.flatMap((line, index) => (line === '' ? [] : [suspectIn(line, file, index + 1)]));
}

function suspectIn(text: string, file: string, number: number): Suspect {
  if (/^0x[0-9a-f]{1,16}$/i.test(text)) return { text, kind: 'address', address: BigInt(text) };
  const line = /^(.+):(\d{1,9})$/.exec(text);
  if (line) return { text, kind: 'line', file: line[1]!, line: Number(line[2]) };
  const name = /^([^\s+]+)(?:\+(0x[0-9a-f]{1,16}|\d{1,15}))?$/i.exec(text);
  if (name) {
    const offset = name[2] === undefined ? undefined : BigInt(name[2]);
    return { text, kind: 'name', name: name[1]!, offset };
  }
  throw new UserError(
    `line ${number} of ${file} is no place in a program: ${text}`,
    'write an address (0x401136), function, function+0x1c, library.so+0x1136 or file.c:41',
  );
}

export interface ResolvedSuspects {
  readonly addresses: readonly bigint[];
  /** For people: those that are nowhere, or touch no memory. */
  readonly problems: readonly string[];
}

export async function resolveSuspects(
  target: Pick<DebugTarget, 'functions' | 'functionAt' | 'sitesAt'>,
  code: WatchedCode,
  suspects: readonly Suspect[],
): Promise<ResolvedSuspects> {
  const addresses = new Set<bigint>();
  const problems: string[] = [];
  if (suspects.length === 0) return { addresses: [], problems };
  const places = new Places(target, code, await target.functions());
  for (const suspect of suspects) {
    const found = await places.find(suspect);
    if (found.length === 0) problems.push(`${suspect.text} is no access that can be watched`);
    for (const address of found) addresses.add(address);
  }
  return { addresses: [...addresses], problems };
}

class Places {
  readonly #target: Pick<DebugTarget, 'functionAt' | 'sitesAt'>;
  readonly #code: WatchedCode;
  readonly #functions: readonly CodeFunction[];

  constructor(
    target: Pick<DebugTarget, 'functionAt' | 'sitesAt'>,
    code: WatchedCode,
    functions: readonly CodeFunction[],
  ) {
    this.#target = target;
    this.#code = code;
    this.#functions = functions;
  }

  async find(suspect: Suspect): Promise<bigint[]> {
    if (suspect.kind === 'line') return this.#inLine(suspect.file, suspect.line);
    if (suspect.kind === 'address') {
      const inMemory = await this.#accessAt(suspect.address);
      return inMemory.length > 0 ? inMemory : this.#inFile(undefined, suspect.address);
    }
    const { name, offset } = suspect;
    const named = this.#functions.filter((one) => one.name === name);
    if (offset === undefined) return (await Promise.all(named.map((one) => this.#all(one)))).flat();
    const inside = await Promise.all(named.map(({ start }) => this.#accessAt(start + offset)));
    return named.length > 0 ? inside.flat() : this.#inFile(name, offset);
  }

  async #accessAt(address: bigint): Promise<bigint[]> {
    const place = await this.#target.functionAt(address);
    return place ? (await this.#all(place)).filter((one) => one === address) : [];
  }

  async #all(place: CodeFunction): Promise<bigint[]> {
    const taken = await this.#code.functionOf(place);
    return (taken ? worthWatching(taken) : []).map((one) => place.start + BigInt(one.address));
  }

  /** An address as the file has it: of the first file with such an instruction, unless one is named. */
  async #inFile(module: string | undefined, address: bigint): Promise<bigint[]> {
    const modules = new Map<string, CodeFunction>();
    for (const one of this.#functions) {
      const isWanted = module === undefined || basename(one.module) === module;
      if (isWanted && !modules.has(one.module)) modules.set(one.module, one);
    }
    for (const { start } of modules.values()) {
      const [site] = await this.#target.sitesAt(start);
      if (site?.address === undefined) continue;
      const found = await this.#accessAt(start - BigInt(site.address) + address);
      if (found.length > 0) return found;
    }
    return [];
  }

  async #inLine(file: string, line: number): Promise<bigint[]> {
    const isIt = (path: string | undefined): boolean =>
      path !== undefined && (path === file || path.endsWith(`/${file}`));
    const found: bigint[] = [];
    for (const place of this.#functions) {
      for (const address of await this.#all(place)) {
        const sites = await this.#target.sitesAt(address);
        if (sites.some((site) => isIt(site.file) && site.line === line)) found.push(address);
      }
    }
    return found;
  }
}

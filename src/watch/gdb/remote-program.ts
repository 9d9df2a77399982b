/**
 * A program under gdbserver, on this machine or another: its files are read through the stub, so that they are those
 * that it runs.
 *
 *   exec-file        /home/me/bank; its entry is where the kernel was told to start: so it is known how far it was moved
 *   libraries-svr4   <library name="/lib/x86_64-linux-gnu/libc.so.6" l_addr="0x7ffff7dd5000" …/>
 *
 * Sampled is the executable; libraries are there for stacks and names.
 */
import { basename } from 'node:path';
import { decodeBytes } from '../../base/bytes.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { parseElf } from '../../binary/elf/elf-file.ts';
import { imageAddress } from '../../binary/image-address.ts';
import { CodeImage, type LoadedImage } from '../../debugger/loaded-images.ts';
import { frameRegisters, sitesAt, stackOf } from '../../debugger/stack-trace.ts';
import type { Site } from '../../report/model.ts';
import { codeFunction } from '../code-function.ts';
import type { CodeFunction, Runner, RunnerName } from '../debug-target.ts';
import type { StubRegisters } from './register-layout.ts';
import { readRemoteFile } from './remote-file.ts';
import type { RemoteSystem } from './remote-system.ts';
import type { Stub } from './stub.ts';

/** `AT_ENTRY` of <elf.h>. */
const ENTRY = 9n;
const STACK_READ = 1 << 14;

export class RemoteProgram implements RemoteSystem {
  readonly #stub: Stub;
  readonly #executable: LoadedImage;
  readonly #process: number;
  readonly #files = new Map<string, CodeImage | undefined>();
  #libraries: Promise<readonly LoadedImage[]> | undefined;

  private constructor(stub: Stub, executable: LoadedImage, process: number) {
    this.#stub = stub;
    this.#executable = executable;
    this.#process = process;
  }

  static async find(stub: Stub): Promise<RemoteProgram> {
    const path = await stub.file('exec-file', '');
    const image = path === undefined ? undefined : await readImage(stub, path, true);
    const entry = entryIn(Buffer.from((await stub.file('auxv', '')) ?? '', 'latin1'));
    if (image === undefined || entry === undefined) {
      throw new UserError(
        `the gdb stub at ${stub.connection.name} does not tell what runs there`,
        'QEMU does (give --kernel FILE if it is another machine with Linux), and gdbserver',
        ExitStatus.unavailable,
      );
    }
    const bias = entry - BigInt(image.elf.header.entry);
    return new RemoteProgram(stub, { image, bias }, stub.process ?? 0);
  }

  async functions(): Promise<readonly CodeFunction[]> {
    return this.#executable.image.functions.map((one) => codeFunction(this.#executable, one));
  }

  async functionAt(address: bigint): Promise<CodeFunction | undefined> {
    const loaded = at(await this.#images(), address);
    const found = loaded?.image.functionAt(Number(address - loaded.bias));
    return loaded && found && codeFunction(loaded, found);
  }

  async who(runner: Runner): Promise<RunnerName> {
    const process = basename(this.#executable.image.path);
    const threads = (await this.#stub.file('threads', '')) ?? '';
    const named = [...threads.matchAll(/<thread id="[^"]*?\.?([0-9a-f]+)"[^>]*? name="([^"]*)"/g)];
    const name = named.find(([, id = '']) => Number.parseInt(id, 16) === runner)?.[2];
    const isOwn = name !== undefined && name !== '' && name !== process.slice(0, name.length);
    return { process, pid: this.#process, thread: runner, ...(isOwn && { threadName: name }) };
  }

  async stack(runner: Runner, registers: StubRegisters): Promise<Site[]> {
    const images = await this.#images();
    const start = registers.get('rsp');
    const bytes = Buffer.from(await this.#stub.read(start, STACK_READ, runner));
    return stackOf(
      frameRegisters(registers),
      { at: (address) => at(images, address) },
      (address) => {
        const place = Number(address - start);
        return place >= 0 && place + 8 <= bytes.length ? bytes.readBigUInt64LE(place) : undefined;
      },
    );
  }

  async sitesAt(address: bigint): Promise<Site[]> {
    const loaded = at(await this.#images(), address);
    if (loaded === undefined) return [{ address: `0x${address.toString(16)}` }];
    return sitesAt(loaded.image, Number(address - loaded.bias));
  }

  async dataName(address: bigint): Promise<string> {
    const loaded = at(await this.#images(), address);
    return loaded?.image.names.dataAt(imageAddress(Number(address - loaded.bias))) ?? '';
  }

  isShared(): boolean {
    return true;
  }

  async codeChanges(): Promise<readonly bigint[]> {
    return [];
  }

  forget(): void {
    this.#libraries = undefined;
  }

  async #images(): Promise<readonly LoadedImage[]> {
    this.#libraries ??= this.#readLibraries();
    return [this.#executable, ...(await this.#libraries)];
  }

  async #readLibraries(): Promise<readonly LoadedImage[]> {
    const list = (await this.#stub.file('libraries-svr4', '')) ?? '';
    const loaded: LoadedImage[] = [];
    for (const [, inside = ''] of list.matchAll(/<library\s([^>]*)>/g)) {
      const [, name = ''] = /\bname="([^"]*)"/.exec(inside) ?? [];
      const [, bias = '0'] = /\bl_addr="(0x[0-9a-f]+)"/.exec(inside) ?? [];
      if (!this.#files.has(name)) this.#files.set(name, await readImage(this.#stub, name, false));
      const image = this.#files.get(name);
      if (image) loaded.push({ image, bias: BigInt(bias) });
    }
    // Before the loader has run, there are none.
    if (loaded.length === 0) this.#libraries = undefined;
    return loaded;
  }
}

/** `path`: as the stub tells it, a byte a character. */
async function readImage(
  stub: Stub,
  path: string,
  isSampled: boolean,
): Promise<CodeImage | undefined> {
  const bytes = Buffer.from(path, 'latin1');
  const content = await readRemoteFile(stub.connection, bytes);
  if (content === undefined) return undefined;
  const made = tryTo(() => new CodeImage(decodeBytes(bytes), parseElf(content), isSampled));
  return made.ok ? made.value : undefined;
}

function entryIn(auxiliary: Buffer): bigint | undefined {
  for (let place = 0; place + 16 <= auxiliary.length; place += 16) {
    if (auxiliary.readBigUInt64LE(place) === ENTRY) return auxiliary.readBigUInt64LE(place + 8);
  }
  return undefined;
}

const at = (images: readonly LoadedImage[], address: bigint): LoadedImage | undefined =>
  images.find(({ image, bias }) => address >= bias && image.covers(Number(address - bias)));

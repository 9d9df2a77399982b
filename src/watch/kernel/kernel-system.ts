/**
 * A Linux kernel behind a gdb stub: its functions and those of its modules, whose work a processor does, who has
 * called whom.
 *
 *   sitesAt(0xffffffff98963797n)      [{ function: 'vfs_read', module: 'vmlinux', address: '0x363797' }]
 *   frameText(that)                   vfs_read+0x7/0x310
 *
 * Kernels and modules are elsewhere after each start: addresses are told from where their code begins.
 */
import { firstIndex } from '../../base/bisect.ts';
import { KernelTypes } from '../../linux/btf.ts';
import type { Site } from '../../report/model.ts';
import type { CodeFunction, Runner, RunnerName } from '../debug-target.ts';
import type { StubRegisters } from '../gdb/register-layout.ts';
import type { ReadMemory, RemoteSystem } from '../gdb/remote-system.ts';
import { CurrentTasks } from './current-task.ts';
import type { ModuleLines } from './module-lines.ts';
import { type KernelModule, readModules } from './modules.ts';
import { findOrcEntry, type OrcEntry, type OrcPlaces } from './orc-table.ts';
import type { KernelSymbols } from './symbols.ts';
import { unchanging } from './unchanging-memory.ts';
import { unwind } from './unwind.ts';
import { KERNEL, watchedFunctions } from './watched-functions.ts';

/** What programs have is their own. */
const USER_END = 1n << 47n;
const LONGEST_BANNER = 256;
/** Where a module's code is complete and not yet run, and where it is about to go. */
const CODE_CHANGES = ['do_init_module', 'free_module'];

export class KernelSystem implements RemoteSystem {
  readonly #symbols: KernelSymbols;
  readonly #read: ReadMemory;
  readonly #lines: ModuleLines | undefined;
  readonly #readTables: ReadMemory;
  #types: Promise<KernelTypes | undefined> | undefined;
  #modules: Promise<readonly KernelModule[]> | undefined;
  #functions: readonly CodeFunction[] | undefined;
  #hasNewOrc: Promise<boolean> | undefined;

  /** `lines`: of modules whose files are known. */
  constructor(symbols: KernelSymbols, read: ReadMemory, lines?: ModuleLines) {
    this.#symbols = symbols;
    this.#lines = lines;
    this.#read = read;
    this.#readTables = unchanging(read);
  }

  async functions(): Promise<readonly CodeFunction[]> {
    this.#functions ??= watchedFunctions(this.#symbols);
    const modules = await this.#loaded();
    return [...this.#functions, ...modules.flatMap(({ functions }) => functions)];
  }

  async functionAt(address: bigint): Promise<CodeFunction | undefined> {
    const module = await this.#moduleAt(address);
    if (module) return rangeAt(module.functions, address);
    const found = this.#symbols.at(address);
    if (found === undefined || address >= found.end || !/^[tTwW]$/.test(found.type))
      return undefined;
    return { name: found.name, module: KERNEL, start: found.start, end: found.end };
  }

  async who(runner: Runner, registers: StubRegisters): Promise<RunnerName> {
    const types = await this.#btf();
    const tasks = types && new CurrentTasks(this.#symbols, types, this.#read);
    const task = await tasks?.of(runner, registers);
    if (task === undefined) return { process: KERNEL, pid: 0, thread: 0, processor: runner - 1 };
    return {
      process: task.name,
      pid: task.process,
      thread: task.thread,
      ...(task.inInterrupt && { threadName: 'interrupt' }),
      processor: task.processor,
    };
  }

  async stack(_runner: Runner, registers: StubRegisters): Promise<Site[]> {
    const modules = await this.#loaded();
    const [start, end] = this.#code();
    const frames = await unwind(registers, {
      read: this.#read,
      orcAt: (address) => this.#orcAt(address),
      isCode: (address) =>
        (address >= start && address < end) ||
        modules.some((one) => address >= one.start && address < one.end),
    });
    const sites: Site[] = [];
    for (const { address, isReturn, isGuess } of frames) {
      const found = await this.#sitesAt(address, isReturn);
      if (isGuess) sites.push({ ...found.at(-1)!, function: `? ${found.at(-1)!.function ?? ''}` });
      else sites.push(...found);
    }
    return sites;
  }

  async sitesAt(address: bigint): Promise<Site[]> {
    return this.#sitesAt(address, false);
  }

  async dataName(address: bigint): Promise<string> {
    const modules = await this.#loaded();
    const variable = modules
      .map(({ variables }) => rangeAt(variables, address))
      .find((found) => found !== undefined);
    const found = variable ?? this.#symbols.at(address);
    if (found === undefined || address >= found.end) return '';
    const offset = address - found.start;
    return offset === 0n ? found.name : `${found.name}+${offset}`;
  }

  isShared(address: bigint): boolean {
    return address >= USER_END;
  }

  async codeChanges(): Promise<readonly bigint[]> {
    return CODE_CHANGES.flatMap((name) => this.#symbols.find(name) ?? []);
  }

  forget(): void {
    this.#modules = undefined;
  }

  /** Of a function or variable of the kernel itself. */
  addressOf(name: string): bigint | undefined {
    return this.#symbols.find(name);
  }

  /** As a kernel prints it: `lo_open+0x12/0x40 [loop]`. */
  async frameText(site: Site): Promise<string> {
    const name = site.function ?? '';
    const base = site.module === undefined ? undefined : await this.#baseOf(site.module);
    if (base === undefined || site.address === undefined) return name || (site.address ?? '');
    const address = base + BigInt(site.address);
    const found = (await this.functionAt(address)) ?? (await this.functionAt(address - 1n));
    if (found === undefined) return name || `0x${address.toString(16)}`;
    const place = `0x${(address - found.start).toString(16)}/0x${(found.end - found.start).toString(16)}`;
    const guess = name.startsWith('? ') ? '? ' : '';
    return `${guess}${found.name}+${place}${site.module === KERNEL ? '' : ` [${site.module}]`}`;
  }

  /** At least one: the innermost function, then those that it was inlined into. */
  async #sitesAt(address: bigint, isReturn: boolean): Promise<Site[]> {
    const inside = isReturn ? address - 1n : address;
    const found = await this.functionAt(inside);
    const base = found && (await this.#baseOf(found.module));
    if (found === undefined || base === undefined) {
      return [{ address: `0x${address.toString(16)}` }];
    }
    const { name, module, start, end } = found;
    const place = { module, address: `0x${(address - base).toString(16)}` };
    const size = Number(end - start);
    const frames = this.#lines?.framesAt(module, { name, size }, Number(inside - start)) ?? [];
    if (frames.length === 0) return [{ function: name, ...place }];
    return frames.map((frame) => ({ function: name, ...frame, ...place }));
  }

  async #baseOf(module: string): Promise<bigint | undefined> {
    if (module === KERNEL) return this.#code()[0];
    return (await this.#loaded()).find(({ name }) => name === module)?.start;
  }

  #code(): readonly [bigint, bigint] {
    const start = this.#symbols.find('_stext') ?? this.#symbols.find('_text') ?? 0n;
    // What runs at the start comes behind all data.
    return [start, this.#symbols.find('_einittext') ?? this.#symbols.find('_etext') ?? 0n];
  }

  async #moduleAt(address: bigint): Promise<KernelModule | undefined> {
    return (await this.#loaded()).find(({ start, end }) => address >= start && address < end);
  }

  #loaded(): Promise<readonly KernelModule[]> {
    this.#modules ??= this.#readModules();
    return this.#modules;
  }

  async #readModules(): Promise<readonly KernelModule[]> {
    const list = this.#symbols.find('modules');
    const types = await this.#btf();
    return list === undefined || types === undefined
      ? []
      : await readModules(types, list, this.#read);
  }

  #btf(): Promise<KernelTypes | undefined> {
    this.#types ??= this.#readTypes();
    return this.#types;
  }

  async #readTypes(): Promise<KernelTypes | undefined> {
    const [start, end] = [this.#symbols.find('__start_BTF'), this.#symbols.find('__stop_BTF')];
    if (start === undefined || end === undefined) return undefined;
    const bytes = await this.#read(start, Number(end - start));
    return bytes.length === Number(end - start) ? new KernelTypes(Buffer.from(bytes)) : undefined;
  }

  async #orcAt(address: bigint): Promise<OrcEntry | undefined> {
    const module = await this.#moduleAt(address);
    const places = module ? module.orc : this.#orcOfKernel();
    // A module's tables may go, and another's come to the same place.
    const read = module ? this.#read : this.#readTables;
    return places && (await findOrcEntry(places, address, read, await this.#usesNewOrc()));
  }

  #orcOfKernel(): OrcPlaces | undefined {
    const addresses = this.#symbols.find('__start_orc_unwind_ip');
    const end = this.#symbols.find('__stop_orc_unwind_ip');
    const entries = this.#symbols.find('__start_orc_unwind');
    if (addresses === undefined || end === undefined || entries === undefined) return undefined;
    return { addresses, entries, count: Number(end - addresses) / 4 };
  }

  #usesNewOrc(): Promise<boolean> {
    this.#hasNewOrc ??= this.#version().then(
      ([major, minor]) => major > 6 || (major === 6 && minor >= 4),
    );
    return this.#hasNewOrc;
  }

  async #version(): Promise<readonly [number, number]> {
    const at = this.#symbols.find('linux_banner');
    const banner =
      at === undefined ? '' : Buffer.from(await this.#read(at, LONGEST_BANNER)).toString('latin1');
    const [, major = '0', minor = '0'] = /^Linux version (\d+)\.(\d+)/.exec(banner) ?? [];
    return [Number(major), Number(minor)];
  }
}

function rangeAt(ranges: readonly CodeFunction[], address: bigint): CodeFunction | undefined {
  const found = ranges[firstIndex(ranges, ({ start }) => start > address) - 1];
  return found !== undefined && address < found.end ? found : undefined;
}

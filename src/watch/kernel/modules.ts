/**
 * The modules of a running kernel, from the list that it has of them: names, where their code is, their symbols and
 * unwind tables. Where members are is told by the kernel's own types (BTF).
 *
 *   { name: 'loop', start: 0xffffffffc0201000n, end: …, symbols: [{ name: 'lo_open', … }], orc: … }
 *
 * Modules that are about to go, or not complete, are left out.
 */
import type { KernelTypes } from '../../linux/btf.ts';
import type { CodeFunction } from '../debug-target.ts';
import type { ReadMemory } from '../gdb/remote-system.ts';
import type { OrcPlaces } from './orc-table.ts';

export interface KernelModule {
  readonly name: string;
  /** Its code. */
  readonly start: bigint;
  readonly end: bigint;
  readonly functions: readonly CodeFunction[];
  readonly variables: readonly CodeFunction[];
  readonly orc: OrcPlaces | undefined;
}

const MOST_MODULES = 2000;
const MOST_SYMBOLS = 200_000;
const LONGEST_NAME = 56;
const MOST_TEXT = 16 << 20;
const SYMBOL_SIZE = 24;
const SymbolType = { object: 1, function: 2 } as const;
/** `enum module_state` of <linux/module.h>: live, coming, going, unformed. */
const GOING = 2;

export async function readModules(
  types: KernelTypes,
  list: bigint,
  read: ReadMemory,
): Promise<KernelModule[]> {
  const layout = moduleLayout(types);
  const modules: KernelModule[] = [];
  let at = await pointer(read, list);
  while (at !== undefined && at !== list && modules.length < MOST_MODULES) {
    const bytes = Buffer.from(await read(at - BigInt(layout.list), layout.size));
    if (bytes.length < layout.size) break;
    if (bytes.readUInt32LE(layout.state) < GOING) modules.push(await moduleIn(bytes, layout, read));
    at = bytes.readBigUInt64LE(layout.list);
  }
  return modules;
}

type Layout = ReturnType<typeof moduleLayout>;

function moduleLayout(types: KernelTypes) {
  const at = (path: string): number => types.offsetOf('module', path);
  // Up to Linux 6.3 there is core_layout, later an array of kinds of memory, of which code is the first.
  const isOld = types.findMember('module', 'core_layout') !== undefined;
  const memory = isOld ? at('core_layout') : at('mem');
  const kind = isOld ? 'module_layout' : 'module_memory';
  const hasOrc = types.findMember('module', 'arch.orc_unwind') !== undefined;
  return {
    size: types.sizeOf(types.idOf('struct', 'module')),
    list: at('list'),
    state: at('state'),
    name: at('name'),
    base: memory + types.offsetOf(kind, 'base'),
    textSize: memory + types.offsetOf(kind, isOld ? 'text_size' : 'size'),
    kallsyms: at('kallsyms'),
    symbols: types.offsetOf('mod_kallsyms', 'symtab'),
    symbolCount: types.offsetOf('mod_kallsyms', 'num_symtab'),
    strings: types.offsetOf('mod_kallsyms', 'strtab'),
    orc: hasOrc
      ? {
          count: at('arch.num_orcs'),
          addresses: at('arch.orc_unwind_ip'),
          entries: at('arch.orc_unwind'),
        }
      : undefined,
  };
}

async function moduleIn(bytes: Buffer, layout: Layout, read: ReadMemory): Promise<KernelModule> {
  const nameBytes = bytes.subarray(layout.name, layout.name + LONGEST_NAME);
  const nameEnd = nameBytes.indexOf(0);
  const name = nameBytes.toString('latin1', 0, nameEnd < 0 ? undefined : nameEnd);
  const start = bytes.readBigUInt64LE(layout.base);
  const end = start + BigInt(bytes.readUInt32LE(layout.textSize));
  const symbols = await symbolsAt(bytes.readBigUInt64LE(layout.kallsyms), layout, read);
  const named = (type: number): CodeFunction[] =>
    symbols
      .filter((one) => one.type === type && one.address !== 0n)
      .map((one) => ({
        name: one.name,
        module: name,
        start: one.address,
        end: one.address + one.size,
      }))
      .sort((a, b) => Number(a.start - b.start));
  const { orc } = layout;
  return {
    name,
    start,
    end,
    functions: named(SymbolType.function).filter((one) => one.start >= start && one.start < end),
    variables: named(SymbolType.object),
    orc: orc && {
      addresses: bytes.readBigUInt64LE(orc.addresses),
      entries: bytes.readBigUInt64LE(orc.entries),
      count: bytes.readUInt32LE(orc.count),
    },
  };
}

interface ModuleSymbol {
  readonly name: string;
  readonly type: number;
  readonly address: bigint;
  readonly size: bigint;
}

async function symbolsAt(
  address: bigint,
  layout: Layout,
  read: ReadMemory,
): Promise<ModuleSymbol[]> {
  const lists = Buffer.from(
    await read(address, Math.max(layout.symbols, layout.strings, layout.symbolCount) + 8),
  );
  if (lists.length < layout.strings + 8) return [];
  const count = Math.min(lists.readUInt32LE(layout.symbolCount), MOST_SYMBOLS);
  const table = Buffer.from(await read(lists.readBigUInt64LE(layout.symbols), count * SYMBOL_SIZE));
  const found = Math.floor(table.length / SYMBOL_SIZE);
  let textEnd = 0;
  for (let index = 0; index < found; index++) {
    textEnd = Math.max(textEnd, table.readUInt32LE(index * SYMBOL_SIZE));
  }
  const longest = Math.min(textEnd + 512, MOST_TEXT);
  const texts = Buffer.from(await read(lists.readBigUInt64LE(layout.strings), longest));
  return Array.from({ length: found }, (_, index) => {
    const at = index * SYMBOL_SIZE;
    const nameAt = table.readUInt32LE(at);
    const nameEnd = texts.indexOf(0, nameAt);
    return {
      name: texts.toString('latin1', nameAt, nameEnd < 0 ? undefined : nameEnd),
      type: table[at + 4]! & 15,
      address: table.readBigUInt64LE(at + 8),
      size: table.readBigUInt64LE(at + 16),
    };
  });
}

async function pointer(read: ReadMemory, at: bigint): Promise<bigint | undefined> {
  const bytes = Buffer.from(await read(at, 8));
  return bytes.length === 8 ? bytes.readBigUInt64LE() : undefined;
}

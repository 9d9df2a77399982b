/** What people call the data at an address: `counter`, `table[3].next`, `heap block of 24 bytes, at +8`, `program+0x404c`, … */
import { basename } from 'node:path';
import { imageAddress } from '../../binary/image-address.ts';
import { heapBlockAt } from '../../debugger/heap-block.ts';
import type { LoadedImages } from '../../debugger/loaded-images.ts';
import type { Pid, Tid } from '../../linux/ids.ts';
import { type Mapping, mappingsOf } from '../../linux/memory-maps.ts';
import { stackPointerOf } from '../../linux/task-state.ts';
import { heapPlace } from '../../report/wording.ts';
import type { RunnerRegisters, Variable } from '../debug-target.ts';

/** One that a file has a name for. */
export function variableAt(images: LoadedImages, address: bigint): Variable | undefined {
  const loaded = images.around(address);
  if (loaded === undefined) return undefined;
  const place = imageAddress(Number(address - loaded.bias));
  const name = loaded.image.names.dataAt(place);
  return name === '' ? undefined : { name, isAtomic: loaded.image.names.isAtomic(place) };
}

interface ThreadsOfProcess {
  readonly process: Pid;
  readonly threads: Iterable<Tid>;
}

/** `runner` stands, with these registers. '' if nothing is known. */
export function nameOfData(
  process: ThreadsOfProcess,
  images: LoadedImages,
  address: bigint,
  runner: Tid,
  registers: RunnerRegisters,
): string {
  const variable = variableAt(images, address);
  if (variable !== undefined) return nameForPeople(variable.name);
  const loaded = images.around(address);
  const mapping = mappingsOf(process.process).find((one) => isIn(one, address));
  if (mapping === undefined) return '';
  const owner = stackOwner(process, mapping, runner, registers);
  if (owner !== undefined) return `stack of thread ${owner}`;
  const block = heapBlockAt(process.process, address);
  if (block !== undefined) return heapPlace(block.size, Number(address - block.start));
  if (mapping.path === '[heap]') return 'heap';
  if (loaded !== undefined) {
    return `${basename(loaded.image.path)}+0x${(address - loaded.bias).toString(16)}`;
  }
  return mapping.path.startsWith('/') ? basename(mapping.path) : mapping.path;
}

/** What C++ asks before it makes a `static` variable of a function has no name in the source. */
const nameForPeople = (name: string): string =>
  name.startsWith('_ZGV') ? `guard of a static variable (${name})` : name;

function stackOwner(
  process: ThreadsOfProcess,
  mapping: Mapping,
  runner: Tid,
  registers: RunnerRegisters,
): number | undefined {
  if (mapping.path === '[stack]') return process.process;
  if (isIn(mapping, registers.get('rsp'))) return runner;
  for (const task of process.threads) {
    const pointer = stackPointerOf(task);
    if (pointer !== undefined && isIn(mapping, pointer)) return task;
  }
  return undefined;
}

const isIn = ({ start, end }: Mapping, address: bigint): boolean =>
  address >= start && address < end;

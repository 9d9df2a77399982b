/**
 * Memory for code of ours in a traced process, near enough to its own code that 32 bits reach from one to the
 * other. The process is made to map it, at a distance from everything, so that what it maps itself later gets
 * the addresses that it would have got anyway:
 *
 *   5555_1555_4000          our page
 *   5555_5555_4000 …        the program
 *
 * The first page begins with a `syscall` instruction, from which any of its threads can map another one.
 */
import { errnoName } from './errno.ts';
import { type Tid, type TraceeAddress, traceeAddress } from './ids.ts';
import { callFrom } from './inject.ts';
import { readMemory, writeCode } from './process-memory.ts';

/** Source: <asm-generic/mman-common.h>. */
const PROT_READ_EXEC = 5;
const MAP_PRIVATE_ANONYMOUS_NOREPLACE = 0x10_0022;

const PAGE = 4096;
const SYSCALL = Buffer.from([0x0f, 0x05]);
const ALIGNMENT = 16;
const MEGABYTE = 1n << 20n;
/** From the code that it is for; images are far smaller than what 32 bits reach beyond that. */
const DISTANCES = [-1024n, 1024n, -768n, 768n, -512n, 512n].map((distance) => distance * MEGABYTE);
const REACH = 1280n * MEGABYTE;

interface Region {
  readonly start: bigint;
  used: number;
}

export class CodeRoom {
  readonly #regions: Region[] = [];
  #syscallAt: TraceeAddress;
  /** Until there is a page of ours, the `syscall` stands there for a moment. */
  readonly #quietPlace: TraceeAddress;

  /** `quietPlace`: code that no thread runs while the first room is taken. */
  constructor(quietPlace: TraceeAddress) {
    this.#quietPlace = quietPlace;
    this.#syscallAt = quietPlace;
  }

  /** `task` stands in code of its own. Throws if the process gets no memory there. */
  take(task: Tid, near: TraceeAddress, size: number): TraceeAddress {
    const region = this.#regions.find(
      ({ start, used }) => distance(start, near) < REACH && used + size <= PAGE,
    );
    const { start, used } = region ?? this.#add(task, near);
    const taken = region ?? this.#regions.at(-1)!;
    taken.used = used + Math.ceil(size / ALIGNMENT) * ALIGNMENT;
    return traceeAddress(start + BigInt(used));
  }

  #add(task: Tid, near: TraceeAddress): Region {
    const page = near & ~BigInt(PAGE - 1);
    let refused = 0;
    for (const from of DISTANCES) {
      if (page + from < MEGABYTE) continue;
      const result = this.#map(task, page + from);
      // Kernels before 4.17 take the address for a wish.
      if (result > 0 && distance(BigInt(result), near) < REACH) {
        const region = { start: BigInt(result), used: 0 };
        if (this.#regions.length === 0) this.#keepSyscall(task, region);
        this.#regions.push(region);
        return region;
      }
      refused = result;
    }
    throw new Error(`no memory for breakpoints: ${errnoName(-refused)}`);
  }

  #map(task: Tid, at: bigint): number {
    const args = [at, PAGE, PROT_READ_EXEC, MAP_PRIVATE_ANONYMOUS_NOREPLACE, -1, 0];
    const call = { name: 'mmap', args };
    if (this.#regions.length > 0) return callFrom(task, this.#syscallAt, call);
    const original = readMemory(task, this.#quietPlace, SYSCALL.length);
    writeCode(task, this.#quietPlace, SYSCALL);
    try {
      return callFrom(task, this.#quietPlace, call);
    } finally {
      writeCode(task, this.#quietPlace, original);
    }
  }

  #keepSyscall(task: Tid, region: Region): void {
    this.#syscallAt = traceeAddress(region.start);
    writeCode(task, this.#syscallAt, SYSCALL);
    region.used = ALIGNMENT;
  }
}

const distance = (one: bigint, other: bigint): bigint => (one < other ? other - one : one - other);

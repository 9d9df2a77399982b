/**
 * Hears when libraries come and go: the loader calls an empty function then, for debuggers, and a breakpoint
 * stays there.
 *
 *   dlclose ─▶ callback, "about to go"     nothing of us stays in libraries: theirs may be unmapped next
 *           ─▶ callback, "all is done"     who is still there gets its breakpoints back
 *
 * The function is `ret`, or `endbr64; ret`; a thread gets past the breakpoint by having its return done for it.
 */
import type { LoadedImages } from '../../debugger/loaded-images.ts';
import { type Pid, type Tid, type TraceeAddress, tid, traceeAddress } from '../../linux/ids.ts';
import { areLibrariesGoing, loaderCallback } from '../../linux/loader.ts';
import { readMemory } from '../../linux/process-memory.ts';
import { writeRegisters } from '../../linux/ptrace.ts';
import type { Registers } from '../../linux/registers.ts';
import type { PlantedCode } from './planted-code.ts';

const ENDBR64 = Buffer.from([0xf3, 0x0f, 0x1e, 0xfa]);
const RET = Buffer.from([0xc3]);

export class LoaderListener {
  readonly #process: Pid;
  #dynamic: TraceeAddress | undefined;
  /** Of the `ret`; undefined if the loader cannot be heard, as in a static program. */
  #address: bigint | undefined;

  constructor(process: Pid) {
    this.#process = process;
  }

  listen(code: PlantedCode, images: LoadedImages): void {
    this.#address = undefined;
    this.#dynamic = images.dynamicTableOf(this.#process);
    const callback = this.#dynamic && loaderCallback(tid(this.#process), this.#dynamic);
    if (!callback) return;
    const bytes = readMemory(tid(this.#process), callback, ENDBR64.length + RET.length);
    const skipped = bytes.subarray(0, ENDBR64.length).equals(ENDBR64) ? ENDBR64.length : 0;
    const address = callback + BigInt(skipped);
    if (bytes[skipped] === RET[0] && code.plant(address, RET)) this.#address = address;
  }

  isAt(address: bigint): boolean {
    return address === this.#address;
  }

  /** For a thread that stands there. */
  areLibrariesGoing(task: Tid): boolean {
    return this.#dynamic !== undefined && areLibrariesGoing(task, this.#dynamic);
  }

  /** Has it behind the function; it has to go on yet. */
  return(task: Tid, registers: Registers): void {
    const stack = registers.stack;
    const to = readMemory(task, traceeAddress(stack), 8);
    registers.set('rip', to.readBigUInt64LE());
    registers.set('rsp', stack + 8n);
    writeRegisters(task, registers);
  }
}

/**
 * What runs behind a gdb stub, in terms that the stub does not know: names, files, tasks. A kernel (kernel/) or a
 * program under gdbserver (remote-program.ts).
 */
import type { Site } from '../../report/model.ts';
import type { CodeFunction, Runner, RunnerName } from '../debug-target.ts';
import type { StubRegisters } from './register-layout.ts';

export interface RemoteSystem {
  functions(): Promise<readonly CodeFunction[]>;
  functionAt(address: bigint): Promise<CodeFunction | undefined>;
  who(runner: Runner, registers: StubRegisters): Promise<RunnerName>;
  stack(runner: Runner, registers: StubRegisters): Promise<Site[]>;
  sitesAt(address: bigint): Promise<Site[]>;
  dataName(address: bigint): Promise<string>;
  /** Whether all runners see the same bytes there, so that a watchpoint means what it says. */
  isShared(address: bigint): boolean;
  /** Whoever comes there has changed, or is about to change, what code there is. */
  codeChanges(): Promise<readonly bigint[]>;
  /** Somebody has come there: nothing that was said of code is true any more. */
  forget(): void;
}

/** Memory as a system reads it; less, or nothing, where there is none. */
export type ReadMemory = (address: bigint, size: number, seenBy?: Runner) => Promise<Uint8Array>;

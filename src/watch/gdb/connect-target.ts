/**
 * From HOST:PORT to something that can be watched: a kernel in QEMU, or a program under gdbserver.
 *
 *   await connectTarget({ host: '127.0.0.1', port: 1234 })                       symbols from the kernel's memory
 *   await connectTarget({ host: '127.0.0.1', port: 1234, kernel: 'vmlinux' })    …from a file
 */
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import { kernelCodeAddress, LARGE_PAGE, symbolsInMemory } from '../kernel/find-kernel.ts';
import { readKernelFile } from '../kernel/kernel-file.ts';
import { KernelSystem } from '../kernel/kernel-system.ts';
import { ModuleLines } from '../kernel/module-lines.ts';
import { movedSymbols } from '../kernel/slide.ts';
import { type KernelSymbol, KernelSymbols } from '../kernel/symbols.ts';
import { AllStop } from './all-stop.ts';
import { GdbConnection, type StubAddress, StubLost } from './connection.ts';
import { GdbTarget } from './gdb-target.ts';
import { NonStop } from './non-stop.ts';
import { RemoteProgram } from './remote-program.ts';
import type { ReadMemory, RemoteSystem } from './remote-system.ts';
import type { RunControl } from './run-control.ts';
import { Stub } from './stub.ts';

export type ConnectOptions = StubAddress & {
  /** A file with the kernel's symbols. */
  readonly kernel?: string | undefined;
  /** Files of modules, which may know their source lines. */
  readonly modules?: readonly string[];
};

export interface ConnectedTarget {
  readonly target: GdbTarget;
  /** What is there, if it is a kernel: it knows how kernels write about places. */
  readonly kernel: KernelSystem | undefined;
}

export async function connectTarget(options: ConnectOptions): Promise<ConnectedTarget> {
  // A file that cannot be read is told before anything stops.
  const named = options.kernel === undefined ? undefined : readKernelFile(options.kernel);
  const connection = await GdbConnection.open(options);
  try {
    return await connected(connection, { named, lines: new ModuleLines(options.modules ?? []) });
  } catch (thrown) {
    connection.close();
    if (thrown instanceof StubLost) {
      throw new UserError(
        `cannot watch: ${thrown.message}`,
        'see what is there',
        ExitStatus.unavailable,
      );
    }
    throw thrown;
  }
}

/** What the user's files say of a kernel. */
interface KernelFiles {
  readonly named: readonly KernelSymbol[] | undefined;
  readonly lines: ModuleLines;
}

async function connected(connection: GdbConnection, files: KernelFiles): Promise<ConnectedTarget> {
  const stub = await Stub.greet(connection);
  const read: ReadMemory = (address, size, seenBy) => stub.read(address, size, seenBy);
  try {
    const runs =
      stub.features.get('QNonStop') === '+' ? new NonStop(connection) : new AllStop(connection);
    await runs.begin();
    const isKernel = stub.isQemu || files.named !== undefined;
    const kernel = isKernel ? await findKernel(stub, runs, read, files) : undefined;
    const system: RemoteSystem = kernel ?? (await RemoteProgram.find(stub));
    return { target: new GdbTarget(stub, runs, system), kernel };
  } catch (thrown) {
    // It stands still since we came.
    if (connection.lost === undefined) await stub.detach().catch(() => {});
    throw thrown;
  }
}

async function findKernel(
  stub: Stub,
  runs: RunControl,
  read: ReadMemory,
  { named, lines }: KernelFiles,
): Promise<KernelSystem> {
  let code = await kernelCodeAddress(stub);
  for (let count = 0; count < MOST_LOOKS && !(await isSeen(code, read)); count++) {
    await runs.nextStop(new Set(), performance.now() + BETWEEN_LOOKS);
    stub.forgetSelection();
    code = await kernelCodeAddress(stub);
  }
  if (named !== undefined) {
    return new KernelSystem(new KernelSymbols(await movedSymbols(named, read)), read, lines);
  }
  if (code === undefined) {
    throw new UserError(
      'no processor of the machine has begun to run a Linux kernel',
      'wait until it has started; or give its symbols with --kernel FILE',
      ExitStatus.unavailable,
    );
  }
  return new KernelSystem(new KernelSymbols(await symbolsInMemory(read, code)), read, lines);
}

/** While all processors run programs, nobody may see the kernel's memory: then it is for some milliseconds only. */
const MOST_LOOKS = 50;
const BETWEEN_LOOKS = 5;

const isSeen = async (code: bigint | undefined, read: ReadMemory): Promise<boolean> =>
  code !== undefined && (await read(code - (code % LARGE_PAGE), 8)).length > 0;

/**
 * A gdb stub that has said what it can do: its memory, registers and files.
 *
 *   const stub = await Stub.greet(await GdbConnection.open({ host, port }));
 *   await stub.read(0xffffffff81000000n, 64)
 *   (await stub.registers(2)).get('rip')
 */
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import type { Runner } from '../debug-target.ts';
import type { GdbConnection } from './connection.ts';
import { type RegisterLayout, readLayout, StubRegisters } from './register-layout.ts';
import { StubMemory } from './stub-memory.ts';
import { readThreads } from './threads.ts';

const ASKED =
  'qSupported:multiprocess+;swbreak+;hwbreak+;vContSupported+;QThreadEvents+;no-resumed+;xmlRegisters=i386';
const DEFAULT_PACKET_SIZE = 400;
const PIECE_OF_FILE = 0x400;
const LARGEST_FILE = 1 << 24;
const KERNEL_START = 1n << 63n;

export class Stub {
  readonly connection: GdbConnection;
  /** As it was answered: `QNonStop` → '+'. */
  readonly features: ReadonlyMap<string, string>;
  /** A machine rather than a process. */
  readonly isQemu: boolean;
  readonly layout: RegisterLayout;
  readonly #memory: StubMemory;
  /** When it was greeted. */
  readonly #threads: ReadonlyMap<Runner, string>;
  #selected: string | undefined;

  private constructor(
    connection: GdbConnection,
    features: ReadonlyMap<string, string>,
    isQemu: boolean,
    layout: RegisterLayout,
    memory: StubMemory,
    threads: ReadonlyMap<Runner, string>,
  ) {
    this.connection = connection;
    this.features = features;
    this.isQemu = isQemu;
    this.layout = layout;
    this.#memory = memory;
    this.#threads = threads;
  }

  static async greet(connection: GdbConnection): Promise<Stub> {
    const features = new Map(
      (await connection.greet(ASKED)).split(';').map((feature) => {
        const [, name = '', value = ''] = /^(.*?)(?:=|(?=[+\-?]$)|$)(.*)$/s.exec(feature) ?? [];
        return [name, value];
      }),
    );
    const isSilent = await connection.stopAcknowledging();
    if (!/;c(;|$)/.test(await connection.ask('vCont?'))) {
      throw new UserError(
        `the gdb stub at ${connection.name} cannot run one thread alone (it has no vCont)`,
        'QEMU and gdbserver can',
        ExitStatus.unavailable,
      );
    }
    const isQemu = (await connection.ask('qqemu.sstepbits')).startsWith('ENABLE');
    const packetSize = Number.parseInt(features.get('PacketSize') ?? '', 16);
    const memory = new StubMemory(connection, {
      packetSize: packetSize > 0 ? packetSize : DEFAULT_PACKET_SIZE,
      sendsBinary: features.get('binary-upload') === '+',
      takesSeveral: isSilent || isQemu,
    });
    // gdbserver fails an assertion of its own if nobody is chosen whose registers these are.
    await connection.ask(features.get('multiprocess') === '+' ? 'Hgp0.0' : 'Hg0');
    const layout = await readLayout((name) => readFileOf(connection, 'features', name));
    return new Stub(connection, features, isQemu, layout, memory, await readThreads(connection));
  }

  /**
   * As one of the runners sees it; of a machine, user memory is somebody's own. A kernel may hide from programs: what
   * a processor that runs one does not see, another may.
   */
  async read(address: bigint, size: number, seenBy?: Runner): Promise<Uint8Array> {
    if (seenBy !== undefined) await this.#select(seenBy);
    else if (this.#selected === undefined) await this.#selectAny();
    const bytes = await this.#memory.read(address, size);
    if (bytes.length > 0 || !this.isQemu || address < KERNEL_START) return bytes;
    for (const runner of this.#threads.keys()) {
      if (this.#threads.get(runner) === this.#selected) continue;
      await this.#select(runner);
      const seen = await this.#memory.read(address, size);
      if (seen.length > 0) return seen;
    }
    return bytes;
  }

  /** Of a runner that stands. */
  async registers(runner: Runner): Promise<StubRegisters> {
    await this.#select(runner);
    return new StubRegisters(await this.connection.ask('g'), this.layout);
  }

  runners(): Runner[] {
    return [...this.#threads.keys()];
  }

  /** Whatever stops becomes the one that requests are about. */
  forgetSelection(): void {
    this.#selected = undefined;
  }

  file(object: string, name: string): Promise<string | undefined> {
    return readFileOf(this.connection, object, name);
  }

  /** Whose threads these are, if the stub tells. */
  get process(): number | undefined {
    const [thread = ''] = this.#threads.values();
    const [, process] = /^p([0-9a-f]+)\./i.exec(thread) ?? [];
    return process === undefined ? undefined : Number.parseInt(process, 16);
  }

  async detach(): Promise<void> {
    await this.connection.ask(this.process === undefined ? 'D' : `D;${this.process.toString(16)}`);
  }

  async #selectAny(): Promise<void> {
    const [runner] = this.#threads.keys();
    if (runner !== undefined) await this.#select(runner);
  }

  /** Of one that came later. To list threads while they come and go is more than gdbserver 13 survives. */
  #nameOf(runner: Runner): string {
    const thread = runner.toString(16);
    return this.process === undefined ? thread : `p${this.process.toString(16)}.${thread}`;
  }

  async #select(runner: Runner): Promise<void> {
    const name = this.#threads.get(runner) ?? this.#nameOf(runner);
    if (name === this.#selected) return;
    if ((await this.connection.ask(`Hg${name}`)) === 'OK') this.#selected = name;
  }
}

/** `qXfer`: in pieces, the last of which begins with `l`. undefined if there is none. */
async function readFileOf(
  connection: GdbConnection,
  object: string,
  name: string,
): Promise<string | undefined> {
  let text = '';
  while (text.length < LARGEST_FILE) {
    const place = `${text.length.toString(16)},${PIECE_OF_FILE.toString(16)}`;
    const answer = await connection.ask(`qXfer:${object}:read:${name}:${place}`);
    if (!/^[ml]/.test(answer)) return text === '' ? undefined : text;
    text += answer.slice(1);
    if (answer.startsWith('l') || answer.length === 1) break;
  }
  return text;
}

/**
 * A connection to a gdb stub: one request, one answer.
 *
 *   const stub = await GdbConnection.open({ host: '127.0.0.1', port: 1234 });
 *   await stub.request('qSupported')               'PacketSize=1000;qXfer:features:read+…'
 *   const stopped = stub.resume('vCont;c');        it runs, and answers when it stops
 *   stub.interrupt();                              …which it then does
 *
 * The connection may end at any time, and whoever answers may not be a stub at all: that is `StubLost`, once for
 * everything that waits and for all that comes later. Its message is meant for people.
 */
import { connect, type Socket } from 'node:net';
import { ExitStatus } from '../../base/exit-status.ts';
import { UserError } from '../../base/user-error.ts';
import { framed, INTERRUPT, NotGdbProtocol, PacketReader, type Received } from './packets.ts';

export class StubLost extends Error {
  override name = 'StubLost';
}

/** Over TCP, or a socket in the file system. */
export type StubAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string };

/** A stub answers at once, unless its machine is very busy; a stop that never comes is found by it, too. */
const PATIENCE = 30_000;

interface Waiting {
  readonly resolve: (payload: Buffer) => void;
  readonly reject: (lost: StubLost) => void;
  /** It may take as long as it likes. */
  readonly isResumed: boolean;
  /** Takes what is printed before the answer: by the program that runs, or by a command. */
  readonly onPrinted?: ((text: string) => void) | undefined;
  /** Packets of this kind are not the answer: what was said before it was asked. */
  readonly isStale?: ((payload: Buffer) => boolean) | undefined;
}

export class GdbConnection {
  readonly #socket: Socket;
  readonly #name: string;
  readonly #patience: number;
  readonly #reader = new PacketReader();
  readonly #waiting: Waiting[] = [];
  #acknowledges = true;
  #hasAnswered = false;
  #lost: StubLost | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What the stub says without being asked. */
  onNotification: (payload: Buffer) => void = () => {};
  /** Called once. */
  onLost: (lost: StubLost) => void = () => {};

  private constructor(socket: Socket, name: string, patience: number) {
    this.#socket = socket;
    this.#name = name;
    this.#patience = patience;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => this.#take(bytes));
    socket.on('error', ({ message }) => this.#lose(`has gone away: ${message}`));
    socket.on('close', () => this.#lose('has closed the connection'));
    socket.write('+');
  }

  static open(address: StubAddress, patience = PATIENCE): Promise<GdbConnection> {
    const name = 'path' in address ? address.path : `${address.host}:${address.port}`;
    return new Promise((resolve, reject) => {
      const socket = connect(address);
      const refuse = (why: string): void => {
        socket.destroy();
        reject(
          new UserError(
            `no gdb stub can be reached at ${name}: ${why}`,
            'start one there, such as: gdbserver 127.0.0.1:1234 PROGRAM, or QEMU with -gdb tcp:127.0.0.1:1234',
            ExitStatus.unavailable,
          ),
        );
      };
      socket.once('error', ({ message }) => refuse(message));
      socket.setTimeout(PATIENCE, () => refuse(`no answer in ${PATIENCE / 1000} s`));
      socket.once('connect', () => {
        socket.setTimeout(0);
        socket.removeAllListeners();
        resolve(new GdbConnection(socket, name, patience));
      });
    });
  }

  get lost(): StubLost | undefined {
    return this.#lost;
  }

  /** `host:port`, or a path. */
  get name(): string {
    return this.#name;
  }

  request(payload: string): Promise<Buffer> {
    return this.#send(payload, {});
  }

  /** The first of all. A machine that stops because we have come tells that, too, and nobody asked. */
  async greet(payload: string): Promise<string> {
    const isStop = ([first]: Buffer): boolean => first === 0x53 || first === 0x54; // S, T
    return (await this.#send(payload, { isStale: isStop })).toString('latin1');
  }

  /** What a command of the stub's own prints; undefined if it has no such thing. */
  async monitor(command: string): Promise<string | undefined> {
    let printed = '';
    const onPrinted = (text: string): void => {
      printed += text;
    };
    const hex = Buffer.from(command).toString('hex');
    const answer = await this.#send(`qRcmd,${hex}`, { onPrinted });
    return answer.toString('latin1') === 'OK' ? printed : undefined;
  }

  /** The same as text, which most answers are. */
  async ask(payload: string): Promise<string> {
    return (await this.request(payload)).toString('latin1');
  }

  /** Answered when the program stops, whenever that is. Nothing else may be asked until then. */
  resume(payload: string): Promise<Buffer> {
    return this.#send(payload, { isResumed: true, onPrinted: () => {} });
  }

  /** Has what runs stop soon; if it stands already, nothing. */
  interrupt(): void {
    this.#socket.write(INTERRUPT);
    // From now on, an answer is due.
    this.#watchTime(true);
  }

  /** From now on, neither side acknowledges packets; false if the stub wants to. */
  async stopAcknowledging(): Promise<boolean> {
    if ((await this.ask('QStartNoAckMode')) === 'OK') this.#acknowledges = false;
    return !this.#acknowledges;
  }

  close(): void {
    this.#lose('was left');
    this.#socket.destroy();
  }

  #send(
    payload: string,
    { isResumed = false, onPrinted, isStale }: Partial<Waiting>,
  ): Promise<Buffer> {
    if (this.#lost) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, isResumed, onPrinted, isStale });
      this.#socket.write(framed(payload));
      if (this.#waiting.length === 1) this.#watchTime(!isResumed);
    });
  }

  #take(bytes: Buffer): void {
    try {
      const received = this.#reader.push(bytes);
      const packets = received.filter(({ kind }) => kind === 'packet').length;
      if (this.#acknowledges && packets > 0) this.#socket.write('+'.repeat(packets));
      for (const one of received) this.#handle(one);
    } catch (thrown) {
      if (!(thrown instanceof NotGdbProtocol)) throw thrown;
      this.#speaksNonsense(thrown.message);
    }
  }

  #handle(received: Received): void {
    if (this.#lost) return;
    switch (received.kind) {
      case 'ack':
        return;
      case 'again':
      case 'damaged':
        // TCP neither loses nor changes anything.
        return this.#speaksNonsense('it sent or received a packet with a wrong checksum');
      case 'notification':
        return this.onNotification(received.payload);
      case 'packet':
        return this.#answer(received.payload);
    }
  }

  #answer(payload: Buffer): void {
    this.#hasAnswered = true;
    const first = this.#waiting[0];
    // Right after connecting, some tell that they have stopped.
    if (first === undefined) return;
    if (first.isStale?.(payload)) return;
    if (first.onPrinted && isPrinted(payload)) {
      first.onPrinted(Buffer.from(payload.toString('latin1', 1), 'hex').toString());
      return;
    }
    this.#waiting.shift();
    this.#watchTime(this.#waiting.length > 0);
    first.resolve(payload);
  }

  #watchTime(isDue: boolean): void {
    clearTimeout(this.#timer);
    if (!isDue) return;
    const late = (): void => this.#lose(`has not answered for ${this.#patience / 1000} s`);
    this.#timer = setTimeout(late, this.#patience);
  }

  #speaksNonsense(how: string): void {
    const does = this.#hasAnswered ? 'has stopped speaking' : 'does not speak';
    this.#lose(`${does} the GDB remote protocol: ${how}`);
  }

  #lose(how: string): void {
    if (this.#lost) return;
    this.#lost = new StubLost(`the gdb stub at ${this.#name} ${how}`);
    clearTimeout(this.#timer);
    this.#socket.destroy();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost);
    this.onLost(this.#lost);
  }
}

/** `O` and what the program prints, in hexadecimal. */
const isPrinted = (payload: Buffer): boolean =>
  payload[0] === 0x4f && payload.toString('latin1') !== 'OK';

/**
 * Stands in, in the network of an attempt, for somebody whom the program talked to when it was recorded. What is
 * to be said, replay/outside/talk.ts knows; this says it.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { type Endpoint, shownEndpoint } from '../replay/outside/endpoint.ts';
import type { OutsidePeer } from '../replay/outside/outside-peers.ts';
import { PlayedPeer, type Released, type Talk } from '../replay/outside/talk.ts';

export class StandIn {
  readonly #endpoint: Endpoint;
  readonly #peer: PlayedPeer;
  readonly #server: Server;
  readonly #sockets = new Map<Socket, Talk>();
  /** One for each connection: that the program has let go of it. */
  readonly #left: Promise<void>[] = [];
  #hasHung = false;
  readonly #lost: () => void;

  /** `listening` is a descriptor that is closed in the end; `lost` is called when it has no answer. */
  constructor(peer: OutsidePeer, listening: number, isReleased: Released, lost: () => void) {
    this.#endpoint = peer;
    this.#peer = new PlayedPeer(peer, isReleased);
    this.#lost = lost;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#serve(socket),
    );
    this.#server.on('error', lost);
    this.#server.listen({ fd: listening });
  }

  /** More may be said than before. */
  goOn(): void {
    for (const [socket, talk] of this.#sockets) this.#answer(talk, socket);
  }

  /** The program is about to be ended. If it waits for an answer, nobody knows what that would have been. */
  hasHung(): void {
    this.#hasHung ||= this.#sockets.size > 0;
  }

  /** When the program is gone: once all that it has said was heard. */
  async heardAll(): Promise<void> {
    // The loop takes who has connected in one turn, and knows of them in the next.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(this.#left);
  }

  /** Why the attempt proves nothing. */
  get trouble(): string | undefined {
    return this.#hasHung || this.#peer.hasEndedOtherwise
      ? `it talked to ${shownEndpoint(this.#endpoint)} otherwise than when it was recorded`
      : undefined;
  }

  close(): void {
    for (const socket of this.#sockets.keys()) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    const talk = this.#peer.connected();
    this.#sockets.set(socket, talk);
    this.#left.push(
      new Promise((resolve) => {
        for (const event of ['end', 'error', 'close']) socket.once(event, () => resolve());
      }),
    );
    socket.on('data', (bytes) => {
      talk.hears(bytes);
      this.#answer(talk, socket);
    });
    socket.on('end', () => {
      talk.hearsEnd();
      this.#answer(talk, socket);
      if (talk.isOver && socket.writable) socket.end();
    });
    // It has left without having read everything.
    socket.on('error', () => talk.hearsEnd());
    socket.on('close', () => this.#sockets.delete(socket));
    this.#answer(talk, socket);
  }

  #answer(talk: Talk, socket: Socket): void {
    const { bytes, end } = talk.reply();
    if (this.#peer.isOtherwise) {
      this.#lost();
      // Somebody may be waiting for an answer that will not come (prompter.ts).
      socket.destroy();
      return;
    }
    if (bytes.length > 0) socket.write(bytes);
    if (end === 'closed') socket.end();
    if (end === 'reset') socket.resetAndDestroy();
  }
}

/**
 * Notices that an attempt connects to somebody whom the recorded run never turned to. Nobody answers there, but in
 * the world outside somebody may: what comes of that proves nothing.
 */
import { syscallName } from '../../../linux/syscalls.ts';
import type { TraceRecord } from '../../../trace/records/record.ts';
import { connectedHost, type Endpoint, endpointIn, shownEndpoint } from './endpoint.ts';
import type { Outside } from './outside-peers.ts';
import { isTcp } from './tcp.ts';

export class Strangers {
  readonly #outside: Outside;
  readonly #tcp = new Set<number>();
  #first: Endpoint | undefined;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  note(record: TraceRecord): void {
    if (record.kind !== 'call') return;
    const { file, file2, data } = record;
    const name = syscallName(record.number);
    if (name === 'socket' && file2 && isTcp(record)) this.#tcp.add(file2.inode);
    if (name !== 'connect' || !file || !this.#tcp.has(file.inode)) return;
    const endpoint = endpointIn(data);
    const peer = endpoint && connectedHost(endpoint);
    if (peer && !this.#outside.isKnown(peer)) this.#first ??= peer;
  }

  /** Why the attempt proves nothing. */
  get trouble(): string | undefined {
    if (!this.#first) return undefined;
    return `it turned to ${shownEndpoint(this.#first)}, which it did not when it was recorded`;
  }
}

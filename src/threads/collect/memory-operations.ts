/** What was allocated and freed, by whom and when: all MEMORY records of a process. */
import type { AgentLog } from '../../linux/agent-log.ts';
import { LogOp } from '../../linux/agent-protocol.ts';
import { GrowingBytes, GrowingFloats, GrowingWords } from './growing.ts';
import { allocationKey, operationKey } from './order-key.ts';

export class MemoryOperations {
  readonly keys = new GrowingFloats();
  readonly addresses = new GrowingFloats();
  readonly sizes = new GrowingFloats();
  readonly callers = new GrowingFloats();
  readonly threads = new GrowingWords();
  readonly frees = new GrowingBytes();

  get count(): number {
    return this.keys.length;
  }

  add(log: AgentLog, thread: number): void {
    const frees = log.op === LogOp.DH_OP_FREE;
    this.keys.push(frees ? operationKey(log.seq) : allocationKey(log.seq));
    this.addresses.push(log.address);
    // malloc(0) is a block, too.
    this.sizes.push(Math.max(1, log.length));
    this.callers.push(log.caller);
    this.threads.push(thread);
    this.frees.push(frees ? 1 : 0);
  }

  /** Their numbers, in the order of time: a log may tell late of an allocation. */
  inOrder(): Uint32Array {
    const keys = this.keys.items;
    return Uint32Array.from({ length: this.count }, (_, i) => i).sort(
      (a, b) => keys[a]! - keys[b]! || a - b,
    );
  }
}

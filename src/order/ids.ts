import type { Brand } from '../base/brand.ts';

/** Events are numbered 0, 1, 2… in the order in which they are added to the graph. */
export type EventId = Brand<number, 'EventId'>;

/** Tasks (processes, threads) are numbered 0, 1, 2… in the order in which they start. */
export type TaskId = Brand<number, 'TaskId'>;

/** A chain of tasks that run one after another, see `chains.ts`. */
export type Slot = Brand<number, 'Slot'>;

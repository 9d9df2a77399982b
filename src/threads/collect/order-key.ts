/**
 * Places in the order of a process, as numbers. The operation with the number n (`seq`) is at 2n + 1. An
 * allocation with the number n comes before it, at 2n: its number is that of whatever comes next, so two of
 * them may be equal.
 *
 *   allocate 7 · allocate 7 · lock 7 · unlock 8        14 · 14 · 15 · 17
 *
 * Between them there is room for what has to come right before or right after an operation.
 */
export const operationKey = (seq: number): number => 2 * seq + 1;
export const allocationKey = (seq: number): number => 2 * seq;
export const justBefore = (key: number): number => key - 0.5;
export const justAfter = (key: number): number => key + 0.25;

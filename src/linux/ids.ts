/** Numbers that must not be mixed up with each other, or with counts and sizes. */
import type { Brand } from '../base/brand.ts';

/** A process, that is, a thread group. */
export type Pid = Brand<number, 'Pid'>;
/** A single task; a process's first thread has the process's own number. */
export type Tid = Brand<number, 'Tid'>;
/** An address in another process: never to be dereferenced here. */
export type TraceeAddress = Brand<bigint, 'TraceeAddress'>;
/** A time or duration; exact up to 2^53, which is 104 days. */
export type Nanoseconds = Brand<number, 'Nanoseconds'>;

export const pid = (value: number): Pid => value as Pid;
export const tid = (value: number): Tid => value as Tid;
export const traceeAddress = (value: bigint): TraceeAddress => value as TraceeAddress;
export const nanoseconds = (value: number): Nanoseconds => value as Nanoseconds;

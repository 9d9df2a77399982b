/**
 * What a stand-off is about: two instructions, and the two threads that are to stand before them at the same
 * moment, about to touch the same bytes.
 *
 *   side 0   T2   store of 4 bytes   bank 0x11a2   transfer  bank.c:31
 *   side 1   T1   load of 4 bytes    bank 0x1240   report    bank.c:44
 */
import type { Registers } from '../../linux/registers.ts';
import type { ProgramEnd } from '../../linux/run-program.ts';
import type { Site } from '../../report/model.ts';

/** An instruction, by its address in the file of its executable or library. */
export interface CodePlace {
  readonly path: string;
  /** As a trace has it: the key by which its clones are known. */
  readonly buildId: string;
  readonly address: number;
}

export interface Side {
  readonly code: CodePlace;
  readonly isStore: boolean;
  /** The variable is atomic, whatever the instruction looks like. */
  readonly isAtomic?: boolean;
  /** The agent's number of the thread; undefined: any will do. */
  readonly thread?: number | undefined;
}

/** Where the variable was when the program was traced. */
export type VariablePlace =
  /** In an image, by the addresses of its file: it is there again, wherever the image is loaded. */
  | { readonly path: string; readonly address: number; readonly size: number }
  /** Anywhere: it is probably there again, since addresses are not randomised. */
  | { readonly path?: undefined; readonly address: number; readonly size: number };

/** An atomic access that has its turn in the schedule; nobody but us can hold it back. */
export interface AtomicStep {
  readonly turn: number;
  readonly thread: number;
  readonly code: CodePlace;
}

export interface RacingSides {
  readonly sides: readonly [Side, Side];
  /** undefined if it is not known. */
  readonly variable?: VariablePlace | undefined;
  readonly atomics?: readonly AtomicStep[];
}

export interface StandOffLimits {
  /** Nobody has moved for so long, and nobody is about to: they wait for somebody whom we hold. */
  readonly stallMs: number;
  /** Nothing of interest has happened for so long, though threads run or sleep for a time. */
  readonly patienceMs: number;
  /** All of a run may take so long. */
  readonly runMs: number;
  /** And what comes after the stand-off so long, before the program is ended. */
  readonly endMs: number;
  readonly attempts: number;
}

/** One side, as it stood there. */
export interface Standing {
  readonly tid: number;
  /** The agent's number, if that is known. */
  readonly thread: number | undefined;
  readonly registers: Registers;
  /** Of the bytes that it was about to touch. */
  readonly address: bigint;
  readonly size: number;
  readonly isStore: boolean;
  /** What was there at that moment. */
  readonly value: Uint8Array;
  /** Innermost first. */
  readonly stack: readonly Site[];
}

/** Why two threads did not meet. */
export type MissedCause =
  /** A thread left the order of the schedule. */
  | 'diverged'
  /** Who was awaited waits for somebody who is held. */
  | 'stalled'
  /** The program ended, by itself or by a signal. */
  | 'ended'
  | 'too-long'
  /** The user wanted it to end. */
  | 'interrupted'
  /** A library was never loaded. */
  | 'not-loaded'
  /** No thread can be made to stand before this instruction. */
  | 'impossible';

export type StandOffResult =
  | {
      readonly kind: 'confirmed';
      readonly sides: readonly [Standing, Standing];
      readonly attempts: number;
      /** How the program ended afterwards. */
      readonly end: ProgramEnd;
    }
  | {
      readonly kind: 'missed';
      readonly cause: MissedCause;
      /** For people: what happened in the last attempt. */
      readonly reason: string;
      readonly attempts: number;
      readonly interruptedBy: number | undefined;
    };

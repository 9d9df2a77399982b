/** What every detector finds: steps that nothing orders, and what they fight over. */
import type { Operation, Thing } from '../model/operation.ts';
import type { Step } from './step.ts';

export type RaceKind = 'load-store' | 'wait-wakeups' | 'wakeup-waits' | 'signal';

/** A step, and what of all that it does is meant. */
export interface Access {
  step: Step;
  operation: Operation;
}

/** What a step does in a race of waiting and waking. */
export interface Participant {
  step: Step;
  role: 'load' | 'store' | 'wait' | 'wakeup' | 'signal';
  /** `reads`, `creates`: for titles. */
  verb: string;
  /** What is fought over in this instance: of one root cause, some are about process 5 and some about 6. */
  thing?: Thing;
}

export interface DetectedRace {
  kind: RaceKind;
  thing: Thing;
  /** What it is, for the report: `file`, `entry`, `process`, … */
  type: string;
  /** Two or three, in the order in which they happened. */
  parts: Participant[];
  /** Other instances of the same root cause that may turn out differently. */
  alternatives?: readonly Participant[][];
  /** How many instances have the same root cause. */
  occurrences: number;
  /** How far apart in the happens-before graph: see distance.ts. */
  distance: number;
  /** What is fought over is only the order of output to the outside. */
  isOutput: boolean;
  /** Why it makes no difference that can be seen; then it is only told when all are asked for. */
  withoutConsequence?: string | undefined;
}

/**
 * Which steps need not be tried at different times: those that take nothing away from others. If such a
 * step is possible now, then whatever can be done without it can be done after it too, and a search may
 * take it at once and look at nothing else.
 *
 *   unlock, post, fork, join, begin, leave, load …   never take anything away
 *   lock m                                           does, unless nobody else ever takes m again
 *
 * A thread at a stop has to be left there as well as sent on, so its steps are never taken at once.
 */
import type { Step, StepKind } from '../program/step.ts';
import type { Machine, Row } from './machine.ts';

/** By kind: what of others it could take something away from; nothing for the kinds that are not here. */
const RIVALS: Readonly<Partial<Record<StepKind, readonly StepKind[]>>> = {
  lock: ['lock', 'lockShared'],
  lockShared: ['lock'],
  signal: ['waitBegin', 'woken', 'lapsed'],
  broadcast: ['waitBegin', 'woken', 'lapsed'],
  waitDone: ['waitDone'],
  onceBegin: ['onceBegin', 'oncePass'],
  store: ['load', 'store', 'update'],
  update: ['load', 'store', 'update'],
};

export class Rivals {
  readonly #machine: Machine;
  /** By kind and object: by thread, its last step of that kind with that object, or -1. */
  readonly #last = new Map<string, Int32Array>();

  constructor(machine: Machine) {
    this.#machine = machine;
    for (const [chain, { steps }] of machine.chains.entries()) {
      for (const [position, { kind, object }] of steps.entries()) {
        const key = `${kind} ${object}`;
        const last = this.#last.get(key) ?? new Int32Array(machine.chains.length).fill(-1);
        last[chain] = position;
        this.#last.set(key, last);
      }
    }
  }

  /** A thread whose next step can be taken at once, if there is one. */
  harmless(row: Row): number | undefined {
    const machine = this.#machine;
    for (let chain = 0; chain < machine.chains.length; chain++) {
      const step = machine.next(row, chain);
      if (step === undefined || machine.isAtStop(row, chain)) continue;
      if (machine.isEnabled(row, chain) && !this.#hasRivals(row, chain, step)) return chain;
    }
    return undefined;
  }

  #hasRivals(row: Row, chain: number, { kind, object }: Step): boolean {
    for (const rival of RIVALS[kind] ?? []) {
      const last = this.#last.get(`${rival} ${object}`);
      if (last === undefined) continue;
      for (let other = 0; other < last.length; other++) {
        if (other !== chain && last[other]! >= row[other]!) return true;
      }
    }
    return false;
  }
}

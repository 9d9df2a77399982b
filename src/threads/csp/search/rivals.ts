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
import type { StepKind } from '../program/step.ts';
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

const NOBODY: readonly StepKind[] = [];

export class Rivals {
  readonly #machine: Machine;
  /** By thread and position: for each kind of rival, by thread, its last step of that kind, or -1. */
  readonly #lastRivals: readonly (readonly (readonly Int32Array[])[])[];

  constructor(machine: Machine) {
    this.#machine = machine;
    const lastSteps = new Map<string, Int32Array>();
    for (const [chain, { steps }] of machine.chains.entries()) {
      for (const [position, { kind, object }] of steps.entries()) {
        const key = `${kind} ${object}`;
        const last = lastSteps.get(key) ?? new Int32Array(machine.chains.length).fill(-1);
        last[chain] = position;
        lastSteps.set(key, last);
      }
    }
    this.#lastRivals = machine.chains.map(({ steps }) =>
      steps.map(({ kind, object }) =>
        (RIVALS[kind] ?? NOBODY).flatMap((rival) => lastSteps.get(`${rival} ${object}`) ?? []),
      ),
    );
  }

  /** A thread whose next step can be taken at once, if there is one. */
  harmless(row: Row): number | undefined {
    const machine = this.#machine;
    for (let chain = 0; chain < machine.chains.length; chain++) {
      const position = row[chain]!;
      if (position === machine.chains[chain]!.steps.length) continue;
      if (machine.isAtStop(row, chain) || !machine.isEnabled(row, chain)) continue;
      if (!this.#hasRivals(row, chain, position)) return chain;
    }
    return undefined;
  }

  #hasRivals(row: Row, chain: number, position: number): boolean {
    for (const last of this.#lastRivals[chain]![position]!) {
      for (let other = 0; other < last.length; other++) {
        if (other !== chain && last[other]! >= row[other]!) return true;
      }
    }
    return false;
  }
}

/** Tries one instance of a race, and tries it again before it is said to do harm. */
import { type Attempts, NO_SPACE } from './attempts.ts';
import type { BranchChecks, Subject } from './branch-checks.ts';
import type { Way } from './request.ts';
import type { Judged } from './verdict.ts';

export type TurnedWay = Way & { kind: 'branch' | 'ambush' };

export class Judge {
  readonly #attempts: Attempts;
  readonly #checks: BranchChecks;

  constructor(attempts: Attempts, checks: BranchChecks) {
    this.#attempts = attempts;
    this.#checks = checks;
  }

  /** undefined: there is no such instance, or it cannot be the other way round. */
  async judge(
    way: TurnedWay,
    { id, contested }: Pick<Subject, 'id' | 'contested'>,
  ): Promise<Judged | undefined> {
    const isAmbush = way.kind === 'ambush';
    const name = `${id}-${isAmbush ? 'ambush' : way.instance + 1}`;
    const instance = { race: way.race, instance: isAmbush ? 0 : way.instance };
    const subject = { id, contested, instance };
    const { first, beside } = await this.#attempts.tryTwice(way, name);
    try {
      if (first === 'no space') return { kind: 'diverged', reason: NO_SPACE };
      if (!first) return undefined;
      if (first.diverged !== undefined) return { kind: 'diverged', reason: first.diverged };
      const { outcome, told } = first;
      const found = await this.#checks.check(outcome, subject);
      if (found.length === 0) return { kind: 'benign', outcome };
      const again = (): ReturnType<Attempts['try']> => this.#attempts.try(way, `${name}-again`);
      const second = (await beside?.result()) ?? (await again());
      const foundAgain =
        second && second !== 'no space' && !second.diverged
          ? await this.#checks.check(second.outcome, subject)
          : [];
      const both = found.filter(({ checker }) => foundAgain.some((one) => one.checker === checker));
      if (both.length === 0) return { kind: 'benign', outcome };
      return { kind: 'harmful', findings: both, told, isAmbush, outcome };
    } finally {
      beside?.cancel();
    }
  }
}

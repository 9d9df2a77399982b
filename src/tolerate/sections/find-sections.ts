/**
 * All critical sections of a program (ToleRace, section 5.3), each with a plan for its isolation, or why there
 * is none.
 *
 *   findSections(parseElf(readFileSync('./bank')))
 *   // 1: deposit, from 0x1139, under balance_lock: isolated; 3 words at most
 *   // 2: audit, from 0x1204, under ?: not isolated: it calls longjmp, which jumps out of functions
 *
 * A function that takes a lock for its caller begins no section: its callers do, where it returns to them.
 */
import { tellProgress } from '../../base/progress.ts';
import type { ElfFile } from '../../binary/elf/elf-file.ts';
import { variableIndex } from '../../binary/elf/symbol-index.ts';
import { imageAddress } from '../../binary/image-address.ts';
import { type FunctionFacts, functionFacts } from './function-facts.ts';
import { HeldLocks } from './held-locks.ts';
import { ActionFinder, type KnownAtomics, NO_ATOMICS } from './inside-actions.ts';
import { type LockKind, lockCall } from './lock-calls.ts';
import { lockArgument, type NamedLock } from './lock-names.ts';
import { Result } from './lock-result.ts';
import { ProgramCode, type ProgramFunction, type Spot } from './program-code.ts';
import { sectionFacts } from './section-facts.ts';
import { sectionParts } from './section-parts.ts';
import type { SectionEntry, SectionPlan, SectionVerdict } from './section-plan.ts';
import { suddenEnds } from './sudden-ends.ts';
import { traverse } from './traversal.ts';
import { newTraversed, type Traversed } from './traversed.ts';
import { wrapperOf } from './wrappers.ts';

/** Where a lock is taken, by a library function or by a function that does so for its caller. */
interface LockSite {
  readonly spot: Spot;
  readonly kind: LockKind;
  readonly ifZero: boolean;
  readonly lock: NamedLock;
  readonly wrapper: string | undefined;
}

export function findSections(elf: ElfFile, atomics = NO_ATOMICS): SectionPlan[] {
  return new SectionFinder(elf, atomics).find();
}

class SectionFinder {
  readonly #program: ProgramCode;
  readonly #facts: FunctionFacts;
  readonly #locks = new HeldLocks();
  readonly #actions: ActionFinder;
  readonly #nameOf: (lock: NamedLock) => string;

  constructor(elf: ElfFile, atomics: KnownAtomics) {
    this.#program = new ProgramCode(elf);
    this.#facts = functionFacts(this.#program);
    this.#actions = new ActionFinder(this.#program, this.#facts, atomics);
    const variables = variableIndex(elf);
    this.#nameOf = ({ address, name }) => {
      if (address === undefined) return '?';
      const found = variables.find(imageAddress(address));
      if (found === undefined) return name;
      return found.offset === 0 ? found.name : `${found.name}+${found.offset}`;
    };
  }

  find(): SectionPlan[] {
    const sites = this.#facts.lockSites.map((spot) => this.#siteAt(spot));
    const plans: Omit<SectionPlan, 'number'>[] = [];
    const wrappers = new Set<ProgramFunction>();
    // Callers of wrappers are added while it goes through.
    for (const [place, site] of sites.entries()) {
      tellProgress('critical sections followed', place, sites.length);
      const within = this.#program.functionOf(site.spot);
      const found = this.#traversed(site);
      if (site.kind === 'read lock') {
        plans.push(this.#planOf(site, { ...found, obstacle: OTHERS_READ }));
        continue;
      }
      if (found.ends || found.isTooLarge) {
        plans.push(this.#planOf(site, found));
        continue;
      }
      if (wrappers.has(within)) continue;
      const callers = this.#facts.callersOf(within);
      const wrapper = wrapperOf(this.#program, this.#facts, this.#locks, within);
      if (wrapper.ok && callers.length > 0) {
        wrappers.add(within);
        sites.push(...callers.map(({ spot }) => this.#callerOf(site, spot, wrapper.value.ifZero)));
      } else {
        const reason = wrapper.ok ? NOBODY_KNOWN : wrapper.error;
        plans.push(this.#planOf(site, { ...found, obstacle: found.obstacle ?? reason }));
      }
    }
    return plans
      .sort((one, other) => one.entry.address - other.entry.address)
      .map((plan, place) => ({ number: place + 1, ...plan }));
  }

  #siteAt(spot: Spot): LockSite {
    const { code, first } = this.#program.functionOf(spot);
    const flow = this.#program.flow(spot);
    const name = flow.kind === 'calls' && flow.callee.kind === 'import' ? flow.callee.name : '';
    const call = lockCall(name);
    const { kind, ifZero } =
      call?.does === 'lock' ? call : { kind: 'mutex' as const, ifZero: false };
    return { spot, kind, ifZero, lock: lockArgument(code, spot - first), wrapper: undefined };
  }

  /** The section that a wrapper begins in this caller of it. */
  #callerOf(site: LockSite, spot: Spot, ifZero: boolean): LockSite {
    const { code, first } = this.#program.functionOf(spot);
    const wrapper = this.#program.functionOf(site.spot).code.name;
    const lock = site.lock.address === undefined ? lockArgument(code, spot - first) : site.lock;
    // What a pointer leads to from there is another lock than the pointer's own.
    const named = site.lock.address === undefined ? byPointer(lock) : lock;
    return { spot, kind: site.kind, ifZero, lock: named, wrapper };
  }

  #traversed({ spot, lock }: LockSite): Traversed {
    const held = this.#locks.taken(0, lock.name)!;
    const flow = this.#program.flow(spot);
    const next = flow.kind === 'calls' ? flow.next : undefined;
    // `jmp pthread_mutex_lock`, at the end of a function: there is nothing after it.
    if (next === undefined) return newTraversed();
    return traverse(this.#program, this.#facts, this.#locks, {
      ...{ spot: next, held, result: Result.zero, goesOn: false },
    });
  }

  #planOf(site: LockSite, found: Traversed): Omit<SectionPlan, 'number'> {
    const { parts, obstacle } = sectionParts(this.#program, this.#facts, this.#actions, found);
    const reason = found.obstacle ?? obstacle ?? suddenEnds(this.#program.imports);
    const facts = sectionFacts(this.#program, parts, found);
    const verdict: SectionVerdict =
      reason === undefined ? { isolate: true } : { isolate: false, reason };
    return { entry: this.#entryOf(site), facts, verdict, parts };
  }

  #entryOf({ spot, kind, ifZero, lock, wrapper }: LockSite): SectionEntry {
    const { code, first } = this.#program.functionOf(spot);
    const { address, length } = code.instructions[spot - first]!;
    return {
      ...{ code, address, next: address + length, ifZero, kind, wrapper },
      lock: this.#nameOf(lock),
      lockAddress: lock.address,
    };
  }
}

const OTHERS_READ = 'under a read lock, which others may hold too';

const NOBODY_KNOWN =
  'it returns with the lock held, and who calls it is not known (by pointers, or from outside)';

const byPointer = ({ name }: NamedLock): NamedLock => ({
  name: name.startsWith('~') ? name : `~${name}`,
  address: undefined,
});

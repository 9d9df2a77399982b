/**
 * From what was seen to the report that all engines share.
 *
 *   IVb: total changed under balance_lock, from 5 to 9, while deposit (bank.c:31) set it to 6
 *   deposit's 6 stays, as if it had come last; 12 times
 */
import { basename } from 'node:path';
import { imageAddress } from '../../binary/image-address.ts';
import { type ImageNames, namesOf } from '../../debugger/image-names.ts';
import { errnoName } from '../../linux/errno.ts';
import { perfRemedy } from '../../linux/perf-remedy.ts';
import type { Access, Race, Report, Resolution, Site } from '../../report/model.ts';
import { heapPlace, plural } from '../../report/wording.ts';
import { describePlaces } from '../describe-places.ts';
import { judgedPlans } from '../rewrite/rewrite-sections.ts';
import type { SectionPlan } from '../sections/section-plan.ts';
import type { RaceEvent, TolerateMode } from './event-file.ts';
import type { ToleratedProgram } from './tolerate-program.ts';
import { writerStack } from './writer-stack.ts';

export function buildReport(tolerated: ToleratedProgram, version: string): Report {
  const { run, plans, rewritten, seen } = tolerated;
  const teller = new RaceTeller(tolerated);
  const races = teller.folded(seen.events).map((event, index) => ({
    id: `R${index + 1}`,
    ...teller.told(event),
  }));
  const warnings = warningsOf(tolerated);
  return {
    ...{ schema: 1, tool: 'deadheat', version, engine: 'tolerate' },
    command: run.info.command,
    run: run.name,
    ...(run.info.exit && { exit: run.info.exit }),
    races,
    ...(warnings.length > 0 && { warnings }),
    stats: {
      sections: plans.length,
      isolated: rewritten.isolated.length,
      notIsolated: notIsolated(tolerated),
    },
  };
}

function notIsolated({ plans, rewritten, path, elf }: ToleratedProgram) {
  const places = describePlaces(path, elf);
  return judgedPlans(plans, rewritten).flatMap(({ number, entry, verdict }) =>
    verdict.isolate
      ? []
      : [{ section: number, place: places(imageAddress(entry.address)), reason: verdict.reason }],
  );
}

function warningsOf({ rewritten, seen, image }: ToleratedProgram): string[] {
  const name = basename(image.path);
  const warnings: string[] = [];
  if (seen.refused.processes > 0) {
    const why = errnoName(seen.refused.errno);
    warnings.push(
      `nothing was isolated in ${seen.refused.processes} processes of ${name} (${why})`,
    );
  } else if (seen.prepared === 0 && rewritten.isolated.length > 0) {
    warnings.push(`nothing of ${name} was isolated: the library was not loaded into it`);
  }
  if (seen.unpatched > 0) {
    warnings.push(`${plural(seen.unpatched, 'section')} of ${name} could not be changed in memory`);
  }
  if (seen.outside > 0) {
    const threads = plural(seen.outside, 'thread');
    warnings.push(
      `sections of ${threads} were not isolated: on stacks that ${name} has made itself, or with more devices mapped than can be told apart`,
    );
  }
  if (seen.found.obstacle !== undefined) {
    const { obstacle } = seen.found;
    const remedy = perfRemedy(obstacle, 'this machine has no debug registers to be used');
    warnings.push(`who changed the variables is not known: ${obstacle.message}; ${remedy}`);
  }
  if (seen.lost > 0) warnings.push(`${plural(seen.lost, 'race')} more had no room in the report`);
  return warnings;
}

class RaceTeller {
  readonly #tolerated: ToleratedProgram;
  readonly #names: ImageNames;

  constructor(tolerated: ToleratedProgram) {
    this.#tolerated = tolerated;
    this.#names = namesOf(tolerated.image.path, tolerated.elf);
  }

  /**
   * One for each section, variable and class. What is on the heap is where that happened to have it: for blocks of the
   * same size there is one for all, and those of which nothing is known are taken to be like another of the section.
   */
  folded(events: readonly RaceEvent[]): RaceEvent[] {
    const byPlace = new Map<string, RaceEvent>();
    const onHeap = new Map<string, string>();
    const isUnknown = ({ address }: RaceEvent): number => (this.#nameOf(address) ? 0 : 1);
    const sorted = [...events].sort(
      (a, b) =>
        a.section - b.section || isUnknown(a) - isUnknown(b) || Number(a.address - b.address),
    );
    for (const event of sorted) {
      const how = `${event.race} ${event.isTolerated}`;
      let key = `${this.#placeOf(event)} ${how}`;
      if (this.#variableAt(event.address) === undefined) {
        const alike = `${event.section} ${how}`;
        if (isUnknown(event)) key = onHeap.get(alike) ?? key;
        onHeap.set(alike, key);
      }
      const known = byPlace.get(key);
      byPlace.set(key, known ? { ...known, count: known.count + event.count } : event);
    }
    return [...byPlace.values()];
  }

  /** The section, and the variable as people know it. */
  #placeOf({ section, address }: Pick<RaceEvent, 'section' | 'address'>): string {
    const block = this.#tolerated.seen.blocks.at(address);
    const inHeap = block === undefined ? 'heap' : `heap block of ${block.size}`;
    return `${section} ${this.#variableAt(address) ?? inHeap}`;
  }

  told(event: RaceEvent): Omit<Race, 'id'> {
    const plan = this.#tolerated.plans.find(({ number }) => number === event.section);
    const site = this.#siteOf(plan);
    const name = this.#nameOf(event.address);
    const isOnHeap = this.#variableAt(event.address) === undefined;
    const object = name ?? `${hex(event.address)} (heap)`;
    const process = basename(this.#tolerated.image.path);
    const { pid, thread } = event;
    return {
      kind: 'asymmetric-race',
      verdict: event.isTolerated ? 'tolerated' : 'detected',
      title: `${object} changed while ${describe(plan, site)} had it`,
      object: { type: isOnHeap ? 'heap' : 'memory', name: name ?? 'heap' },
      accesses: [
        {
          ...{ process, pid, thread, op: OWN_OPS[event.race], stack: [site], site },
          what: `${plural(event.size, 'byte')}: found ${hex(event.original)}, made ${hex(event.own)}`,
        },
        { process, op: 'store', ...this.#intruderOf(event) },
      ],
      resolution: resolutionOf(event, plan),
      evidence: outcomeOf(event, this.#tolerated.mode),
      occurrences: Number(event.count),
    };
  }

  /** The other side, as far as it was caught. */
  #intruderOf(event: RaceEvent): Omit<Access, 'process' | 'op'> {
    const { seen, image, rewritten } = this.#tolerated;
    const made = `${plural(event.size, 'byte')}: made ${hex(event.current)}`;
    const place = this.#placeOf(event);
    const intruder = seen.found.intruders.find((one) => this.#placeOf(one) === place);
    const what = `${made}, without the lock`;
    const nobody = { pid: event.pid, thread: 0, site: {}, stack: [] };
    if (intruder === undefined) return { ...nobody, what };
    const { sites, isSection } = writerStack(intruder, image.path, rewritten);
    const { process: pid, thread } = intruder.sample;
    return {
      ...{ pid, thread, site: sites[0] ?? {}, stack: [...sites] },
      what: isSection ? `${made}, in a section of another lock` : what,
    };
  }

  #siteOf(plan: SectionPlan | undefined): Site {
    if (plan === undefined) return {};
    const { address } = plan.entry;
    const place = this.#names.placeAt(imageAddress(address));
    return {
      ...(place.function !== '' && { function: place.function }),
      ...(place.file !== '' && { file: place.file }),
      ...(place.line > 0 && { line: place.line }),
      module: this.#tolerated.image.path,
      address: `0x${address.toString(16)}`,
    };
  }

  #nameOf(address: bigint): string | undefined {
    const block = this.#tolerated.seen.blocks.at(address);
    const inBlock = block && heapPlace(block.size, Number(address - block.start));
    return this.#variableAt(address) ?? inBlock;
  }

  /** undefined for what is not in the program's file. */
  #variableAt(address: bigint): string | undefined {
    const inImage = Number(address - this.#tolerated.seen.loadedAt);
    const isInImage = inImage >= 0 && inImage < this.#names.imageEnd;
    const name = isInImage ? this.#names.dataAt(imageAddress(inImage)) : '';
    return name === '' ? undefined : name;
  }
}

const OWN_OPS: Readonly<Record<RaceEvent['race'], string>> = {
  I: 'load',
  II: 'store',
  III: 'update',
  IVa: 'load',
  IVb: 'store',
  IVc: 'update',
};

const hex = (value: bigint): string => `0x${value.toString(16)}`;

function resolutionOf(event: RaceEvent, plan: SectionPlan | undefined): Resolution {
  return {
    class: event.race,
    ...(hasLock(plan) && { lock: plan.entry.lock }),
    found: hex(event.original),
    section: hex(event.own),
    others: hex(event.current),
    kept: event.kept === 'own' ? 'section' : 'others',
  };
}

const hasLock = (plan: SectionPlan | undefined): plan is SectionPlan =>
  plan !== undefined && plan.entry.lock !== '?';

function describe(plan: SectionPlan | undefined, { function: name, file, line }: Site): string {
  const place = file === undefined ? '' : ` (${basename(file)}:${line})`;
  const lock = hasLock(plan) ? ` under ${plan.entry.lock}` : '';
  return `the section of ${name ?? '?'}${place}${lock}`;
}

function outcomeOf(
  { race, kept, isTolerated, own, current }: RaceEvent,
  { detects }: TolerateMode,
): string {
  const value = kept === 'own' ? hex(own) : hex(current);
  if (detects) {
    const maker = kept === 'own' ? 'the section' : 'the other';
    return `class ${race}: memory has ${value} now, what ${maker} made: nothing is resolved by --detect`;
  }
  if (!isTolerated)
    return `class ${race}: memory has ${value} now, which no order of the two explains`;
  const order = kept === 'own' ? 'last' : 'first';
  return `class ${race}: memory has ${value} now, as if the section had come ${order}`;
}

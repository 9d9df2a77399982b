/**
 * A trace of threads as the HTML report draws it: a lane for each thread, the locks that it holds as bars, and a
 * mark for each step of synchronisation and each access to something that is raced for. What threads do to
 * memory that nobody races for is left out.
 */
import { basename } from 'node:path';
import { firstIndex } from '../base/bisect.ts';
import { nearRaces, racingEvents } from '../report/html/near-races.ts';
import type { Lane, LinkKind, Picture, Shape } from '../report/html/picture.ts';
import { PictureMaker } from '../report/html/picture-maker.ts';
import type { Report } from '../report/model.ts';
import type { Run } from '../trace/run-directory.ts';
import { HeldBars } from './held-bars.ts';
import { Labels } from './model/labels.ts';
import { isAccess, NONE, Op, opNames } from './model/op.ts';
import type { ThreadTrace } from './model/trace.ts';
import { readWholeTrace } from './whole-trace.ts';

export function threadPicture(run: Run, { races }: Pick<Report, 'races'>): Picture {
  return drawThreads(readWholeTrace(run, true).trace, races);
}

export function drawThreads(trace: ThreadTrace, races: Report['races'], most?: number): Picture {
  const racing = racingEvents(races).filter((event) => event < trace.length);
  const events = chosenEvents(trace, new Set(racing.map((event) => trace.targetAt(event))));
  const centres = racing.map((event) => firstIndex(events, (one) => one >= event));
  const isDrawn = nearRaces(events.length, centres, most);
  const drawing = new Drawing(trace);
  for (const [index, event] of events.entries()) drawing.add(event, isDrawn(index));
  return drawing.finish(races);
}

/** Synchronisation, and what is done to the contested variables. */
function chosenEvents(trace: ThreadTrace, contested: ReadonlySet<number>): number[] {
  const chosen: number[] = [];
  let event = 0;
  for (const { count, ops, targets } of trace.chunks()) {
    for (let i = 0; i < count; i++, event++) {
      const op = ops[i]!;
      const isOfNoUse = op === Op.allocate || op === Op.free || op === Op.detach;
      if (isAccess(op) ? contested.has(targets[i]!) : !isOfNoUse) chosen.push(event);
    }
  }
  return chosen;
}

class Drawing {
  readonly #trace: ThreadTrace;
  readonly #labels: Labels;
  readonly #maker = new PictureMaker();
  readonly #held = new HeldBars();
  /** By access: the locks that its thread held. */
  readonly #heldAt = new Map<number, readonly string[]>();
  /** By thread: the event that made it, as long as it has done nothing, and who that was. */
  readonly #births = new Map<number, number>();
  readonly #parents = new Map<number, number>();
  readonly #ends = new Map<number, number>();
  readonly #links: [from: number, to: number, kind: LinkKind][] = [];
  #leftOut = 0;

  constructor(trace: ThreadTrace) {
    this.#trace = trace;
    this.#labels = new Labels(trace.tables);
  }

  add(event: number, isDrawn: boolean): void {
    const lane = this.#trace.threadAt(event);
    const op = this.#trace.opAt(event);
    const target = this.#trace.targetAt(event);
    this.#held.note(lane, op, target, this.#maker.count);
    this.#link(event, lane, op, target);
    if (isAccess(op)) {
      const locks = this.#held.of(lane).map((lock) => this.#labels.lock(lock));
      this.#heldAt.set(event, locks);
    }
    if (isDrawn) this.#maker.mark({ event, lane, shape: shapeOf(op), text: this.#text(event) });
    else this.#leftOut++;
  }

  finish(races: Report['races']): Picture {
    for (const [from, to, kind] of this.#links) this.#maker.link(from, to, kind);
    for (const { lock, isShared, ...bar } of this.#held.finish(this.#maker.count - 1)) {
      const label = `${this.#labels.lock(lock)}${isShared ? ' (shared)' : ''}`;
      this.#maker.bar({ ...bar, label });
    }
    const held = races.map(({ id, accesses }) => {
      return [id, accesses.map(({ event = -1 }) => this.#heldAt.get(event) ?? [])] as const;
    });
    return this.#maker.finish(this.#lanes(), this.#leftOut, Object.fromEntries(held));
  }

  #link(event: number, lane: number, op: number, target: number): void {
    const birth = this.#births.get(lane);
    if (birth !== undefined) {
      this.#links.push([birth, event, 'birth']);
      this.#births.delete(lane);
    }
    if (op === Op.fork || op === Op.processFork) {
      this.#births.set(target, event);
      this.#parents.set(target, lane);
    } else if (op === Op.end) this.#ends.set(lane, event);
    else if (op === Op.join) {
      const end = this.#ends.get(target);
      if (end !== undefined) this.#links.push([end, event, 'wait']);
    }
  }

  /** A thread has a higher number than the one that made it: it is noted later. */
  #lanes(): Lane[] {
    return this.#labels.threads.map((name, thread) => {
      const { tid } = this.#trace.tables.threads.row(thread);
      const parent = this.#parents.get(thread);
      return {
        name,
        number: tid === 0 ? '' : String(tid),
        ...(parent !== undefined && parent < thread && { parent }),
      };
    });
  }

  #text(event: number): string {
    const op = this.#trace.opAt(event);
    const isOwn = op === Op.begin || op === Op.end;
    const target = isOwn ? '' : ` ${this.#labels.target(op, this.#trace.targetAt(event))}`;
    const place = this.#place(this.#trace.siteAt(event));
    return `${opNames[op]}${target}${place === '' ? '' : `, ${place}`}`;
  }

  #place(site: number): string {
    if (site === NONE) return '';
    const { file, line } = this.#trace.tables.sites.row(site);
    return file === '' ? this.#labels.site(site) : `${basename(file)}:${line}`;
  }
}

function shapeOf(op: number): Shape {
  if (isAccess(op)) return 'access';
  switch (op) {
    case Op.fork:
    case Op.processFork:
    case Op.begin:
      return 'birth';
    case Op.end:
      return 'end';
    case Op.join:
    case Op.waitBegin:
    case Op.waitEnd:
    case Op.waitDone:
    case Op.arrive:
    case Op.leave:
      return 'wait';
    case Op.signal:
    case Op.broadcast:
    case Op.post:
      return 'signal';
  }
  return 'lock';
}

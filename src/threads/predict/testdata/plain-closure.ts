/**
 * Whether two accesses race by the closure of sync-preserving/rung.ts, made with plain sets: what must have
 * happened before both, until nothing is missing. For traces that are too long to try all their orders.
 */
import { Op } from '../../model/op.ts';
import { isKept } from './direct-edges.ts';
import { areRivals, type Event, sourceOf } from './events.ts';

interface Section {
  readonly begin: number;
  end: number;
  depth: number;
}

export function racesByClosure(events: readonly Event[]): Set<string> {
  const places = [...events.keys()];
  const isRead = ({ op }: Event): boolean =>
    op === Op.read || op === Op.atomicRead || op === Op.atomicUpdate;
  const kept = places.map((j) => places.filter((i) => i < j && isKept(events, i, j)));
  const needs = places.map((j) => {
    const source = isRead(events[j]!) ? sourceOf(events, j) : -1;
    return source < 0 ? kept[j]! : [...kept[j]!, source];
  });
  const sections = sectionsOf(events);
  const races = new Set<string>();
  for (const j of places) {
    for (const i of places.slice(0, j)) {
      if (!areRivals(events[i]!, events[j]!)) continue;
      const part = closure([...kept[i]!, ...kept[j]!]);
      if (!part.has(i)) races.add(`${i} ${j}`);
    }
  }
  return races;

  function closure(begin: readonly number[]): Set<number> {
    const part = new Set<number>();
    const add = (one: number): void => {
      if (part.has(one)) return;
      part.add(one);
      for (const other of needs[one]!) add(other);
    };
    for (const one of begin) add(one);
    for (let size = -1; size !== part.size; ) {
      size = part.size;
      for (const one of sections) {
        for (const other of sections) {
          const isEarlier = one.begin < other.begin && part.has(one.begin) && part.has(other.begin);
          if (isEarlier && doExclude(events[one.begin]!, events[other.begin]!)) add(one.end);
        }
      }
    }
    return part;
  }
}

function doExclude(one: Event, other: Event): boolean {
  if (one.target !== other.target || one.thread === other.thread) return false;
  return one.op === Op.acquire || other.op === Op.acquire;
}

function sectionsOf(events: readonly Event[]): Section[] {
  const sections: Section[] = [];
  const open = new Map<string, Section>();
  for (const [i, { thread, op, target }] of events.entries()) {
    const key = `${thread} ${target}`;
    const section = open.get(key);
    if (op === Op.acquire || op === Op.acquireShared) {
      if (section !== undefined) section.depth++;
      else {
        const fresh = { begin: i, end: i, depth: 1 };
        open.set(key, fresh);
        sections.push(fresh);
      }
    } else if (section !== undefined && (op === Op.release || op === Op.releaseShared)) {
      section.end = i;
      if (--section.depth === 0) open.delete(key);
    }
  }
  return sections;
}

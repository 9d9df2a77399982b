/**
 * Recognises a race from one run to the next, so that an alert stays the same alert.
 *
 * Hashed are the engine, the kind, the object, and for each side the program, the operation, the
 * call and the function it was made from; left out is what differs between runs of one program:
 *
 *   openat(5, "/proc/4711/stat", 0x7ffd10)  →  openat(#, "/proc/#/stat", #)
 *
 * All numbers go, in names too: nothing tells a pid from the 2 in `a2.o`. Line numbers are not
 * looked at, paths below the source root are made relative, and the sides are sorted, since either
 * may come first. Races that look the same after that are told apart by a counter behind the hash.
 *
 * Limits: random names without digits (mkstemp) make a new fingerprint each run.
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { encodeBytes } from '../../base/bytes.ts';
import type { Engine } from '../../base/engines.ts';
import { framesOf } from '../frames.ts';
import type { Access, Race, Report } from '../model.ts';

/** For each race, in order: the hash and a counter, such as `5f2c…:1`. */
export function fingerprints(report: Report, sourceRoot: string): string[] {
  const seen = new Map<string, number>();
  return report.races.map((race) => {
    const hash = hashOf(report.engine, race, sourceRoot);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return `${hash}:${count}`;
  });
}

function hashOf(engine: Engine, race: Race, sourceRoot: string): string {
  const steady = (text: string): string => withoutVolatileParts(text, sourceRoot);
  const sides = race.accesses.map((access) => describeSide(access, steady)).sort();
  const identity = [engine, race.kind, race.object.type, steady(race.object.name), ...sides];
  return createHash('sha256')
    .update(encodeBytes(JSON.stringify(identity)))
    .digest('hex')
    .slice(0, 32);
}

function describeSide(access: Access, steady: (text: string) => string): string {
  const [top] = framesOf(access);
  return JSON.stringify([
    steady(access.process),
    access.op,
    steady(access.what),
    top?.function ?? '',
    steady(top?.file ?? ''),
  ]);
}

function withoutVolatileParts(text: string, sourceRoot: string): string {
  const root = path.posix.resolve(sourceRoot);
  return text
    .replaceAll(root === '/' ? root : `${root}/`, '')
    .replace(/\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b|\d+/gi, '#');
}

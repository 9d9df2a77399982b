/**
 * A race that was caught, in the report's words:
 *
 *   worker is about to read counter at pool.c:24 while main has written it at pool.c:31
 *   watchpoint: main stored 4 bytes at counter while worker stood before its load; 0x2a -> 0x2b, bit 0 differs
 *
 * The held side comes first, since it is the later one. Sides that touch different bytes are told of with their own:
 *
 *   watchpoint: main stored 1 byte at flags+2 while worker stood before its load of 4 bytes at flags; …
 */
import { basename } from 'node:path';
import { FlowControl } from 'iced-x86';
import { namedRegisters } from '../linux/registers.ts';
import type { Access, Race, Site } from '../report/model.ts';
import { plural, threadWords } from '../report/wording.ts';
import { type ByteRange, type CaughtRace, type CaughtSide, sharedBytes } from './caught.ts';
import type { DebugTarget, RunnerName } from './debug-target.ts';
import { changeText } from './value-text.ts';
import { addressOf } from './watched-code.ts';

export async function toldRace(target: DebugTarget, race: CaughtRace): Promise<Omit<Race, 'id'>> {
  const { held, other, access } = race;
  const heldBy = await target.who(held.runner);
  const nameOf = (address: bigint): Promise<string> =>
    target.dataName(address, held.runner, held.registers);
  const shared = sharedBytes(race).address;
  const name = await nameOf(shared);
  const object = name || hexadecimal(shared);
  const names = {
    object,
    ofHeld: (await nameOf(access.address)) || hexadecimal(access.address),
    ofOther:
      other?.touched &&
      ((await nameOf(other.touched.address)) || hexadecimal(other.touched.address)),
  };
  const first = await heldAccess(target, race, heldBy);
  const second = other
    ? await otherAccess(target, race, other, await target.who(other.runner))
    : unknownAccess(heldBy);
  return {
    kind: 'data-race',
    verdict: 'confirmed',
    title: titleOf(race, first, second, object),
    object: { type: /^heap\b/.test(name) ? 'heap' : 'memory', name: object },
    accesses: [first, second],
    evidence: evidenceOf(race, first, second, names),
    occurrences: 1,
  };
}

async function heldAccess(target: DebugTarget, race: CaughtRace, who: RunnerName): Promise<Access> {
  const { held, access } = race;
  const stack = await target.stack(held.runner, held.registers);
  const [site] = stack.length > 0 ? stack : await target.sitesAt(addressOf(held.place));
  return {
    ...named(who),
    op: opOf(held),
    what: `${rangeText(access)}${onProcessor(who)}`,
    site: site ?? {},
    stack,
    ...valuesOf(race, access),
    registers: namedRegisters(held.registers),
  };
}

async function otherAccess(
  target: DebugTarget,
  race: CaughtRace,
  other: CaughtSide,
  who: RunnerName,
): Promise<Access> {
  const { access, strategy } = race;
  const stack = await stackOf(target, other, strategy === 'meeting');
  const what = other.touched ? rangeText(other.touched) : `at least ${someOf(access)}`;
  const when = strategy === 'watchpoint' ? '; registers right after it' : '';
  return {
    ...named(who),
    op: opOf(other),
    what: `${what}${onProcessor(who)}${when}`,
    site: stack[0] ?? {},
    stack,
    ...valuesOf(race, other.touched),
    registers: namedRegisters(other.registers),
  };
}

/** As far as it was looked at: only the bytes of the held side's access were. */
function valuesOf(
  { access, before, after }: CaughtRace,
  touched: ByteRange | undefined,
): Pick<Access, 'value' | 'valueAfter'> {
  const from = Number((touched?.address ?? 0n) - access.address);
  const isInside = touched !== undefined && from >= 0 && from + touched.size <= before.length;
  if (!isInside) return {};
  const hex = (bytes: Uint8Array): string =>
    Buffer.from(bytes.subarray(from, from + touched.size)).toString('hex');
  return { value: hex(before), valueAfter: hex(after) };
}

/** It stands behind its access: in the next line, or in a function that it has called. */
async function stackOf(
  target: DebugTarget,
  { runner, registers, place }: CaughtSide,
  standsBefore: boolean,
): Promise<Site[]> {
  const stack = await target.stack(runner, registers);
  if (standsBefore || place === undefined) return stack;
  const innermost = await target.sitesAt(addressOf(place));
  const behind = await target.sitesAt(registers.get('rip'));
  const callers = stack.slice(behind.length);
  const hasCalled = place.instruction.flow === FlowControl.IndirectCall;
  return [...innermost, ...(hasCalled ? callers.slice(innermost.length) : callers)];
}

function unknownAccess({ process, pid }: RunnerName): Access {
  return {
    ...{ process, pid, thread: 0, threadName: 'unknown', op: 'store' },
    ...{ what: 'unknown: found by value comparison', site: {}, stack: [] },
  };
}

const named = ({ process, pid, thread, threadName }: RunnerName): RunnerName => ({
  ...{ process, pid, thread },
  ...(threadName !== undefined && { threadName }),
});

function opOf({ isStore, isLoad, place }: CaughtSide): string {
  if (isStore && isLoad && place?.instruction.isAtomic) return 'atomic update';
  if (isStore && isLoad) return 'update';
  if (isStore) return 'store';
  return isLoad ? 'load' : 'access';
}

const hexadecimal = (address: bigint): string => `0x${address.toString(16)}`;

const rangeText = ({ size, address }: ByteRange, name = hexadecimal(address)): string =>
  `${plural(size, 'byte')} at ${name}`;

/** Where all that is known is that it was one of these. */
const someOf = (range: ByteRange, name = hexadecimal(range.address)): string =>
  range.size === 1 ? rangeText(range, name) : `1 of the ${rangeText(range, name)}`;

const onProcessor = ({ processor }: RunnerName): string =>
  processor === undefined ? '' : ` on cpu ${processor}`;

const VERBS: Readonly<Record<string, readonly [string, string]>> = {
  load: ['read', 'has read'],
  store: ['write', 'has written'],
  update: ['update', 'has updated'],
  'atomic update': ['update', 'has updated'],
  access: ['touch', 'has touched'],
};

function titleOf({ strategy }: CaughtRace, first: Access, second: Access, object: string): string {
  const whoOf = whoAmong(first, second);
  const will = (access: Access, what: string): string =>
    `${whoOf(access)} is about to ${VERBS[access.op]![0]} ${what}${placeOf(access.site)}`;
  const did =
    strategy === 'meeting'
      ? will(second, 'it')
      : strategy === 'watchpoint'
        ? `${whoOf(second)} ${VERBS[second.op]![1]} it${placeOf(second.site)}`
        : 'somebody has changed it';
  return `${will(first, object)} while ${did}`;
}

/** What the bytes are called: those that both touch, and the first ones of either side, as far as these are known. */
interface DataNames {
  readonly object: string;
  readonly ofHeld: string;
  readonly ofOther: string | undefined;
}

function evidenceOf(race: CaughtRace, first: Access, second: Access, names: DataNames): string {
  const { strategy, access, other, before, after } = race;
  const whoOf = whoAmong(first, second);
  const mine = rangeText(access, names.ofHeld);
  const theirs = other?.touched
    ? rangeText(other.touched, names.ofOther)
    : `at least ${someOf(access, names.ofHeld)}`;
  const stood = `${whoOf(first)} stood before its ${first.op}`;
  const change = changeText(before, after);
  if (strategy === 'value comparison') {
    return `value comparison: ${mine} changed while ${stood}; ${change}`;
  }
  const isSame = mine === theirs;
  if (strategy === 'meeting') {
    const its = `${whoOf(second)} stood before its ${second.op}${isSame ? '' : ` of ${theirs}`}`;
    return `meeting: ${stood} of ${mine} while ${its}; ${change}`;
  }
  const did = `${whoOf(second)} ${PAST[second.op] ?? second.op} ${theirs}`;
  return `watchpoint: ${did} while ${stood}${isSame ? '' : ` of ${mine}`}; ${change}`;
}

const PAST: Readonly<Record<string, string>> = {
  load: 'loaded',
  store: 'stored',
  update: 'updated',
  'atomic update': 'updated (atomically)',
  access: 'touched',
};

const whoAmong =
  (...accesses: Access[]): ((access: Access) => string) =>
  (access) =>
    threadWords({ accesses }, access);

function placeOf({ file, line, function: name, module, address }: Site): string {
  if (file !== undefined) return ` at ${basename(file)}${line === undefined ? '' : `:${line}`}`;
  if (name !== undefined) return ` in ${name}`;
  return module === undefined ? '' : ` at ${module}+${address ?? ''}`;
}

/** What a stand-off has shown, in the report's words. */
import type { Access, Race } from '../../report/model.ts';
import { plural, spacedHex } from '../../report/wording.ts';
import type { Standing, StandOffResult } from './side.ts';

/** `replay`: the command that shows it again. */
export function withConfirmation(race: Race, result: StandOffResult, replay: string): Race {
  if (result.kind === 'missed') {
    const attempts = plural(result.attempts, 'attempt');
    return {
      ...race,
      verdict: 'predicted',
      evidence: `not confirmed in ${attempts}: ${result.reason}`,
    };
  }
  const [first, second] = result.sides;
  return {
    ...race,
    verdict: 'confirmed',
    evidence: meetingText(race, result.sides),
    // The report has the later side first.
    accesses: race.accesses.map((access, i) => withStanding(access, i === 0 ? second : first)),
    replay,
  };
}

/** `worker and main stood before these accesses at the same moment, both about to touch counter (4 bytes …)` */
export function meetingText(
  { accesses, object }: Pick<Race, 'accesses' | 'object'>,
  [first, second]: readonly [Standing, Standing],
): string {
  const [later, earlier] = accesses;
  const names = [earlier, later].map((access, i) => access?.threadName ?? `thread ${i + 1}`);
  const sides = [first, second];
  const from = Math.max(...sides.map(({ address }) => Number(address)));
  const end = Math.min(...sides.map(({ address, size }) => Number(address) + size));
  const bytes = plural(end - from, 'byte');
  return (
    `${names.join(' and ')} stood before these accesses at the same moment, ` +
    `both about to touch ${object.name} (${bytes} at 0x${from.toString(16)}); ` +
    `there was ${valueText(first)}`
  );
}

function withStanding(access: Access, standing: Standing): Access {
  const { stack, registers, address, size, value } = standing;
  const [site] = stack;
  return {
    ...access,
    what: `${plural(size, 'byte')} at 0x${address.toString(16)}`,
    ...(site && { site }),
    stack: [...stack],
    registers: registers.named(),
    value: Buffer.from(value).toString('hex'),
  };
}

/** `05 00 00 00 (5)` */
function valueText({ value }: Standing): string {
  const bytes = Buffer.from(value);
  const hex = spacedHex(bytes.toString('hex'));
  const number = [1, 2, 4, 8].includes(bytes.length)
    ? ` (${bytes.length === 8 ? bytes.readBigUInt64LE() : bytes.readUIntLE(0, bytes.length)})`
    : '';
  return `${hex}${number}`;
}

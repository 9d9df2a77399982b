import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type GuestMessage, GuestMessages } from './guest-messages.ts';

function shown(message: GuestMessage): string {
  const { kind, ...rest } = message;
  if (message.kind === 'symbols')
    return `symbols ${Buffer.from(message.compressed).toString('hex')}`;
  return `${kind} ${Object.values(rest).join()}`;
}

test('hears the same however the bytes are cut', () => {
  const symbols = Buffer.from([10, 0, 255, ...Buffer.from('ready\nended 1\n')]);
  const said = Buffer.concat([
    Buffer.from(`symbols ${symbols.length}\n`),
    symbols,
    Buffer.from("ready\nended 3\nfailed insmod: can't insert 'a.ko'\nsymbols 0\nready\n"),
  ]);
  const whole = new GuestMessages().take(said).map(shown);
  expect(whole).toEqual([
    `symbols ${symbols.toString('hex')}`,
    'ready ',
    'ended 3',
    "failed insmod: can't insert 'a.ko'",
    'symbols ',
    'ready ',
  ]);
  const cuts = fc.array(fc.integer({ min: 0, max: said.length }), { maxLength: 20 });
  fc.assert(
    fc.property(cuts, (places) => {
      const edges = [0, ...places.sort((a, b) => a - b), said.length];
      const messages = new GuestMessages();
      const heard = edges.flatMap((from, at) => messages.take(said.subarray(from, edges[at + 1])));
      expect(heard.map(shown)).toEqual(whole);
    }),
  );
});

test.each([
  'hello\n',
  'ended soon\n',
  'symbols x\n',
  'symbols -5\n',
  'symbols 99999999999\n',
  '\n',
])('does not take %j for a message', (text) => {
  expect(() => new GuestMessages().take(Buffer.from(text))).toThrow('makes no sense');
});

test('does not wait for ever for the end of a line', () => {
  const messages = new GuestMessages();
  expect(messages.take(Buffer.alloc(4000, 'x'))).toEqual([]);
  expect(() => messages.take(Buffer.alloc(4000, 'x'))).toThrow('makes no sense');
});

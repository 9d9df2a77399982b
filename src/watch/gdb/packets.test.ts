import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { framed, NotGdbProtocol, PacketReader, type Received } from './packets.ts';

const text = (received: readonly Received[]): string[] =>
  received.map((one) =>
    'payload' in one ? `${one.kind} ${one.payload.toString('latin1')}` : one.kind,
  );

const read = (bytes: string | Uint8Array): string[] =>
  text(new PacketReader().push(Buffer.from(bytes as string, 'latin1')));

/** As a stub may send it: bytes that repeat are sent once, with how often. */
function withRuns(payload: Uint8Array): Buffer {
  const content: number[] = [];
  for (let at = 0; at < payload.length; ) {
    const byte = payload[at]!;
    const escaped = [0x23, 0x24, 0x2a, 0x7d].includes(byte) ? [0x7d, byte ^ 0x20] : [byte];
    let run = 1;
    while (run < 98 && payload[at + run] === byte) run++;
    content.push(...escaped);
    // `#` and `$` as counts would look like the end or the start of a packet, and so does 6 and 7.
    const copies = [6, 7].includes(run - 1) ? 5 : run - 1;
    if (copies >= 3) content.push(0x2a, copies + 29);
    at += copies >= 3 ? copies + 1 : 1;
  }
  const sum = content.reduce((total, byte) => (total + byte) & 0xff, 0);
  return Buffer.from([0x24, ...content, ...Buffer.from(`#${sum.toString(16).padStart(2, '0')}`)]);
}

describe('packets', () => {
  it('have a checksum', () => {
    expect(framed('g').toString()).toBe('$g#67');
    expect(framed('a#b').toString('latin1')).toBe('$a}\x03b#43');
  });

  it('are told from acknowledgements and from what nobody asked for', () => {
    expect(read('+$OK#9a-%Stop:T05#99$#00')).toEqual([
      'ack',
      'packet OK',
      'again',
      'notification Stop:T05',
      'packet ',
    ]);
  });

  it('repeat bytes', () => {
    expect(read('$0* #7a')).toEqual(['packet 0000']);
    expect(read('$x0*"#f4')).toEqual(['packet x000000']);
  });

  it('with a wrong checksum are damaged', () => {
    expect(read('$OK#9b')).toEqual(['damaged']);
    expect(read('$OK#zz$OK#9a')).toEqual(['damaged', 'packet OK']);
  });

  it('are what was sent, wherever the connection cuts them', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.uint8Array(), fc.array(fc.constantFrom(0, 0x2a, 0x30), { maxLength: 300 })),
        ),
        fc.boolean(),
        fc.array(fc.nat({ max: 40 }), { minLength: 1 }),
        (payloads, runs, cuts) => {
          const all = payloads.map((one) => Buffer.from(one));
          const bytes = Buffer.concat(all.map((one) => (runs ? withRuns(one) : framed(one))));
          const reader = new PacketReader();
          const received: Received[] = [];
          for (let at = 0, turn = 0; at < bytes.length; turn++) {
            const length = cuts[turn % cuts.length]! + 1;
            received.push(...reader.push(bytes.subarray(at, at + length)));
            at += length;
          }
          expect(received).toEqual(all.map((payload) => ({ kind: 'packet', payload })));
        },
      ),
    );
  });
});

describe('anything else', () => {
  it('is shown', () => {
    expect(() => read('HTTP/1.1 400 Bad Request\r\n')).toThrow(NotGdbProtocol);
    expect(() => read('HTTP/1.1 400 Bad Request\r\n')).toThrow('it said "HTTP/1.1 400');
    expect(() => read('$*"#4c')).toThrow(NotGdbProtocol);
    expect(() => read('$}#7d')).toThrow(NotGdbProtocol);
  });

  it('gives packets or that error, never another one', () => {
    const likely = fc.constantFrom(0x23, 0x24, 0x25, 0x2a, 0x2b, 0x2d, 0x30, 0x39, 0x7d, 0xff);
    const piece = fc.array(fc.oneof(likely, fc.nat({ max: 255 })));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const reader = new PacketReader();
        for (const one of pieces) {
          try {
            reader.push(Uint8Array.from(one));
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(NotGdbProtocol);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is not kept without end', () => {
    const endless = Buffer.alloc(1 << 16, 'a');
    const reader = new PacketReader();
    reader.push(Buffer.from('$'));
    let pushed = 0;
    expect(() => {
      for (; pushed < 1000; pushed++) reader.push(endless);
    }).toThrow(NotGdbProtocol);
    expect(pushed).toBeLessThan(20);
    const bomb = Buffer.from(`$a${'*~'.repeat(20_000)}`);
    const sum = bomb.subarray(1).reduce((total, byte) => (total + byte) & 0xff, 0);
    const whole = Buffer.concat([bomb, Buffer.from(`#${sum.toString(16).padStart(2, '0')}`)]);
    expect(() => read(whole)).toThrow(NotGdbProtocol);
  });
});

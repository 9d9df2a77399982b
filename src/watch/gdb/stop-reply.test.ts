import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NotGdbProtocol } from './packets.ts';
import { parseStopReply, threadNumber } from './stop-reply.ts';

it('tells who has stopped and why', () => {
  expect(parseStopReply('T05thread:p01.02;watch:ffffffff8264a2c0;')).toEqual({
    kind: 'stop',
    signal: 5,
    thread: 'p01.02',
    watched: 0xffffffff8264a2c0n,
    isNew: false,
  });
  expect(parseStopReply('T05awatch:5040;thread:p3f1.3f2;core:1;')).toMatchObject({
    watched: 0x5040n,
  });
  expect(parseStopReply('T0506:20e3ffffff7f0000;thread:p1.3;swbreak:;')).toMatchObject({
    signal: 5,
    thread: 'p1.3',
    watched: undefined,
  });
  expect(parseStopReply('S0b')).toMatchObject({ kind: 'stop', signal: 11, thread: undefined });
  expect(parseStopReply('T05create:;thread:p1.4;')).toMatchObject({ isNew: true });
});

it('tells ends', () => {
  expect(parseStopReply('W2a;process:3f1')).toEqual({ kind: 'exit', code: 42 });
  expect(parseStopReply('W7;process:3f1')).toEqual({ kind: 'exit', code: 7 });
  expect(parseStopReply('X09')).toEqual({ kind: 'killed', signal: 9 });
  expect(parseStopReply('w0;p3f1.3f2')).toEqual({ kind: 'thread-exit', thread: 'p3f1.3f2' });
  expect(parseStopReply('N')).toEqual({ kind: 'nobody' });
});

it('takes anything, or says that it is none', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `T05${text}`),
      ),
      (text) => {
        try {
          const reply = parseStopReply(text);
          if (reply.kind === 'stop' && reply.thread !== undefined) threadNumber(reply.thread);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(NotGdbProtocol);
        }
      },
    ),
  );
});

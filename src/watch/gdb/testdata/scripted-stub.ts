/**
 * A machine with two processors behind a gdb stub, of which a test says what happens: it answers as QEMU does, and
 * notes what it is told to do.
 */
import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { framed } from '../packets.ts';

export interface ScriptedStub {
  readonly port: number;
  /** All that was asked besides memory and registers. */
  readonly told: string[];
  /** What it answers to each vCont, in turn; 'interrupt': nothing until it is interrupted. */
  readonly stops: string[];
  /** Of each processor, by its number. */
  readonly rip: Map<number, bigint>;
}

const LAYOUT =
  'l<target><feature><reg name="rip" bitsize="64"/><reg name="rsp" bitsize="64"/></feature></target>';

export async function scriptedStub(): Promise<ScriptedStub> {
  const told: string[] = [];
  const stops: string[] = [];
  const rip = new Map([1, 2].map((number) => [number, 0x1000n]));
  let selected = 1;
  const answer = (request: string): string | undefined => {
    if (request.startsWith('qSupported'))
      return 'PacketSize=1000;qXfer:features:read+;multiprocess+';
    if (request === 'vCont?') return 'vCont;c;C;s;S';
    if (request === 'qqemu.sstepbits') return 'ENABLE=1,NOIRQ=2,NOTIMER=4';
    if (request === 'qfThreadInfo') return 'mp01.01,p01.02';
    if (request === 'qsThreadInfo') return 'l';
    if (request.startsWith('qXfer:features')) return LAYOUT;
    if (request.startsWith('Hg')) {
      selected = Number.parseInt(request.slice(request.indexOf('.') + 1), 16) || 1;
      return 'OK';
    }
    if (request === 'g') {
      const bytes = Buffer.alloc(16);
      bytes.writeBigUInt64LE(rip.get(selected) ?? 0n);
      return bytes.toString('hex');
    }
    if (request.startsWith('QStart')) return '';
    told.push(request);
    if (!request.startsWith('vCont')) return 'OK';
    const stop = stops.shift() ?? 'interrupt';
    return stop === 'interrupt' ? undefined : stop;
  };
  const server = createServer((socket) => {
    onTestFinished(() => {
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1');
      if (text.includes('\x03')) socket.write(framed('T02thread:p01.01;'));
      for (const [, request = ''] of text.matchAll(/\$([^#]*)#../g)) {
        const reply = answer(request);
        if (reply !== undefined) socket.write(framed(reply));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, told, stops, rip };
}

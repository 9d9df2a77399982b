import { describe, expect, it } from 'vitest';
import { decodeBytes } from '../../../base/bytes.ts';
import { Script, socket } from '../../testdata/records.ts';
import { detectRaces } from '../detect.ts';
import { buildTimeline } from '../timeline.ts';

/** A port in `struct sockaddr_in`; the server binds to 0 and lets the kernel choose. */
const port = (number: number): { data: string } => ({
  data: decodeBytes(Buffer.from([2, 0, number >> 8, number & 0xff, 127, 0, 0, 1])),
});

/** 1 listens, and then makes 2 and 3. */
class Server extends Script {
  constructor() {
    super();
    this.call(1, 'socket', undefined, { args: [2, 1], result: 3, file2: socket(1) });
    this.call(1, 'bind', undefined, { file: socket(1), ...port(0) });
    this.call(1, 'listen', undefined, { file: socket(1) })
      .fork(1, 2)
      .fork(1, 3);
  }
  connect(task: number, number: number): this {
    return this.call(task, 'connect', undefined, { file: socket(number), ...port(40_000) });
  }
  accept(task: number, number: number): this {
    const files = { file: socket(1), file2: socket(number) };
    return this.call(task, 'accept', undefined, { result: 4, ...files });
  }
}

function races({ records }: Script): string[] {
  const { races: found } = detectRaces(buildTimeline(records, '/'));
  return found.map(({ kind, thing }) => `${kind} ${thing.name}`);
}

describe('a server at a port that the kernel chose', () => {
  it('accepts after all who have connected', () => {
    const script = new Server().write(3, '/f').connect(3, 5).accept(2, 6).read(2, '/f');
    expect(races(script)).toEqual([]);
  });

  it('is not ordered with what they do next', () => {
    const script = new Server().connect(3, 5).write(3, '/f').accept(2, 6).read(2, '/f');
    expect(races(script)).toEqual(['load-store /f']);
  });

  it('may accept in either of two processes', () => {
    const script = new Server().fork(1, 4).connect(4, 5).connect(4, 6).accept(2, 7).accept(3, 8);
    expect(races(script)).toEqual(['wakeup-waits connections to socket 1:1']);
  });
});

/**
 * What a stub says when something has stopped.
 *
 *   T05thread:p01.02;watch:ffffffff8264a2c0;      thread p01.02 has touched watched bytes
 *   T05thread:p3f1.3f2;swbreak:;                  …has come to a breakpoint
 *   T02thread:p01.01;                             …was interrupted (signals by gdb's numbers)
 *   W00;process:3f1                               the process has ended
 */
import { NotGdbProtocol } from './packets.ts';

export interface ThreadStop {
  readonly kind: 'stop';
  /** As in `include/gdb/signals.def` of gdb; 0 if nothing happened but that it was to stop. */
  readonly signal: number;
  /** As the stub writes it; undefined if it has only one. */
  readonly thread: string | undefined;
  /** The bytes that were touched, or the start of those that are watched. */
  readonly watched: bigint | undefined;
  readonly isNew: boolean;
}

export type StopReply =
  | ThreadStop
  | { readonly kind: 'thread-exit'; readonly thread: string }
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: number }
  /** Nobody is left who could stop. */
  | { readonly kind: 'nobody' };

export function parseStopReply(text: string): StopReply {
  const [, kind = '', number = '', rest = ''] =
    /^(N|[TS](?=[0-9a-f]{2})|[WXw](?=[0-9a-f]))([0-9a-f]{0,2});?(.*)$/s.exec(text) ?? [];
  const value = Number.parseInt(number, 16);
  if (kind === 'N') return { kind: 'nobody' };
  if (Number.isNaN(value)) throw new NotGdbProtocol(`it said ${JSON.stringify(text.slice(0, 80))}`);
  if (kind === 'W') return { kind: 'exit', code: value };
  if (kind === 'X') return { kind: 'killed', signal: value };
  if (kind === 'w') return { kind: 'thread-exit', thread: rest };
  const pairs = new Map(
    rest.split(';').map((pair) => {
      const [name = '', ...of] = pair.split(':');
      return [name, of.join(':')];
    }),
  );
  const watched = pairs.get('watch') ?? pairs.get('rwatch') ?? pairs.get('awatch');
  return {
    kind: 'stop',
    signal: value,
    thread: pairs.get('thread'),
    watched:
      watched !== undefined && /^[0-9a-f]+$/i.test(watched) ? BigInt(`0x${watched}`) : undefined,
    isNew: pairs.has('create'),
  };
}

/** `p01.02` and `2` are the number 2. */
export function threadNumber(thread: string): number {
  const number = Number.parseInt(thread.slice(thread.indexOf('.') + 1), 16);
  if (Number.isNaN(number)) throw new NotGdbProtocol(`it said "thread ${thread.slice(0, 40)}"`);
  return number;
}

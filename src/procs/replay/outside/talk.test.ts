import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Conversation } from './conversation.ts';
import { PlayedPeer, type Talk } from './talk.ts';

const bytes = (text: string): Uint8Array => Buffer.from(text);

let ids = 0;
/** What was sent, and what came after how much; `end` after how much, if it did. */
function conversation(
  sent: string,
  said: readonly (readonly [number, string])[],
  end?: number,
): Conversation {
  const utterances = said.map(([after, text]) => ({ id: ids++, after, bytes: bytes(text) }));
  const ending = end === undefined ? undefined : { id: ids++, after: end, isReset: false };
  return { sent: bytes(sent), sentLength: sent.length, utterances, end: ending, isWhole: true };
}

const playing = (...conversations: Conversation[]): PlayedPeer =>
  new PlayedPeer({ conversations }, () => true);

function hears(talk: Talk, text: string): string {
  talk.hears(bytes(text));
  return said(talk);
}

function said(talk: Talk): string {
  const reply = talk.reply();
  return Buffer.from(reply.bytes).toString() + (reply.end === undefined ? '' : '.');
}

describe('who plays somebody', () => {
  it('says what was said, after as much', () => {
    const peer = playing(
      conversation(
        'GET aBYE',
        [
          [0, 'hi '],
          [5, 'A1'],
          [5, 'A2'],
        ],
        8,
      ),
    );
    const talk = peer.connected();
    expect(said(talk)).toBe('hi ');
    expect(hears(talk, 'GET')).toBe('');
    expect(peer.hasEndedOtherwise).toBe(true);
    expect(hears(talk, ' a')).toBe('A1A2');
    expect(peer.hasEndedOtherwise).toBe(false);
    expect(hears(talk, 'BYE')).toBe('.');
    expect(peer.hasEndedOtherwise).toBe(false);
  });

  it('knows whom it has before it by what they say, not by when they come', () => {
    const peer = playing(
      conversation('GET a', [[5, 'A']], 5),
      conversation('GET b', [[5, 'B']], 5),
    );
    const [one, other] = [peer.connected(), peer.connected()];
    expect(hears(one, 'GET b')).toBe('B.');
    expect(hears(other, 'GET a')).toBe('A.');
    expect(peer.hasEndedOtherwise).toBe(false);
  });

  it('tells those who say the same what was told to the first, the second and so on', () => {
    const peer = playing(conversation('next', [[4, '1']]), conversation('next', [[4, '2']]));
    expect(hears(peer.connected(), 'next')).toBe('1');
    expect(hears(peer.connected(), 'next')).toBe('2');
    expect(peer.isOtherwise).toBe(false);
  });

  it('is lost if it is told something else, or more, or more often', () => {
    const recorded = (): Conversation => conversation('GET a', [[5, 'A']]);
    const isLostAfter = (...words: string[]): boolean => {
      const peer = playing(recorded());
      for (const word of words) hears(peer.connected(), word);
      return peer.isOtherwise;
    };
    expect(isLostAfter('GET a')).toBe(false);
    expect(isLostAfter('GET b')).toBe(true);
    expect(isLostAfter('GET a more')).toBe(true);
    expect(isLostAfter('GET a', '')).toBe(true);
    const peer = playing({ ...recorded(), isWhole: false });
    const talk = peer.connected();
    expect(peer.isOtherwise).toBe(false);
    hears(talk, 'GET a');
    expect(peer.isOtherwise).toBe(true);
  });

  it('does not mind who leaves early', () => {
    const peer = playing(
      conversation(
        'GET aGET b',
        [
          [5, 'A'],
          [10, 'B'],
        ],
        10,
      ),
    );
    const talk = peer.connected();
    expect(hears(talk, 'GET a')).toBe('A');
    talk.hearsEnd();
    expect(said(talk)).toBe('');
    expect(talk.isOver).toBe(true);
    expect(peer.hasEndedOtherwise).toBe(false);
  });

  it('knows more than was kept of what it was told only by its length', () => {
    const long = { ...conversation('start', [[9, 'A']]), sentLength: 9 };
    expect(hears(playing(long).connected(), 'startrest')).toBe('A');
    const peer = playing(long);
    hears(peer.connected(), 'start more');
    expect(peer.isOtherwise).toBe(true);
  });

  it('waits for its cue, and then serves whom it is for', () => {
    const [first, second] = [conversation('x', [[1, '1']]), conversation('x', [[1, '2']])];
    const released = new Set<number>();
    const peer = new PlayedPeer({ conversations: [first, second] }, (id) => released.has(id));
    const talk = peer.connected();
    expect(hears(talk, 'x')).toBe('');
    released.add(second.utterances[0]!.id);
    expect(said(talk)).toBe('2');
  });

  it('says all of it, in whatever pieces it is told', () => {
    const pieces = fc.array(fc.tuple(fc.string({ maxLength: 4 }), fc.string({ maxLength: 4 })));
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(20)), (exchange, cuts) => {
        let sent = '';
        const utterances = exchange.map(([one, other]) => {
          sent = Buffer.from(sent + one).toString('latin1');
          return [sent.length, other] as const;
        });
        const peer = playing(conversation(sent, utterances, sent.length));
        const talk = peer.connected();
        let heard = said(talk);
        for (let at = 0, cut = 0; at < sent.length; cut++) {
          const length = Math.max(1, cuts[cut] ?? sent.length);
          talk.hears(Buffer.from(sent).subarray(at, at + length));
          heard += said(talk);
          at += length;
        }
        expect(heard).toBe(`${exchange.map(([, other]) => other).join('')}.`);
        expect(peer.hasEndedOtherwise).toBe(false);
      }),
    );
  });
});

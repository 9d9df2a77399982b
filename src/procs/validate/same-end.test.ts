import { describe, expect, it } from 'vitest';
import type { Race } from '../../report/model.ts';
import { foldSameEnds } from './same-end.ts';

function race(id: string, evidence: string | undefined, name = '/f', occurrences = 1): Race {
  const object = { type: 'file', name };
  const title = `race ${id}`;
  return { id, title, object, occurrences, verdict: 'harmful', evidence } as unknown as Race;
}

/** `R1 × 3 also R2`. */
const folded = (...races: Race[]): string[] =>
  foldSameEnds(races).map(({ id, occurrences, also }) =>
    [id, occurrences > 1 ? `× ${occurrences}` : [], also ? `also ${also.join(', ')}` : []]
      .flat()
      .join(' '),
  );

describe('harmful races that end in the same way', () => {
  it('are told as one, by the first of them', () => {
    const message = 'mv: cannot stat ‘x’';
    expect(folded(race('R1', message), race('R2', message, '/g', 2))).toEqual([
      'R1 × 3 also R2: race R2',
    ]);
    const three = [race('R1', message), race('R2', message), race('R3', message)];
    expect(folded(...three)).toEqual(['R1 × 3 also R2: race R2, R3: race R3']);
  });

  it('are the same if one of their messages is', () => {
    const first = race('R1', 'exit status 1 instead of 0\ncat: x: No such file');
    const second = race('R2', 'cat: x: No such file\ncat: y: No such file');
    expect(folded(first, second)).toEqual(['R1 × 2 also R2: race R2']);
  });

  it('are the same if a program misses the same file, wherever it noticed', () => {
    const missing = 'No such file or directory';
    const noticed = [`mv: cannot stat 'n': ${missing}`, `mv: cannot move 'n' to 'o': ${missing}`];
    expect(folded(race('R1', noticed[0]), race('R2', noticed[1]))).toEqual([
      'R1 × 2 also R2: race R2',
    ]);
    const others = [`mv: cannot stat 'o': ${missing}`, `cp: cannot stat 'n': ${missing}`];
    expect(folded(race('R1', noticed[0]), race('R2', others[0]), race('R3', others[1]))).toEqual([
      ...['R1', 'R2', 'R3'],
    ]);
    const denied = race('R2', `mv: cannot move 'n' to 'o': Permission denied`);
    expect(folded(race('R1', noticed[1]), denied)).toEqual(['R1', 'R2']);
  });

  it('are not the same if only their exit status is, unless they are about the same thing', () => {
    const status = 'exit status 1 instead of 0';
    const told = [`${status}\ncat: x: No such file`, `${status}\ncat: y: No such file`];
    expect(folded(race('R1', told[0]), race('R2', told[1]))).toEqual(['R1', 'R2']);
    expect(folded(race('R1', status, '/f'), race('R2', status, '/g'))).toEqual(['R1', 'R2']);
    expect(folded(race('R1', status, '/f'), race('R2', status, '/f'))).toEqual([
      'R1 × 2 also R2: race R2',
    ]);
  });

  it('are not the same if only lines of files are', () => {
    const diff = (name: string): string =>
      `${name} is unlike every serial order\n-one\n+two\n same`;
    expect(folded(race('R1', diff('a')), race('R2', diff('b')))).toEqual(['R1', 'R2']);
  });

  it('are each told if nothing is known of them', () => {
    expect(folded(race('R1', undefined), race('R2', undefined))).toEqual(['R1', 'R2']);
    expect(folded()).toEqual([]);
  });
});

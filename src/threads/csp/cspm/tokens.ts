/** The words of a CSPm text, with their places. Comments are `-- …` and `{- … -}`. */
import { CspmFault } from './fault.ts';

export interface Token {
  readonly kind: 'word' | 'number' | 'sign' | 'end';
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** Longer ones first, where one is the beginning of another. */
const SIGNS = [
  '[T=',
  '|||',
  '{|',
  '|}',
  '[|',
  '|]',
  '[]',
  '->',
  '/\\',
  '==',
  '!=',
  '..',
  '\\',
  ';',
  '&',
  '=',
  '.',
  '?',
  '!',
  ':',
  '@',
  ',',
  '|',
  '(',
  ')',
  '{',
  '}',
  '+',
  '-',
] as const;

const blank = /(?:\s|--[^\n]*|\{-[\s\S]*?-\})*/y;
const word = /[A-Za-z][A-Za-z0-9_]*'*/y;
const number = /[0-9]+/y;
/** So many digits are exact. */
const mostDigits = 15;

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let line = 1;
  let lineStart = 0;
  for (let at = 0; ; ) {
    const skipped = matchAt(blank, text, at);
    for (let i = at; i < at + skipped.length; i++) {
      if (text[i] !== '\n') continue;
      line++;
      lineStart = i + 1;
    }
    at += skipped.length;
    const place = { line, column: at - lineStart + 1 };
    if (at === text.length) return [...tokens, { kind: 'end', text: '', ...place }];
    const token = tokenAt(text, at);
    if (token === undefined) throw new CspmFault(line, place.column, strange(text, at));
    if (token.kind === 'number' && token.text.length > mostDigits) {
      throw new CspmFault(line, place.column, 'this number is too long');
    }
    tokens.push({ ...token, ...place });
    at += token.text.length;
  }
}

function tokenAt(text: string, at: number): Pick<Token, 'kind' | 'text'> | undefined {
  const name = matchAt(word, text, at);
  if (name !== '') return { kind: 'word', text: name };
  const digits = matchAt(number, text, at);
  if (digits !== '') return { kind: 'number', text: digits };
  if (text.startsWith('{-', at)) return undefined;
  const sign = SIGNS.find((one) => text.startsWith(one, at));
  return sign === undefined ? undefined : { kind: 'sign', text: sign };
}

function strange(text: string, at: number): string {
  if (text.startsWith('{-', at)) return 'this comment does not end';
  return `no word begins with '${String.fromCodePoint(text.codePointAt(at)!)}'`;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

/** Words that cannot be names. */
export const RESERVED: ReadonlySet<string> = new Set([
  'STOP',
  'SKIP',
  'Events',
  'and',
  'assert',
  'channel',
  'datatype',
  'diff',
  'else',
  'external',
  'false',
  'if',
  'let',
  'module',
  'nametype',
  'not',
  'or',
  'subtype',
  'then',
  'transparent',
  'true',
  'union',
  'within',
]);

/** How strongly operators bind, weakest first: `a -> P [] Q \ A` is `((a -> P) [] Q) \ A`. */
export const Strength = {
  /** It takes in all that follows. */
  replicated: -1,
  hide: 0,
  interleave: 1,
  parallel: 2,
  choice: 3,
  interrupt: 4,
  sequence: 5,
  prefix: 6,
  atom: 7,
} as const;

/** Those that stand between two processes, and are read from left to right. */
export const BETWEEN = {
  interleave: '|||',
  choice: '[]',
  interrupt: '/\\',
  sequence: ';',
} as const;

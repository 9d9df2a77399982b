/**
 * How a table says what is worth keeping of a system call: a word for each of its arguments, and
 * what else there is to tell.
 *
 *   renameat: shape('folder path folder path')
 *   read:     shape('file address number', { position: ALWAYS })
 *   pipe2:    shape('address number', { data: { at: 0, size: 8, ifSuccessful: true }, pair: true })
 *
 *   number    kept as it is
 *   option    a number for some commands only, see `commands`
 *   address   differs from run to run and says nothing by itself: recorded as 0
 *   path      a path, and relative to the cwd unless a `folder` stands before it
 *   folder    the descriptor of the directory that the next path starts at
 *   text      a string that is not looked up as a path; comes after the paths
 *   file      a descriptor; the second one of a call becomes `file2`
 *
 * Registers beyond the arguments hold whatever was there before, and are recorded as 0.
 */
export interface PathArgument {
  /** Index of the argument that points to the path. */
  at: number;
  /** Index of the argument with the directory's fd; absent for paths relative to the cwd. */
  directory?: number;
  /** It starts at no directory: the target of a link, the name of a queue. */
  isText?: true;
}

/** Memory that an argument points at, kept up to LONGEST_DATA bytes when the call ends. */
export interface DataArgument {
  at: number;
  size: DataSize;
  /** Nothing is there unless the call succeeds. */
  ifSuccessful?: true;
  /** Only for these values of argument 1. */
  commands?: readonly number[];
}

/** So many bytes; or elements of `unit` bytes, or bits, whose number an argument or the result says. */
export type DataSize =
  | number
  | { count: number | 'result'; unit: number }
  /** fd_set: a bit each. */
  | { bits: number };

export const LONGEST_DATA = 128;

/** The calls that are not recorded for certain arguments, such as private futexes. */
export interface Skipped {
  argument: number;
  /** Skipped if any of these bits is set in the argument; absent: if the argument is 0. */
  ifAnyBit?: number;
  /** Instead: skipped unless it is one of these, all of which are below 8. */
  unlessOneOf?: readonly number[];
}

export interface Details {
  /** The result is a new descriptor, for `file2`; with a list, only for these values of argument 1. */
  opens?: true | readonly number[];
  /** What it opens is `file` once more. */
  duplicates?: true;
  /** It may create what it opens. */
  creates?: true;
  /** `data` is two new descriptors, for `file` and `file2`. */
  pair?: true;
  data?: DataArgument;
  /** The call goes by the position of `file`; with an argument, only if that has this value. */
  position?: { argument?: number; value?: number };
  skipped?: Skipped;
  /** With an empty path, or none, the call is about the file that the folder's descriptor is. */
  orFolder?: true;
  /** The result is an address: recorded as 0. */
  addressResult?: true;
  /** An `option` is a number if the argument `at` is one of these. */
  commands?: { at: number; withNumber: readonly number[] };
  /** Recorded only if `file` is a pipe or a socket. */
  streamsOnly?: true;
  /** Where the bytes are that it took from `file`, if that is the program's input, or makes them up. */
  takes?: Taken;
  /** The same for the bytes that it put into `file`. */
  gives?: Pick<Taken, 'into'>;
}

/**
 * In the buffer at argument 1, in the struct iovecs there, or in those of the struct msghdr there;
 * or where they cannot be seen, as in another pipe, and then they may come from `file2` too.
 * With MSG_PEEK in the argument `flags`, nothing is taken. In `data`, at argument 0, are bytes that were
 * made up: if there are more than are kept of it.
 */
export interface Taken {
  into: 'buffer' | 'vectors' | 'message' | 'elsewhere' | 'data';
  flags?: number;
}

export interface Shape extends Details {
  paths: readonly PathArgument[];
  /** Index of the argument that is an open file. */
  file?: number;
  file2?: number;
  /** For each argument that there is: whether it is kept. */
  kept: readonly ('always' | 'never' | 'option')[];
}

/** A call whose only argument for `position` is that it has one. */
export const ALWAYS = {} as const;

export function shape(signature: string, details: Details = {}): Shape {
  const words = signature === '' ? [] : signature.split(' ');
  const at = (word: string): number[] =>
    words.flatMap((each, index) => (each === word ? index : []));
  const paths = at('path').map((index) =>
    words[index - 1] === 'folder' ? { at: index, directory: index - 1 } : { at: index },
  );
  const texts = at('text').map((index) => ({ at: index, isText: true as const }));
  const [file, file2] = at('file');
  return {
    ...details,
    paths: [...paths, ...texts],
    ...(file !== undefined && { file }),
    ...(file2 !== undefined && { file2 }),
    kept: words.map(keeping),
  };
}

function keeping(word: string): 'always' | 'never' | 'option' {
  if (word === 'option') return 'option';
  return ['address', 'path', 'text'].includes(word) ? 'never' : 'always';
}

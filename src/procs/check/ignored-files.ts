/**
 * Files that the user says tell nothing about a race:
 *
 *   --ignore-files '*.log'        any file of that name, as in .gitignore
 *   --ignore-files 'build/**'     everything in a folder of the one the command runs in
 *   --ignore-files '/var/cache'   that folder with everything in it
 *
 * `*` and `?` stop at slashes, `**` does not, and `[a-f]` and `{a,b}` are as in a shell. Node has
 * path.matchesGlob, but in Node 20 it warns of itself on stderr, and it knows nothing of the first
 * and the last of these examples.
 */
import { relative } from 'node:path';
import { UserError } from '../../base/user-error.ts';
import { folderOf, type LeftOut } from './final-files.ts';

/** deadheat's own runs, and Python's compiled files: these hold the times of their sources. */
const ALWAYS = ['**/.deadheat', '**/__pycache__'];

/** `cwd`: what patterns without a leading slash are relative to. */
export function ignoredFiles(patterns: readonly string[], cwd: string): LeftOut {
  const matchers = [...ALWAYS, ...patterns].map((pattern) => matcherOf(pattern, cwd));
  const known = new Map<string, boolean>();
  const has = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const inside = path !== '/' && has(folderOf(path));
    const answer = inside || matchers.some((matches) => matches(path));
    known.set(path, answer);
    return answer;
  };
  return { has };
}

export const eitherOf = (...all: readonly LeftOut[]): LeftOut => ({
  has: (path) => all.some((one) => one.has(path)),
});

/** What is in an ignored folder is ignored with it, so that only the folder need match. */
function matcherOf(pattern: string, cwd: string): (path: string) => boolean {
  const name = pattern.replace(/(?<=.)\/$/, '').replace(/^\.\//, '');
  const regex = toRegex(name.replace(/(?<=.)\/\*\*$/, ''), pattern);
  if (name.startsWith('/') || name.startsWith('**')) return (path) => regex.test(path);
  if (!name.includes('/')) return (path) => regex.test(path.slice(path.lastIndexOf('/') + 1));
  return (path) => regex.test(relative(cwd, path));
}

function toRegex(pattern: string, original: string): RegExp {
  const tokens = pattern.match(/\*\*\/?|[*?{},]|\[[!^]?\]?[^\]]*\]|./gs) ?? [];
  let depth = 0;
  const parts = tokens.map((token) => {
    if (token === '{') depth++;
    if (token === '}' && depth > 0 && depth--) return ')';
    return translated(token, depth);
  });
  try {
    return new RegExp(`^(?:${parts.join('')})$`, 's');
  } catch {
    throw new UserError(
      `--ignore-files '${original}' is not a pattern`,
      "write it as for a shell, such as 'build/*.o'",
    );
  }
}

function translated(token: string, depth: number): string {
  if (token === '**/') return '(?:.*/)?';
  if (token === '**') return '.*';
  if (token === '*') return '[^/]*';
  if (token === '?') return '[^/]';
  if (token === '{') return '(?:';
  if (token === ',' && depth > 0) return '|';
  if (/^\[.+\]$/.test(token)) return token.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
  return token.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
}

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where the user keeps what can be made again: the XDG base directory specification. */
export function userCache(): string {
  const chosen = process.env.XDG_CACHE_HOME;
  const cache = chosen && isAbsolute(chosen) ? chosen : join(homedir(), '.cache');
  return join(cache, 'deadheat');
}

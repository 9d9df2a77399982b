import { readdirSync, readFileSync } from 'node:fs';

/** The processes that have a sandbox for changes in this folder: what they were started with. */
export function sandboxedIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const mounts = readIfThere(`/proc/${pid}/mountinfo`);
      return mounts.includes(folder) ? [`${pid} ${readIfThere(`/proc/${pid}/cmdline`)}`] : [];
    });
}

/** Processes come and go. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * A sandbox covers files. It does not cover disks that are written to directly, nor what the kernel
 * shows as files, such as /sys/class/leds/x/brightness and /proc/sys/vm/swappiness: each run that
 * validates a race would really do all that again. A program that was seen to do it is not run again.
 */
import { constants, statSync } from 'node:fs';
import { encodeBytes, printable } from '../../base/bytes.ts';
import { ExitStatus } from '../../base/exit-status.ts';
import { tryTo } from '../../base/result.ts';
import { UserError } from '../../base/user-error.ts';
import { isBelow, visibleMounts } from '../../linux/sandbox/mount-table.ts';
import type { TraceRecord } from '../../trace/records/record.ts';
import type { Run } from '../../trace/run-directory.ts';
import { OpenFlag, openFlags } from '../model/open-flags.ts';

const SETTINGS = ['/proc/sys', '/proc/sysrq-trigger'];

export function requireWithinReach(
  { name }: Pick<Run, 'name'>,
  records: Iterable<TraceRecord>,
): void {
  const path = pathOutOfReach(records, kernelDevices());
  if (path === undefined) return;
  throw new UserError(
    `${name} is not run again: it wrote to ${printable(path)}, which no sandbox covers, so that each run would do it again`,
    'record it without that step',
    ExitStatus.unavailable,
  );
}

/** `kernelDevices`: the device numbers of what is not made of files. */
export function pathOutOfReach(
  records: Iterable<TraceRecord>,
  kernelDevices: ReadonlySet<number>,
): string | undefined {
  for (const record of records) {
    if (record.kind !== 'call' || !record.path || record.result < 0 || !record.file2) continue;
    const isForWriting = (openFlags(record) & (OpenFlag.O_WRONLY | OpenFlag.O_RDWR)) !== 0;
    if (!isForWriting) continue;
    const { path, file2 } = record;
    const isDisk = (file2.mode & constants.S_IFMT) === constants.S_IFBLK;
    const isSetting = SETTINGS.some((place) => path === place || isBelow(path, place));
    if (isDisk || isSetting || kernelDevices.has(file2.device)) return path;
  }
  return undefined;
}

/** Of /sys, and of all that is mounted there. */
function kernelDevices(): Set<number> {
  const places = visibleMounts().map(({ place }) => place);
  const inSys = places.filter((place) => place === '/sys' || isBelow(place, '/sys'));
  return new Set(
    inSys.flatMap((place) => {
      const stats = tryTo(() => statSync(encodeBytes(place)));
      return stats.ok ? [stats.value.dev] : [];
    }),
  );
}

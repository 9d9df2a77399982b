import type { KernelFile } from '../../trace/records/kernel-file.ts';

/** Source: <linux/stat.h>. */
const S_IFMT = 0o170000;
const S_IFIFO = 0o010000;
const S_IFREG = 0o100000;

export const isFifo = (file: KernelFile | undefined): boolean =>
  file !== undefined && (file.mode & S_IFMT) === S_IFIFO;

/** A file with bytes that stay where they are; what is unknown counts as one. */
export const hasContents = (file: KernelFile | undefined): boolean =>
  file === undefined || (file.mode & S_IFMT) === S_IFREG;

/** The options of `watch` that are about a guest: a kernel in QEMU. */
import { type Command, Option } from 'commander';
import { UserError } from '../base/user-error.ts';
import { collected } from './common-options.ts';

export interface GuestOptions {
  qemu?: true;
  fetch?: true;
  kernelImage?: string;
  workload?: string;
  module: string[];
  guestFile: string[];
  kvm?: true;
}

export function addGuestOptions(command: Command): Command {
  const several = (flags: string, about: string): Option =>
    new Option(flags, about).argParser(collected).default([], 'none');
  return command
    .option('--qemu', 'boot a Linux kernel in QEMU, and watch that')
    .option('--fetch', 'with --qemu: fetch the Debian packages that it takes, if they are missing')
    .option('--kernel-image <file>', "with --qemu: boot this vmlinuz instead of Debian's")
    .option('--workload <script>', 'with --qemu: what to run in the guest, on each processor')
    .addOption(
      several('--module <file>', 'with --qemu: a kernel module to load, FILE.ko or FILE.c'),
    )
    .addOption(several('--guest-file <file>', 'with --qemu: a file to copy into the guest'))
    .option('--kvm', 'with --qemu: use /dev/kvm, which is faster where it works');
}

/** What is about a guest is for nothing without one. */
export function requireGuest(options: GuestOptions): void {
  if (options.qemu) return;
  const { fetch, kernelImage, workload, module, guestFile, kvm } = options;
  const given: [string, unknown][] = [
    ...Object.entries({ fetch, workload, kvm, 'kernel-image': kernelImage }),
    ...Object.entries({ module: module[0], 'guest-file': guestFile[0] }),
  ];
  const [name] = given.find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw new UserError(`--${name} is about a guest`, 'add --qemu');
}

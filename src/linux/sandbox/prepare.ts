/** Plans a sandbox and makes the folders that its changes will go to. */
import { effectiveCapabilities, isInUserNamespace } from '../kernel-settings.ts';
import { makeLayer } from './layers.ts';
import { visibleMounts } from './mount-table.ts';
import { planSandbox } from './plan.ts';
import type { SandboxPlan } from './sandbox.ts';

export interface SandboxPlace {
  /** Where the program starts. */
  readonly cwd: string;
  /** An absolute path; the folder is there, and empty. */
  readonly changes: string;
  /** What the program is not to see: `changes`, or a folder around it. */
  readonly hidden: string;
}

export function prepareSandbox({ cwd, changes, hidden }: SandboxPlace): SandboxPlan {
  const mayMount = effectiveCapabilities().includes('CAP_SYS_ADMIN');
  const isUnprivileged = !mayMount || isInUserNamespace();
  const parts = planSandbox(visibleMounts(), !isUnprivileged);
  const openWays = isUnprivileged ? usualPlaces(cwd) : [];
  for (const part of parts) {
    if (part.kind === 'layer') makeLayer(`${changes}/${part.layer}`, part.place, openWays);
  }
  const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  return { parts, changes, hidden, openWays, isUnprivileged, cwd, ...(!mayMount && { user }) };
}

/** Where programs write, beside what is their user's own anyway. */
function usualPlaces(cwd: string): string[] {
  const { HOME, TMPDIR } = process.env;
  const places = [cwd, HOME, TMPDIR, '/tmp', '/var/tmp', `/run/user/${process.geteuid?.()}`];
  return places.filter((place) => place?.startsWith('/')) as string[];
}

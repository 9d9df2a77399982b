/** Plans a sandbox for the current folder and makes the folders that its changes will go to. */
import { effectiveCapabilities, isInUserNamespace } from '../kernel-settings.ts';
import { ownFolder } from '../own-process.ts';
import { makeLayer } from './layers.ts';
import { visibleMounts } from './mount-table.ts';
import { planSandbox } from './plan.ts';
import type { SandboxPlan } from './sandbox.ts';

/** `changes` is an absolute path; the folder is there, and empty. */
export function prepareSandbox(changes: string): SandboxPlan {
  const cwd = ownFolder();
  const mayMount = effectiveCapabilities().includes('CAP_SYS_ADMIN');
  const isUnprivileged = !mayMount || isInUserNamespace();
  const parts = planSandbox(visibleMounts(), !isUnprivileged);
  const openWays = isUnprivileged ? usualPlaces(cwd) : [];
  for (const part of parts) {
    if (part.kind === 'layer') makeLayer(`${changes}/${part.layer}`, part.place, openWays);
  }
  const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  return { parts, changes, openWays, isUnprivileged, cwd, ...(!mayMount && { user }) };
}

/** Where programs write, beside what is their user's own anyway. */
function usualPlaces(cwd: string): string[] {
  const { HOME, TMPDIR } = process.env;
  const places = [cwd, HOME, TMPDIR, '/tmp', '/var/tmp', `/run/user/${process.geteuid?.()}`];
  return places.filter((place) => place?.startsWith('/')) as string[];
}

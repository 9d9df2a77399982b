/** Plans a sandbox and makes the folders that its changes will go to. */
import { printable } from '../../base/bytes.ts';
import { UserError } from '../../base/user-error.ts';
import { effectiveCapabilities, isInUserNamespace } from '../kernel-settings.ts';
import type { Shown } from './file-system.ts';
import { makeLayer } from './layers.ts';
import { isBelow, type Mount, visibleMounts } from './mount-table.ts';
import { type Part, planSandbox } from './plan.ts';
import type { SandboxPlan } from './sandbox.ts';

export interface SandboxPlace {
  /** Where the program starts. */
  readonly cwd: string;
  /** An absolute path; the folder is there, and empty. */
  readonly changes: string;
  /** What the program is not to see: `changes`, or a folder around it. */
  readonly hidden: string;
}

export interface FurtherFiles {
  /** Upper folders of another run: the sandbox starts with the files as that run has left them. */
  readonly earlier: readonly { readonly place: string; readonly upper: string }[];
  readonly shown: readonly Pick<Shown, 'from' | 'at'>[];
}

export function prepareSandbox(
  { cwd, changes, hidden }: SandboxPlace,
  { earlier, shown }: FurtherFiles = { earlier: [], shown: [] },
): SandboxPlan {
  const mayMount = effectiveCapabilities().includes('CAP_SYS_ADMIN');
  const isUnprivileged = !mayMount || isInUserNamespace();
  const mounts = visibleMounts();
  const parts = withEarlier(planSandbox(mounts, !isUnprivileged), earlier);
  const openWays = isUnprivileged ? usualPlaces(cwd) : [];
  for (const part of parts) {
    if (part.kind === 'layer') makeLayer(`${changes}/${part.layer}`, part, openWays);
  }
  const user = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };
  return {
    parts,
    changes,
    hidden,
    openWays,
    isUnprivileged,
    shown: shown.map((one) => ({ ...one, restrictions: restrictionsAt(one.from, mounts) })),
    cwd,
    ...(!mayMount && { user }),
  };
}

function withEarlier(parts: readonly Part[], earlier: FurtherFiles['earlier']): Part[] {
  const uppers = new Map(earlier.map(({ place, upper }) => [place, upper]));
  const found = parts.map((part): Part => {
    const upper = part.kind === 'layer' ? uppers.get(part.place) : undefined;
    if (part.kind !== 'layer' || upper === undefined) return part;
    uppers.delete(part.place);
    return { ...part, earlier: upper };
  });
  const [missing] = uppers.keys();
  if (missing === undefined) return found;
  throw new UserError(
    `what is mounted at ${printable(missing)} is not what it was when the program ran`,
    'mount it again as it was, or record again',
  );
}

function restrictionsAt(path: string, mounts: readonly Mount[]): number {
  const around = mounts.findLast(({ place }) => place === path || isBelow(path, place));
  return around?.restrictions ?? 0;
}

/** Where programs write, beside what is their user's own anyway. */
function usualPlaces(cwd: string): string[] {
  const { HOME, TMPDIR } = process.env;
  const places = [cwd, HOME, TMPDIR, '/tmp', '/var/tmp', `/run/user/${process.geteuid?.()}`];
  return places.filter((place) => place?.startsWith('/')) as string[];
}

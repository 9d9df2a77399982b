/** A place in code, as short as it can be: `push queue.c:41`, with the whole path for who points at it. */
import type { Site } from '../../src/report/model.ts';
import { visible } from '../text.tsx';

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export function placeText({ function: name, file, line, module, address }: Site): string {
  const position =
    file === undefined ? '' : `${baseName(file)}${line === undefined ? '' : `:${line}`}`;
  const code =
    module === undefined
      ? (address ?? '')
      : `${baseName(module)}${address === undefined ? '' : `+${address}`}`;
  return [name, position || code].filter(Boolean).join(' ');
}

/** A module alone says no more than the name of the program does. */
export const isKnownPlace = ({ function: name, file, address }: Site): boolean =>
  (name ?? file ?? address) !== undefined;

export function Place({ site, otherwise = '' }: { site: Site; otherwise?: string }) {
  const full = [site.file, site.module, site.address]
    .filter((part) => part !== undefined)
    .join(' · ');
  return (
    <code title={visible(full)}>{visible(isKnownPlace(site) ? placeText(site) : otherwise)}</code>
  );
}

const OPS: Readonly<Record<string, string>> = {
  read: 'reads',
  load: 'reads',
  write: 'writes',
  store: 'writes',
  update: 'updates',
  'atomic update': 'updates (atomically)',
  'atomic-read': 'reads (atomically)',
  'atomic-write': 'writes (atomically)',
  'atomic-update': 'updates (atomically)',
};

export const opWords = (op: string): string => OPS[op] ?? visible(op);

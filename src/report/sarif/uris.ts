/**
 * Paths as SARIF wants them. With the source root /home/me/project:
 *
 *   /home/me/project/src/a b.c  →  { uri: 'src/a%20b.c', uriBaseId: '%SRCROOT%' }
 *   /usr/include/stdio.h        →  { uri: 'file:///usr/include/stdio.h' }
 *   src/queue.c                 →  { uri: 'src/queue.c', uriBaseId: '%SRCROOT%' }
 *
 * GitHub shows an alert in the code only for the first kind. Compilers may leave relative names
 * in their debug information; they are taken to start at the source root. Encoding works on
 * bytes: a file name need not be UTF-8.
 */
import path from 'node:path';
import type { ArtifactLocation } from 'sarif';
import { encodeBytes } from '../../base/bytes.ts';

export const sourceRootId = '%SRCROOT%';

export function artifactLocation(file: string, sourceRoot: string): ArtifactLocation {
  const relative = relativeToRoot(file, sourceRoot);
  if (relative !== undefined) return { uri: encodePath(relative), uriBaseId: sourceRootId };
  return { uri: fileUri(path.posix.resolve(sourceRoot, file)) };
}

/** The path below the root, or undefined for a file outside (or the root itself). */
export function relativeToRoot(file: string, sourceRoot: string): string | undefined {
  const relative = path.posix.relative(sourceRoot, path.posix.resolve(sourceRoot, file));
  const isOutside = relative === '' || relative === '..' || relative.startsWith('../');
  return isOutside ? undefined : relative;
}

/** The root itself, with the slash at its end that a base URI needs. */
export function rootUri(sourceRoot: string): string {
  const uri = fileUri(path.posix.resolve(sourceRoot));
  return uri.endsWith('/') ? uri : `${uri}/`;
}

function fileUri(absolutePath: string): string {
  return `file://${encodePath(absolutePath)}`;
}

/** Encodes `:` too: at the start of a relative URI it would read as a scheme. */
function encodePath(text: string): string {
  let uri = '';
  for (const byte of encodeBytes(text)) {
    const char = String.fromCharCode(byte);
    const isPlain = /[A-Za-z0-9._~/-]/.test(char);
    uri += isPlain ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return uri;
}

/** Makes the clones of a file's functions, and says which there are none of. */
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { encodeBytes } from '../../base/bytes.ts';
import { tryTo } from '../../base/result.ts';
import { DebugInfo } from '../../binary/dwarf/debug-info.ts';
import { debugSections } from '../../binary/dwarf/sections.ts';
import { parseElf } from '../../binary/elf/elf-file.ts';
import { encodeBlob } from '../../binary/rewrite/blob.ts';
import { rewriteImage, type Skipped } from '../../binary/rewrite/rewrite.ts';
import { findDebugFile } from '../../debugger/debug-file.ts';

/** Why functions are not traced, or not always, and how many. */
export interface SkippedFunctions {
  /** With their names if they are few: `no instruction (fast_copy, slow_copy)`. */
  readonly reason: string;
  readonly functions: number;
}

export interface MadeBlob {
  readonly bytes: Uint8Array;
  /** Functions. */
  readonly traced: number;
  readonly skipped: readonly SkippedFunctions[];
  /** The checksum of the whole file. */
  readonly imageCrc: number;
  /** Files that would have made a difference if they had been there, or had been others. */
  readonly lookedFor: readonly string[];
}

/** Throws `BadBinary` if the file is damaged. */
export function makeBlob(path: string, logs: boolean): MadeBlob {
  const file = readFileSync(encodeBytes(path));
  const elf = parseElf(file);
  const { elf: debugFile, lookedFor } = findDebugFile(path, elf);
  // Damaged debug information costs what it would have told, not the trace.
  const atomic = tryTo(() => new DebugInfo(debugSections(debugFile)).atomicRanges());
  const atomicVariables = atomic.ok ? atomic.value : [];
  const { blob, cloned, skipped } = rewriteImage(elf, { logs, atomicVariables });
  const traced = blob.patches.length / 2;
  const reasons = byReason(skipped);
  if (cloned > traced) reasons.push({ reason: NO_JUMP, functions: cloned - traced });
  return {
    bytes: encodeBlob(blob),
    traced,
    skipped: reasons,
    imageCrc: crc32(file),
    lookedFor,
  };
}

/** They have clones, of which those who call them through a pointer do not know. */
const NO_JUMP = 'too short for a jump to their copy';

const MOST_NAMES = 3;

/** Most numerous first; places in the code do not make reasons different. */
function byReason(skipped: readonly Skipped[]): SkippedFunctions[] {
  const names = new Map<string, string[]>();
  for (const { name, reason } of skipped) {
    const general = reason.replace(/ at 0x[0-9a-f]+/g, '');
    const others = names.get(general);
    if (others) others.push(name);
    else names.set(general, [name]);
  }
  return [...names]
    .map(([reason, all]) => ({
      reason: all.length > MOST_NAMES ? reason : `${reason} (${all.join(', ')})`,
      functions: all.length,
    }))
    .sort((a, b) => b.functions - a.functions);
}

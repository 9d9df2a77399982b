import { readFileSync } from 'node:fs';
import { DebugInfo } from '../dwarf/debug-info.ts';
import { type DebugSections, debugSections } from '../dwarf/sections.ts';
import { parseElf } from '../elf/elf-file.ts';

export const debugSectionsOf = (path: string): DebugSections =>
  debugSections(parseElf(readFileSync(path)));

export const debugInfoOf = (path: string): DebugInfo => new DebugInfo(debugSectionsOf(path));

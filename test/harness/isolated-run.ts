/** Runs a program whose critical sections are isolated, all of them, by plans without analysis. */
import type { TolerateMode } from '../../src/tolerate/runtime/event-file.ts';
import { IsolatedProgram, type IsolatedRun } from './isolated-program.ts';
import { naiveSections } from './naive-sections.ts';
import { scratchFolder } from './scratch.ts';

export function isolatedRun(
  path: string,
  args: readonly string[] = [],
  mode: Partial<TolerateMode> = {},
): IsolatedRun & Pick<IsolatedProgram, 'refused'> {
  const program = new IsolatedProgram(path, scratchFolder(), naiveSections);
  return { ...program.run(args, mode), refused: program.refused };
}

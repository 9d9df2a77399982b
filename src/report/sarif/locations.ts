/**
 * Where to pin a race in a repository. GitHub needs a file and a line for every result, even
 * for two system calls whose programs have no source here, so we go down a list:
 *
 *   the frames of the access, the object if it is a path, the script that the task runs,
 *   the program; of these the first below the source root, else simply the first.
 *
 * `mkdir("obj")` called by `sh ./build.sh` thus lands on build.sh rather than on libc's mkdir.c;
 * without a known line on line 1.
 */
import path from 'node:path';
import type { Location } from 'sarif';
import { printable } from '../../base/bytes.ts';
import { framesOf, type Place } from '../frames.ts';
import type { Access, Race, Site } from '../model.ts';
import { findTask, type TaskId, type TaskTable } from '../tasks.ts';
import { escapeText } from './messages.ts';
import { artifactLocation, relativeToRoot } from './uris.ts';

export interface LocationContext {
  readonly sourceRoot: string;
  readonly tasks: TaskTable;
}

interface Candidate {
  readonly file: string;
  readonly line?: number | undefined;
}

/** `message` is shown beside the location; it is plain text that may hold any bytes. */
export function locate(
  race: Race,
  who: TaskId & Place,
  message: string,
  context: LocationContext,
): Location {
  const candidates = candidatesFor(race, who, context.tasks);
  const inRepository = ({ file }: Candidate): boolean =>
    relativeToRoot(file, context.sourceRoot) !== undefined;
  const { file, line } =
    candidates.find(inRepository) ?? candidates[0] ?? programOf(race, who, context.tasks);
  const [top] = framesOf(who);
  return {
    physicalLocation: {
      artifactLocation: artifactLocation(file, context.sourceRoot),
      region: { startLine: line ?? 1 },
    },
    ...(top?.function !== undefined && {
      logicalLocations: [{ fullyQualifiedName: printable(top.function), kind: 'function' }],
    }),
    message: { text: escapeText(message) },
  };
}

function candidatesFor(race: Race, who: TaskId & Place, tasks: TaskTable): Candidate[] {
  const frames = framesOf(who);
  const script = scriptOf(findTask(tasks, who)?.command ?? []);
  return [
    ...withSource(frames.length > 0 ? frames : framesOf(accessOf(race, who) ?? {})),
    ...(race.object.name.startsWith('/') ? [{ file: race.object.name }] : []),
    ...(script === undefined ? [] : [{ file: script }]),
  ];
}

function withSource(frames: readonly Site[]): Candidate[] {
  return frames.flatMap(({ file, line }) => (file === undefined ? [] : [{ file, line }]));
}

/** The last resort, if need be the bare name of the program. */
function programOf(race: Race, who: TaskId & Place, tasks: TaskTable): Candidate {
  const task = findTask(tasks, who);
  const paths = [...framesOf(who).map(({ module }) => module), task?.command?.[0]];
  const absolute = paths.find((file) => file?.startsWith('/'));
  return { file: absolute ?? task?.process ?? accessOf(race, who)?.process ?? 'unknown' };
}

function accessOf(race: Race, who: TaskId): Access | undefined {
  return race.accesses.find(({ pid, thread }) => pid === who.pid && thread === who.thread);
}

const shell = /^(ba|da|k|z|a)?sh$/;
const scriptLanguage = /^(python|perl|ruby|node|php)[\d.]*$/;

/** `/bin/sh -e ./build.sh all` runs ./build.sh; `sh -c '…'` and `perl -e '…'` run no file. */
function scriptOf(command: readonly string[]): string | undefined {
  const [program = '', ...rest] = command;
  const name = path.posix.basename(program);
  if (!shell.test(name) && !scriptLanguage.test(name)) return undefined;
  const codeOption = shell.test(name) ? /^-\w*c$/ : /^-\w*[cemr]$/;
  const argument = rest.find((word) => codeOption.test(word) || /^[^-].*[./]|^[./]/.test(word));
  return argument?.startsWith('-') ? undefined : argument;
}

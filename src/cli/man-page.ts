/**
 * The manual page, made of what the commands say of themselves: whatever `--help` knows is here, and nothing is
 * written twice. troff takes lines that begin with a dot or a quote for its own, and backslashes for escapes:
 *
 *   .option('--json <file>', 'write it')   →   .TP
 *                                              \fB\-\-json\fR <file>
 *                                              write it
 */
import type { Command, Option } from 'commander';
import { foldedCommand, type HelpBlock, type HelpItem, helpBlocks } from './help-blocks.ts';

const DESCRIPTION = [
  '.SH DESCRIPTION',
  'deadheat finds races in programs as they are; nothing has to be rebuilt.',
  '\\fBprocs\\fR finds those between processes, \\fBthreads\\fR those between threads.',
  '\\fBwatch\\fR catches them in the act, \\fBsample\\fR and \\fBanalyze\\fR find them at a cost',
  'that production allows, and \\fBtolerate\\fR keeps critical sections safe from them.',
  '.PP',
  'Each run is kept in a folder of its own, for the commands that work on one afterwards.',
];

/** After the commands, which say nothing of this. */
const SURROUNDINGS = [
  ...['.SH FILES', '.TP', '\\fI.deadheat/\\fR'],
  'The runs of a folder: \\fBdeadheat ls\\fR lists them, and \\fBlatest\\fR stands for the newest.',
  '.SH ENVIRONMENT',
  ...['.TP', '\\fBNO_COLOR\\fR', 'No colours, whatever the terminal can do.'],
  ...['.TP', '\\fBXDG_CACHE_HOME\\fR', 'Where clones of programs are kept between runs.'],
  ...['.TP', '\\fBCC\\fR', 'Compiles the agent where the package has brought none.'],
  ...['.SH SEE ALSO', '.BR strace (1),', '.BR gdb (1),', '.BR valgrind (1)'],
];

/** What is left of a terminal of 80 columns beside the margins of a list. */
const EXAMPLE_WIDTH = 66;

export function manPage(program: Command, version: string): string {
  const { commands } = program;
  const lines = [
    `.TH DEADHEAT 1 "" "deadheat ${version}" "User Commands"`,
    // Neither wide gaps nor divided words.
    ...['.ad l', '.nh'],
    '.SH NAME',
    `deadheat \\- ${escaped(lowerFirst(program.description().replace(/\.$/, '')))}`,
    '.SH SYNOPSIS',
    '\\fBdeadheat\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fB\\-\\-\\fR \\fIPROGRAM\\fR ...]',
    ...DESCRIPTION,
    '.SH OPTIONS',
    ...optionLines(program),
    '.SH COMMANDS',
    ...commands.filter((command) => !isHidden(program, command)).flatMap(commandLines),
    ...detailsOf(program).flatMap((block) => blockLines(block, '.SH')),
    ...SURROUNDINGS,
  ];
  return `${lines.join('\n')}\n`;
}

/** How it is called, what it does, its options, and examples at the end. */
function commandLines(command: Command): string[] {
  const blocks = detailsOf(command);
  const prose = blocks.filter(({ kind }) => kind === 'prose');
  const lists = blocks.filter(({ kind }) => kind === 'list');
  return [
    `.SS ${escaped(command.name())}`,
    ...usageLines(command),
    ...['.PP', escaped(`${upperFirst(command.description())}.`)],
    ...prose.flatMap((block) => blockLines(block)),
    ...optionLines(command),
    ...lists.flatMap((block) => blockLines(block)),
  ];
}

function usageLines(command: Command): string[] {
  const [first = '', ...others] = command.usage().split(/\n\s*/);
  const lines = [`deadheat ${command.name()} ${first}`, ...others];
  return ['.nf', ...lines.map((line) => `\\fB${escaped(line)}\\fR`), '.fi'];
}

function optionLines(command: Command): string[] {
  const help = command.createHelp();
  return help
    .visibleOptions(command)
    .flatMap((option) => ['.TP', flagsOf(option), escaped(help.optionDescription(option))]);
}

const flagsOf = ({ flags }: Option): string =>
  flags.replace(/--?[\w-]+|[^-]+|-/g, (part) =>
    /^--?\w/.test(part) ? `\\fB${escaped(part)}\\fR` : escaped(part),
  );

/** What stands below the options. */
function detailsOf(command: Command): HelpBlock[] {
  const shown: string[] = [];
  const { writeOut, getOutHelpWidth } = command.configureOutput();
  // troff breaks lines itself.
  command.configureOutput({
    writeOut: (text) => shown.push(text),
    getOutHelpWidth: () => Number.POSITIVE_INFINITY,
  });
  const before = command.helpInformation();
  command.outputHelp();
  command.configureOutput({ writeOut: writeOut!, getOutHelpWidth: getOutHelpWidth! });
  const text = shown.join('').slice(before.length);
  return text.trim() === '' ? [] : helpBlocks(text);
}

/** @param section begins with a list's heading, if its lists are sections. */
function blockLines(block: HelpBlock, section?: string): string[] {
  if (block.kind === 'prose') return ['.PP', escaped(block.text)];
  const heading = section
    ? `${section} ${escaped(block.heading.toUpperCase())}`
    : `.PP\n${escaped(block.heading)}:`;
  const areSomeExplained = block.items.some(({ about }) => about !== undefined);
  return [heading, ...block.items.flatMap((item) => itemLines(item, areSomeExplained))];
}

function itemLines({ term, about }: HelpItem, isBesideExplained: boolean): string[] {
  if (about !== undefined) return ['.TP', `\\fB${escaped(term)}\\fR`, escaped(about)];
  const lines = foldedCommand(term, EXAMPLE_WIDTH).map((line) => `\\fB${escaped(line)}\\fR`);
  return isBesideExplained
    ? ['.PP', '.nf', ...lines, '.fi']
    : ['.RS 2', '.nf', ...lines, '.fi', '.RE'];
}

/** Programs call these, not people: the completion of a shell. */
const isHidden = (program: Command, command: Command): boolean =>
  !program.createHelp().visibleCommands(program).includes(command);

/** A text that troff prints as it is. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('\n', ' ')
    .replace(/^([.'])/, '\\&$1');

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);
const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

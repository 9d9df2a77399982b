/**
 * The manual page, made of what the commands say of themselves: whatever `--help` knows is here, and nothing is
 * written twice. troff takes lines that begin with a dot or a quote for its own, and backslashes for escapes:
 *
 *   .option('--json <file>', 'write it')   →   .TP
 *                                              \fB\-\-json\fR <file>
 *                                              write it
 */
import type { Command, Option } from 'commander';

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

export function manPage(program: Command, version: string): string {
  const { commands } = program;
  const lines = [
    `.TH DEADHEAT 1 "" "deadheat ${version}" "User Commands"`,
    '.SH NAME',
    `deadheat \\- ${escaped(lowerFirst(program.description().replace(/\.$/, '')))}`,
    '.SH SYNOPSIS',
    '\\fBdeadheat\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fB\\-\\-\\fR \\fIPROGRAM\\fR ...]',
    '.SH OPTIONS',
    ...optionLines(program),
    ...afterHelp(program),
    '.SH COMMANDS',
    ...commands.filter((command) => !isHidden(program, command)).flatMap(commandLines),
    ...SURROUNDINGS,
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command): string[] {
  return [
    `.SS deadheat ${escaped(command.name())} ${escaped(command.usage())}`,
    escaped(`${upperFirst(command.description())}.`),
    ...optionLines(command),
    ...afterHelp(command),
  ];
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

/** What stands below the options, mostly examples, as it is. */
function afterHelp(command: Command): string[] {
  const shown: string[] = [];
  const before = command.helpInformation();
  const { writeOut } = command.configureOutput();
  command.configureOutput({ writeOut: (text) => shown.push(text) });
  command.outputHelp();
  command.configureOutput({ writeOut: writeOut! });
  const text = shown.join('').slice(before.length).trim();
  return text === '' ? [] : ['.PP', '.EX', ...text.split('\n').map(escaped), '.EE'];
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

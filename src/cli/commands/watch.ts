import { Command, InvalidArgumentError, Option } from 'commander';
import { UserError } from '../../base/user-error.ts';
import {
  addReportOptions,
  addRunOptions,
  addTargetOrPid,
  collected,
  duration,
  type ReportOptions,
  type RunOptions,
  wholeNumber,
} from '../common-options.ts';
import { addGuestOptions, type GuestOptions, requireGuest } from '../guest-options.ts';
import { details } from '../help-details.ts';
import { endingWith, type Outcome } from '../outcome.ts';
import { Terminal } from '../terminal.ts';

export interface WatchOptions extends ReportOptions, RunOptions, GuestOptions {
  pid?: number;
  gdb?: StubPlace;
  kernel?: string;
  rate: number;
  window?: number;
  functions?: string;
  also: string[];
  addresses?: string;
  seed?: number;
  duration?: number;
  enough?: number;
  control?: string;
}

export function watchCommand(): Command {
  const command = addGuestOptions(addRunOptions(addReportOptions(new Command('watch'))));
  return addTargetOrPid(command, 'watch a process that runs already; it is let go at the end')
    .description('catch races in the act, with debug registers, in a program or a running process')
    .addOption(
      new Option(
        '--gdb <host:port>',
        'watch what is behind this gdb stub: QEMU, gdbserver',
      ).argParser(stubPlace),
    )
    .option('--kernel <file>', "with --gdb: the kernel's symbols: System.map, kallsyms, vmlinux")
    .addOption(
      new Option('--rate <hits>', 'how many accesses to look at in a second')
        .argParser(positiveNumber)
        .default(50),
    )
    .addOption(
      new Option('--window <ms>', 'for how long to look at each, in milliseconds')
        .argParser(positiveNumber)
        .default(undefined, '1; of a kernel 20'),
    )
    .option('--functions <regex>', 'only look at accesses of functions with such names')
    .addOption(
      new Option('--also <library>', 'look at accesses of this library, too')
        .argParser(collected)
        .default([], 'none'),
    )
    .option('--addresses <file>', 'places to look at first, and again and again (see below)')
    .addOption(
      new Option(
        '--seed <n>',
        'choose accesses in the same order as with this number before',
      ).argParser(wholeNumber),
    )
    .addOption(
      new Option(
        '--duration <time>',
        'end after this time: 90s, 5m; a program as by Ctrl-C',
      ).argParser(duration),
    )
    .addOption(
      new Option(
        '--enough <n>',
        'end when so many races were caught, both sides known (not for a program)',
      ).argParser(wholeNumber),
    )
    .option('--control <file>', 'a file to change rate, window and functions by meanwhile')
    .addHelpText('after', details(DETAILS + EXAMPLES))
    .action(endingWith(run));
}

async function run(command: string[], options: WatchOptions): Promise<Outcome> {
  const terminal = new Terminal(options);
  const { requireReportable } = await import('../present.ts');
  requireReportable(options);
  requireOneTarget(command, options);
  const { watchAndTell } = await import('../watching.ts');
  return watchAndTell(command, options, terminal);
}

function requireOneTarget(command: readonly string[], options: WatchOptions): void {
  requireGuest(options);
  const { pid, gdb, kernel, qemu, enough } = options;
  const given = [
    ...(command.length > 0 ? ['a program'] : []),
    ...(pid === undefined ? [] : ['--pid']),
    ...(gdb === undefined ? [] : ['--gdb']),
    ...(qemu ? ['--qemu'] : []),
  ];
  if (given.length === 0) {
    throw new UserError(
      "missing required argument 'command'",
      'give a program, or --pid PID, --gdb HOST:PORT or --qemu',
    );
  }
  if (given.length > 1) {
    throw new UserError(`there is both ${given.join(' and ')}`, 'leave out one of them');
  }
  if (kernel !== undefined && gdb === undefined) {
    throw new UserError('--kernel has the symbols of what is behind --gdb', 'add --gdb HOST:PORT');
  }
  if (enough !== undefined && command.length > 0) {
    throw new UserError('--enough would leave the program running', 'use --duration instead');
  }
}

interface StubPlace {
  host: string;
  port: number;
}

/** `127.0.0.1:1234`, `[::1]:1234`, or `:1234` as gdb has it. */
function stubPlace(text: string): StubPlace {
  const [, inBrackets, host = inBrackets, digits] =
    /^(?:\[([^\]]+)\]|([^:\s]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= 65_535)) {
    throw new InvalidArgumentError('It is a host and a port, as in 127.0.0.1:1234.');
  }
  return { host: host || '127.0.0.1', port };
}

function positiveNumber(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (number > 0 && number <= MOST) return number;
  throw new InvalidArgumentError(`It is a number of more than 0, at most ${MOST}.`);
}

const MOST = 10_000;

const DETAILS = `
Stops a thread now and then right before it touches memory, for a moment in which the
processor watches these bytes for all others. Whoever touches them then is caught: that is
a race which has happened, so there are no false alarms from unknown synchronisation. But
accesses that are atomic on purpose are told, too, and those of string functions that read
more than their string; most of these are marked as harmless. The program is slowed down by
as much as --rate and --window ask for.

A line of the --addresses file is an address (0x401136, libqueue.so+0x1136), a function
(pipe_read, pipe_read+0x1c) or a source line (queue.c:41). Lines of the --control file are
'rate 100', 'window 2' and 'functions ^pipe_'; it is read again whenever it changes.

With --pid, --gdb and --qemu, the keys + and - change the rate, and q ends.

--qemu boots a kernel in QEMU with two processors and busybox, and watches that: the functions
of its modules, or those that --functions names. It takes no root; what it needs is fetched
with --fetch, from Debian, and not installed. The workload is run by sh, a copy on each
processor ($PROCESSOR: 0 or 1), and the watching ends with it.

Exits with 66 if a race was caught.
`;

const EXAMPLES = `
Examples:
  deadheat watch -- ./server --self-test
  deadheat watch --pid 4711 --duration 60s
  deadheat watch --functions '^queue_' --rate 200 --json races.json -- ./test
  deadheat watch --gdb 127.0.0.1:1234 --functions '^ext4_' --duration 5m
  deadheat watch --qemu --fetch --functions '^pipe_' --workload 'yes | head -c 9999999 >/dev/null'
  deadheat watch --qemu --module ./driver.ko --guest-file ./test --workload test
`;

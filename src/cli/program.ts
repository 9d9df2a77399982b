import { Command } from 'commander';
import { analyzeCommand } from './commands/analyze.ts';
import { completionCommands } from './commands/completion.ts';
import { confirmCommand } from './commands/confirm.ts';
import { demoCommand } from './commands/demo.ts';
import { detectCommand } from './commands/detect.ts';
import { doctorCommand } from './commands/doctor.ts';
import { lsCommand } from './commands/ls.ts';
import { predictCommand } from './commands/predict.ts';
import { procsCommand } from './commands/procs.ts';
import { recordCommand } from './commands/record.ts';
import { replayCommand } from './commands/replay.ts';
import { reportCommand } from './commands/report.ts';
import { sampleCommand } from './commands/sample.ts';
import { threadsCommand } from './commands/threads.ts';
import { tolerateCommand } from './commands/tolerate.ts';
import { traceCommand } from './commands/trace.ts';
import { validateCommand } from './commands/validate.ts';
import { watchCommand } from './commands/watch.ts';
import { usageMessage } from './failure.ts';
import { details, helpWidths } from './help-details.ts';
import { version } from './version.ts';

/** The whole command line; nothing heavy is loaded before a command's action runs. */
export function createProgram(): Command {
  const program = new Command('deadheat')
    .description('Finds race conditions in unmodified Linux programs.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .enablePositionalOptions()
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ ...helpWidths, outputError: (text, write) => write(usageMessage(text)) })
    .addHelpText('after', details(EXAMPLES + EXIT_STATUSES));
  const commands = [
    procsCommand(),
    recordCommand(),
    detectCommand(),
    validateCommand(),
    threadsCommand(),
    traceCommand(),
    predictCommand(),
    confirmCommand(),
    watchCommand(),
    sampleCommand(),
    analyzeCommand(),
    tolerateCommand(),
    replayCommand(),
    reportCommand(),
    lsCommand(),
    doctorCommand(),
    demoCommand(),
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  completionCommands(program);
  return program;
}

const EXAMPLES = `
Examples:
  deadheat demo                     see a race being found
  deadheat doctor                   see what this machine can do
  deadheat procs -- make -j4        find the races between the processes of a build
  deadheat threads -- ./server      find the races between the threads of a program
  deadheat watch --pid 4711         catch the races of a running process in the act
  deadheat sample -- ./server       find races at production cost, with deadheat analyze
  deadheat tolerate -- ./server     keep its critical sections safe from known races
  deadheat report latest --sarif races.sarif
`;

const EXIT_STATUSES = `
Exit status:
  0     nothing found
  66    races reported; --error-exitcode changes that
  2     wrong usage
  69    the machine lacks something
  70    a bug of ours

'record', 'trace', 'sample', 'tolerate' and 'replay' pass the program's own status through. After Ctrl-C, what was
found until then is told, and deadheat dies of the signal.
`;

import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { Command, Help, Option } from '@commander-js/extra-typings';
import type { Cli, Globals } from './cli.ts';
import { refuseExcess } from './errors/excess.ts';
import { nouns } from './nouns.ts';
import { formats } from './output/print.ts';
import { helpIs } from './verbs/noun.ts';
import { version } from './version.ts';

/** The options of the command itself are before those of all commands, also if it has only `--help`. */
const ownFirst: Help['groupItems'] = (...items) => {
  const groups = new Help().groupItems(...items);
  const own = groups.get('Options:');
  return own ? new Map([['Options:', own], ...groups]) : groups;
};

/** The program with all nouns, of which those in `words` have their verbs. */
export async function createProgram(cli: Cli, words: readonly string[]) {
  const { io } = cli;
  const program: CommandUnknownOpts = new Command('berth');
  program
    .description('The command line of Berth, a cloud of virtual servers.')
    .version(version, '-V, --version', 'print the version of this program')
    .helpOption('-h, --help', helpIs)
    // Options after the verb are those of the verb, so that ssh gets its own.
    .enablePositionalOptions()
    .helpCommand('help [command]', helpIs)
    .configureHelp({
      ...{ helpWidth: io.stdout.columns ?? 100, minWidthToWrap: 20, groupItems: ownFirst },
    })
    .configureOutput({
      writeOut: (text) => {
        io.stdout.write(text);
      },
      writeErr: (text) => {
        io.stderr.write(text);
      },
      outputError: (text, write) =>
        write(text.replace(/^error: (.)/, (_, first: string) => `Error: ${first.toUpperCase()}`)),
    })
    .showHelpAfterError('Add --help to see how the command is used.')
    .exitOverride()
    // The action is not reached: see refuseExcess.
    .allowExcessArguments();
  withGlobals(program);
  program.hook('preAction', (_, command) => {
    refuseExcess(command);
    cli.globals = globalsOf(command);
    cli.command = command;
  });
  for (const [name, { about, load }] of Object.entries(nouns)) {
    if (words.includes(name)) {
      const command = (await load())(cli);
      command.summary(about);
      program.addCommand(adopt(program, command));
    } else {
      program.command(name).summary(about);
    }
  }
  return program;
}

/** The options that a command takes before its noun, and after its verb. */
function withGlobals(command: CommandUnknownOpts): CommandUnknownOpts {
  return command
    .optionsGroup('Options of all commands:')
    .option('-c, --context <context>', 'the service, as "berth context list" names it')
    .option('-p, --project <project>', 'the project that the command is about')
    .addOption(
      new Option('-o, --output <format>', 'the format of the result; the default is table').choices(
        formats,
      ),
    );
}

/** What is given after the verb has precedence. */
function globalsOf(command: CommandUnknownOpts): Globals {
  const above = command.parent ? globalsOf(command.parent) : { output: 'table' as const };
  const { context, project, output } = command.opts() as Partial<Globals>;
  return {
    ...above,
    ...(context !== undefined && { context }),
    ...(project !== undefined && { project }),
    ...(output !== undefined && { output }),
  };
}

/** A command that is created alone does not have the settings of its parent. */
function adopt(parent: CommandUnknownOpts, child: CommandUnknownOpts): CommandUnknownOpts {
  child.copyInheritedSettings(parent);
  for (const one of child.commands) adopt(child, one);
  return child.commands.length > 0 ? child : withGlobals(child);
}

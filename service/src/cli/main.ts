import { newProgram, type Program, runProgram } from './command-line.ts';

// The entry point of all command-line tools: `npm run token -- create` runs `main.ts token create`.

type Load = () => Promise<(program: Program) => void>;

const installation: Load = async () => (await import('./installation.ts')).addInstallationCommands;

/**
 * The modules of the commands. Each is imported only when it is used, because most commands need little of the service.
 */
const commands: Record<string, Load> = {
  token: async () => (await import('./token.ts')).addTokenCommands,
  user: async () => (await import('./user.ts')).addUserCommands,
  location: async () => (await import('./location.ts')).addLocationCommands,
  inspect: async () => (await import('./inspect.ts')).addInspectCommands,
  config: async () => (await import('./config.ts')).addConfigCommands,
  db: async () => (await import('./db.ts')).addDbCommands,
  'install-service': installation,
  'uninstall-service': installation,
  upgrade: installation,
  uninstall: installation,
  doctor: installation,
};

const args = process.argv.slice(2);
const [asked = ''] = args;
const wanted = Object.hasOwn(commands, asked) ? [commands[asked]] : Object.values(commands);

const program = newProgram();
for (const load of new Set(wanted)) (await load?.())?.(program);

// A command with subcommands lists them.
const group =
  args.length === 0 ? program : program.commands.find((command) => command.name() === asked);
const isHelp = args.length <= 1 && group !== undefined && group.commands.length > 0;
await runProgram(program, isHelp ? [...args, '--help'] : args);

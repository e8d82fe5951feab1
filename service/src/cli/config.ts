import { statSync } from 'node:fs';
import { ownEnvironment, pathFromShell, readConfig, refuse } from '../config/config.ts';
import { checkFiles, settingsOfFile } from '../config/files.ts';
import { almostSettings } from '../config/names.ts';
import { type Environment, settingNamed, settingNames } from '../config/settings.ts';
import { shownSettings } from '../config/shown.ts';
import { type Answer, collected, type Program, printing } from './command-line.ts';

export function addConfigCommands(program: Program): void {
  const config = program
    .command('config')
    .description('Checks and shows the settings of a service, which are environment variables.');
  const file = [
    '--file <file>',
    'a file of settings, read as systemd reads an EnvironmentFile, in place of the environment of this command; of several, a later one has precedence',
    collected,
  ] as const;
  config
    .command('check')
    .description(
      'Checks whether a service would start with the settings, checks the certificates, and prints warnings.',
    )
    .option(...file)
    .action(printing(async (options) => check(given(options))));
  config
    .command('show')
    .description('Lists all settings with their defaults, and hides secrets.')
    .option(...file)
    .action(printing(async (options) => show(given(options))));
}

interface Given {
  env: Environment;
  notes: string[];
}

function given({ file: files }: { file?: string[] | undefined }): Given {
  if (files === undefined) return { env: ownEnvironment(), notes: [] };
  return fromFiles(files.map((path) => pathFromShell(path)));
}

function fromFiles(paths: string[]): Given {
  const read = paths.map((path) => ({ path, ...settingsOfFile(path) }));
  return {
    env: Object.assign({}, ...read.map(({ variables }) => variables)),
    notes: read.flatMap(({ path, variables, warnings }) => [
      ...warnings.map((warning) => `${path}: ${warning}`),
      ...readableByOthers(path, variables),
    ]),
  };
}

function readableByOthers(path: string, variables: Environment): string[] {
  const hasSecret = settingNames.some(
    (name) => settingNamed(name).secret && variables[name] !== undefined,
  );
  if (!hasSecret || (statSync(path).mode & 0o077) === 0) return [];
  return [`${path} contains a secret and can be read by others: chmod 600 ${path}`];
}

function show({ env }: Given): Answer {
  const { mistakes } = readConfig(env);
  if (mistakes.length > 0) {
    console.error('Note: settings are wrong. "npm run config -- check" says which, and why.');
  }
  return shownSettings(env, mistakes);
}

function check({ env, notes }: Given): Answer {
  // The notes come first, because ignored lines of a file may be the reason of the errors.
  for (const note of notes) console.error(`Note: ${note}`);
  const { config, mistakes } = readConfig(env);
  const files = checkFiles(config);
  const almost = almostSettings(env).map(
    ({ name, meant }) => `${name} is not read by Berth. If ${meant} was meant, correct it.`,
  );
  const all = [...almost, ...files.notes];
  for (const note of all) console.error(`Note: ${note}`);
  refuse([...mistakes, ...files.mistakes]);
  const set = settingNames.filter((name) => env[name] !== undefined).length;
  const count = set === 1 ? '1 setting is set' : `${set} settings are set`;
  return {
    text:
      set === 0
        ? 'No settings are set. The defaults are valid.'
        : `${count}, and ${set === 1 ? 'it is valid' : 'all are valid'}.`,
    json: { set, notes: [...notes, ...all] },
  };
}

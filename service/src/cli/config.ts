import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadConfig, ownEnvironment, pathFromShell } from '../config/config.ts';
import { checkFiles, settingsOfFile } from '../config/files.ts';
import { almostSettings } from '../config/names.ts';
import { type Environment, settingNamed, settingNames } from '../config/settings.ts';
import { shownSettings } from '../config/shown.ts';
import { runSteps, UsageError } from './command-line.ts';

const usage = `Checks and shows the settings of a service, which are environment variables.

  npm run config -- check [--file FILE …]
  npm run config -- show [--file FILE …]

  --file  A file of settings, read as systemd reads an EnvironmentFile, in place of the environment of this
          command. Of several, a later one has precedence, as for a unit that lists them.

check refuses what a service would not start with, looks into the certificates that are named, and says what
else is worth a look. show lists all settings, with their defaults, and hides secrets.`;

interface Given {
  env: Environment;
  notes: string[];
}

function readCommand(args: string[]): (() => Promise<string>) | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      file: { type: 'string', multiple: true },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, ...more] = positionals;
  if (values.help || command === undefined) return undefined;
  const { file: files } = values;
  const given = () => (files ? fromFiles(files.map((file) => pathFromShell(file))) : fromShell());
  if (command === 'check' && more.length === 0) return async () => check(given());
  if (command === 'show' && more.length === 0) return async () => shownSettings(given().env);
  throw new UsageError(`Unknown command: ${positionals.join(' ')}`);
}

const fromShell = (): Given => ({ env: ownEnvironment(), notes: [] });

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
  return [`${path} holds a secret and can be read by others: chmod 600 ${path}`];
}

function check({ env, notes }: Given): string {
  // What a file loses may be why the rest is wrong.
  for (const note of notes) console.error(`Note: ${note}`);
  const config = loadConfig(env);
  const almost = almostSettings(env).map(
    ({ name, meant }) => `${name} is not read by Berth. If ${meant} was meant, correct it.`,
  );
  const all = [...almost, ...checkFiles(config)];
  const set = settingNames.filter((name) => env[name] !== undefined).length;
  const count = set === 1 ? '1 setting is set' : `${set} settings are set`;
  for (const note of all) console.error(`Note: ${note}`);
  return `${count}, and a service would take them.`;
}

await runSteps(usage, readCommand);

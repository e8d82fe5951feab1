import { PassThrough } from 'node:stream';
import { createCli } from '../../cli/src/cli.ts';
import { nouns } from '../../cli/src/nouns.ts';
import { createProgram } from '../../cli/src/program.ts';

type Command = Awaited<ReturnType<typeof createProgram>>;

/** Options that each command has; the overview describes them. */
const ofAllCommands = /\nOptions of all commands:\n[\s\S]*?(?=\n\n|\n*$)/;

/** The pages of the command line, by their paths on the site: what each command prints with `--help`. */
export async function cliPages(): Promise<Map<string, string>> {
  const [stdin, stderr] = [new PassThrough(), new PassThrough()];
  // As wide as a block of code on a page, so that nothing has to be scrolled to.
  const stdout = Object.assign(new PassThrough(), { columns: 76 });
  const signal = new AbortController().signal;
  const openBrowser = async () => false;
  const cli = createCli({ env: {}, stdin, stdout, stderr, signal, openBrowser });
  const program = await createProgram(cli, Object.keys(nouns));
  const pages = program.commands.map(
    (noun) => [`reference/cli/${noun.name()}.md`, pageOf(noun)] as const,
  );
  return new Map([['reference/cli/index.md', overview(program)], ...pages]);
}

function overview(program: Command): string {
  const lines = program.commands.map(
    (noun) => `| [\`berth ${noun.name()}\`](./${noun.name()}.md) | ${noun.summary()} |`,
  );
  return [
    ...['# The commands of `berth`', ''],
    'These pages have what each command prints with `--help`. [The command line](../../cli.md) describes what all commands',
    ...['share: signing in, names, output, waiting and exit statuses.', ''],
    ...['| Command | What it does |', '| --- | --- |', ...lines, ''],
    ...['## Options of all commands', '', ...helpOf(program, 'Options of all commands'), ''],
  ].join('\n');
}

function pageOf(noun: Command): string {
  const verbs = noun.commands.flatMap((verb) => [
    ...[`## berth ${noun.name()} ${verb.name()} {#${verb.name()}}`, ''],
    ...[...block(verb.helpInformation().replace(ofAllCommands, '')), ''],
  ]);
  const own = noun.helpInformation().replace(ofAllCommands, '');
  return [`# berth ${noun.name()}`, '', `${noun.summary()}.`, '', ...block(own), '', ...verbs].join(
    '\n',
  );
}

/** A section of the help of the program. */
function helpOf(program: Command, heading: string): string[] {
  const [, section = ''] = program.helpInformation().split(`\n${heading}:\n`);
  const [lines = ''] = section.split('\n\n');
  return block(lines);
}

const block = (text: string): string[] => ['```text', text.trimEnd(), '```'];

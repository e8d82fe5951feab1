/** The result of a command. */
export interface Outcome {
  status: number;
  output: string;
  /** The action that it requested of the machine. */
  power?: 'off' | 'reboot';
}

/** The part of a machine that a command can use. */
export interface Machine {
  sleep(seconds: number): Promise<void>;
  write(path: string, content: string, append: boolean): void;
  hostName(): string;
  setHostName(name: string): void;
}

/** Words without their quotes, and the operators `;`, `&&`, `>`, `>>` and line ends. */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  const pattern = /(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\;&>])+|&&|>>|[;>\n]/gs;
  for (const [word] of text.matchAll(pattern)) words.push(unquoted(word));
  return words;
}

function unquoted(word: string): string {
  return word.replace(
    /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
    (_, plain?: string, double?: string, escaped?: string) =>
      plain ?? double?.replace(/\\([\\"$`])/g, '$1') ?? escaped ?? '',
  );
}

/** Runs a command line. It knows a few commands; any other one succeeds and does nothing. */
export async function runShell(text: string, machine: Machine): Promise<Outcome> {
  let output = '';
  let status = 0;
  for (const { words, onlyAfterSuccess } of commandsOf(shellWords(text))) {
    if (onlyAfterSuccess && status !== 0) continue;
    const [program, argument] = words;
    if (program === 'exit') return { status: Number(argument ?? status) & 255, output };
    const result = await runProgram(words, machine);
    output += result.output;
    status = result.status;
    if (result.power) return { status, output, power: result.power };
  }
  return { status, output };
}

interface Command {
  words: string[];
  onlyAfterSuccess: boolean;
}

function commandsOf(words: string[]): Command[] {
  const commands: Command[] = [{ words: [], onlyAfterSuccess: false }];
  for (const word of words) {
    if (word === ';' || word === '\n') commands.push({ words: [], onlyAfterSuccess: false });
    else if (word === '&&') commands.push({ words: [], onlyAfterSuccess: true });
    else commands.at(-1)?.words.push(word);
  }
  return commands.filter((command) => command.words.length > 0);
}

/** Runs one program with its arguments, and redirects its output for `> file`. */
export async function runProgram(words: string[], machine: Machine): Promise<Outcome> {
  const redirection = words.findLastIndex((word) => word === '>' || word === '>>');
  if (redirection < 0) return run(words, machine);
  const result = await run(words.slice(0, redirection), machine);
  machine.write(words[redirection + 1] ?? '', result.output, words[redirection] === '>>');
  return { ...result, output: '' };
}

/** The programs that a guest has. A shell ignores others, which succeed. */
export const programs = ['false', 'true', 'echo', 'sleep', 'hostname', 'poweroff', 'reboot', 'sh'];

async function run([program = '', ...args]: string[], machine: Machine): Promise<Outcome> {
  const ok = { status: 0, output: '' };
  switch (program.replace(/^.*\//, '')) {
    case 'false':
      return { ...ok, status: 1 };
    case 'echo':
      return { ...ok, output: `${args.join(' ')}\n` };
    case 'sleep':
      await machine.sleep(Number(args[0] ?? 0));
      return ok;
    case 'hostname':
      if (args[0] === undefined) return { ...ok, output: `${machine.hostName()}\n` };
      machine.setHostName(args[0]);
      return ok;
    case 'poweroff':
      return { ...ok, power: 'off' };
    case 'reboot':
      return { ...ok, power: 'reboot' };
    default:
      return ok;
  }
}

/** The console of a guest, with a login prompt and a shell that knows a few commands. */
export interface Terminal {
  columns: number;
  rows: number;
  /** The last of what it has shown since the last call. */
  log(): Buffer;
  type(bytes: Buffer): void;
  /** Sends what it shows from now on; `show` resolves when it can show more. Replaces an earlier one. */
  connect(show: (bytes: Buffer) => Promise<void>): void;
  disconnect(): void;
}

/** About as much as Incus keeps of a container. */
const keptBytes = 128 * 1024;
const interrupt = 0x03;
const erase = 0x7f;

type Waiting = 'name' | 'password' | 'command';

/** @param guestName the host name of the guest, which is in its prompts */
export function createTerminal(guestName: string): Terminal {
  const decoder = new TextDecoder();
  let log = Buffer.alloc(0);
  let show: ((bytes: Buffer) => Promise<void>) | undefined;
  let waiting: Waiting = 'name';
  let user = '';
  let line = '';
  let isInterrupted = false;
  /** Commands run one after the other, and what is typed meanwhile comes after them. */
  let last: Promise<void> = Promise.resolve();

  async function write(bytes: Buffer): Promise<void> {
    log = Buffer.concat([log, bytes]).subarray(-keptBytes);
    await show?.(bytes);
  }
  const print = (text: string) => write(Buffer.from(text));

  const welcome = () =>
    print(`\r\nDebian GNU/Linux 12 ${guestName} console\r\n\r\n${guestName} login: `);
  const prompt = () => print(`${user}@${guestName}:~$ `);

  async function take(character: string): Promise<void> {
    if (character === '\r' || character === '\n') return await enter();
    if (character.charCodeAt(0) === erase) {
      if (line === '') return;
      line = line.slice(0, -1);
      if (waiting !== 'password') await print('\b \b');
      return;
    }
    if (character < ' ') return;
    line += character;
    if (waiting !== 'password') await print(character);
  }

  async function enter(): Promise<void> {
    const entered = line;
    line = '';
    await print('\r\n');
    if (waiting === 'command') await run(entered.trim());
    else if (waiting === 'password') waiting = 'command';
    else {
      user = entered.trim();
      if (user === '') return await welcome();
      waiting = 'password';
      return await print('Password: ');
    }
    if (waiting === 'command') await prompt();
    else await welcome();
  }

  async function run(command: string): Promise<void> {
    const [, text] = /^echo (.*)$/.exec(command) ?? [];
    const [, count] = /^yes *\| *head -c *(\d+)$/.exec(command) ?? [];
    if (text !== undefined) await print(`${text}\r\n`);
    else if (count !== undefined) await flood(Number(count));
    else if (command === 'stty size') await print(`${rowsAndColumns()}\r\n`);
    else if (command === 'exit') waiting = 'name';
    else if (command !== '') await print(`-sh: ${command.split(' ')[0]}: not found\r\n`);
  }

  const rowsAndColumns = () => `${terminal.rows} ${terminal.columns}`;

  async function flood(count: number): Promise<void> {
    const lines = Buffer.from('y\r\n'.repeat(10_000));
    isInterrupted = false;
    for (let left = count; left > 0 && !isInterrupted; left -= lines.length) {
      await write(lines.subarray(0, left));
      // Otherwise nothing else would run while nobody watches.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  const terminal: Terminal = {
    columns: 80,
    rows: 24,
    log() {
      const shown = log;
      log = Buffer.alloc(0);
      return shown;
    },
    type(bytes) {
      if (bytes.includes(interrupt)) isInterrupted = true;
      const text = decoder.decode(bytes, { stream: true });
      last = last.then(async () => {
        for (const character of text) await take(character);
      });
    },
    connect(to) {
      show = to;
    },
    disconnect() {
      show = undefined;
    },
  };
  void welcome();
  return terminal;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { until } from '../../service/src/testing/until.ts';

const program = fileURLToPath(new URL('../bin/berth.mjs', import.meta.url));

/** The environment of a shell that has `berth` in its PATH. */
export function withBerth(home: string, env: Record<string, string>): Record<string, string> {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(program, join(bin, 'berth'));
  const path = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
  return { HOME: home, PATH: path, TERM: 'xterm', LANG: 'C.UTF-8', ...env };
}

/** Starts a shell in a pseudo-terminal (script(1) of util-linux), in which one can type. */
export function openShell(command: string, env: Record<string, string>) {
  const args = ['--quiet', '--flush', '--command', `stty cols 200; exec ${command}`, '/dev/null'];
  const child = spawn('script', args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let screen = '';
  let seen = 0;
  child.stdout.on('data', (data) => {
    screen += data;
  });
  const shown = () => stripVTControlCharacters(screen);

  /** Waits until a text is shown after what was seen before. */
  async function sees(text: string): Promise<void> {
    await until(
      `the shell shows ${text}, after ${shown().slice(seen)}`,
      () => shown().indexOf(text, seen) >= 0,
    );
    seen = shown().indexOf(text, seen) + text.length;
  }
  return {
    shown,
    sees,
    type: (keys: string) => {
      child.stdin.write(keys);
    },
    async close() {
      child.kill();
      await ended;
    },
  };
}

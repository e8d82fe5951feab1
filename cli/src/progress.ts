import type { Ora } from 'ora';
import type { Io } from './io.ts';
import { hasColors, printable } from './output/style.ts';

/** Shows what takes long, in a terminal only. */
export interface Progress {
  /** Shows `what` if the work takes longer than a second. */
  during<T>(what: string, work: Promise<T>): Promise<T>;
  /** The same for work that ends when the function that it returns is called. */
  begin(what: string): () => void;
  /** Shows a line until it is ended. */
  start(text: string): ProgressLine;
}

export interface ProgressLine {
  say(text: string): void;
  end(): void;
}

const longMs = 1000;

export function createProgress({ stderr, env }: Io): Progress {
  const isShown = stderr.isTTY === true;
  const lines = new Map<symbol, string>();
  let spinner: Ora | undefined;
  let loading = false;

  function draw(): void {
    if (!isShown) return;
    if (!spinner) load();
    else if (lines.size === 0) spinner.stop();
    else {
      spinner.text = [...lines.values()].join('\n');
      if (!spinner.isSpinning) spinner.start();
    }
  }

  function load(): void {
    if (loading) return;
    loading = true;
    import('ora').then(
      ({ default: ora }) => {
        const color = hasColors(stderr, env) ? 'cyan' : false;
        // Ctrl-C must reach this process, so standard input stays as it is.
        const options = { stream: stderr, isEnabled: true, discardStdin: false, color } as const;
        spinner = ora(options);
        draw();
      },
      // Without a spinner, a command does the same.
      () => undefined,
    );
  }

  function start(text: string): ProgressLine {
    const key = Symbol(text);
    const say = (now: string) => {
      lines.set(key, printable(now));
      draw();
    };
    say(text);
    const end = () => {
      lines.delete(key);
      draw();
    };
    return { say, end };
  }

  function begin(what: string): () => void {
    let line: ProgressLine | undefined;
    const timer = setTimeout(() => {
      // What already shows a line asks regularly.
      if (lines.size === 0) line = start(what);
    }, longMs);
    return () => {
      clearTimeout(timer);
      line?.end();
    };
  }

  async function during<T>(what: string, work: Promise<T>): Promise<T> {
    const end = begin(what);
    try {
      return await work;
    } finally {
      end();
    }
  }

  return { during, begin, start };
}

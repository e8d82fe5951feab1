import { version } from './version.ts';

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  const { argv, env, stdin, stdout, stderr } = process;
  const stopping = new AbortController();
  // A second Ctrl-C ends the process at once.
  process.once('SIGINT', () => stopping.abort());
  // The reader of a pipe, such as head(1), may not want all of it.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  const [word, ...others] = argv.slice(2);
  if (others.length === 0 && (word === '--version' || word === '-V')) {
    stdout.write(`${version}\n`);
    return;
  }
  // Loaded only now, so that scripts can ask for the version often.
  const [{ run }, { openBrowser }] = await Promise.all([
    import('./run.ts'),
    import('./open-browser.ts'),
  ]);
  process.exitCode = await run(argv.slice(2), {
    ...{ env, stdin, stdout, stderr },
    ...{ openBrowser, signal: stopping.signal },
  });
  // Connections that are kept open do not keep it alive, but an unread standard input would.
  stdin.unref?.();
}

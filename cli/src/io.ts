/** What a command reads from and writes to: the streams of the process, or those of a test. */
export interface Io {
  env: Readonly<Record<string, string | undefined>>;
  stdin: Input;
  stdout: Output;
  /** For progress, questions and errors, so that what is piped from `stdout` is only the result. */
  stderr: Output;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
  /** Opens a page in a browser. False if that is not possible. */
  openBrowser(page: string): Promise<boolean>;
}

export type Input = NodeJS.ReadableStream & {
  isTTY?: boolean | undefined;
  setRawMode?: ((isRaw: boolean) => unknown) | undefined;
};

export type Output = NodeJS.WritableStream & {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  rows?: number | undefined;
  hasColors?: ((count: number, env: object) => boolean) | undefined;
};

/** Whether somebody can answer questions. */
export const canAsk = ({ stdin, stderr }: Io) => stdin.isTTY === true && stderr.isTTY === true;

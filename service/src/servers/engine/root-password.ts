import { isStillRunning } from '../../incus/operations.ts';
import { isEngineError } from '../../incus/transport/errors.ts';
import type { ServerStepContext } from '../define-operation.ts';

type Context = Pick<ServerStepContext<unknown>, 'incus' | 'log' | 'signal'>;

/** A guest that takes longer must not occupy a worker. */
const runSeconds = 5;

/**
 * Sets the hash of the password of root in a running guest, with its own tool, which Debian, Alpine and others have. The
 * hash is its standard input, because everybody in the guest can read arguments. Returns its exit status, `hangs` if it
 * did not end, or `refused` if the engine did not run it, as in a guest that was frozen meanwhile.
 */
export async function setInGuest(
  { incus, log, signal }: Context,
  name: string,
  hash: string,
): Promise<number | 'hangs' | 'refused'> {
  const options = { signal, timeoutSeconds: runSeconds };
  try {
    return await incus.exec.run(name, ['chpasswd', '-e'], `root:${hash}\n`, options);
  } catch (error) {
    if (isStillRunning(error)) return 'hangs';
    if (!isEngineError(error, 'invalid')) throw error;
    log.warn({ err: error }, 'The engine did not run a program in a guest.');
    return 'refused';
  }
}

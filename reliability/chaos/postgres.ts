import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Shuts the embedded PostgreSQL down in immediate mode: every session is disconnected, nothing is
 * written, and its next start runs the recovery (PostgreSQL documentation, "Shutting Down the
 * Server").
 */
export async function killPostgres(dataDir: string): Promise<void> {
  const [pid] = (await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGQUIT');
}

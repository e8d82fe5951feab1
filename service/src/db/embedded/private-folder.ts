import { lstat, mkdir, stat } from 'node:fs/promises';
import { SetupError } from '../../../../setup/commands.mjs';

/**
 * Creates a folder that only the user of this process can access, or uses an existing one. Throws `SetupError` if
 * another user may have created it: if it is a link, is accessible to others, or belongs to them. It may also belong to
 * the owner of the folder `beside`, because a tool may run as root.
 */
export async function ensurePrivateFolder(path: string, beside: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(path);
  const owners = [process.getuid?.(), (await stat(beside)).uid];
  const objection =
    (found.isSymbolicLink() && 'is a link') ||
    (!found.isDirectory() && 'is no folder') ||
    (!owners.includes(found.uid) && `belongs to the user ${found.uid}`) ||
    ((found.mode & 0o777) !== 0o700 && `has the mode ${(found.mode & 0o777).toString(8)}, not 700`);
  if (!objection) return;
  throw new SetupError(
    `${path}, the directory of the socket of PostgreSQL, ${objection}. Somebody else could answer there.`,
    'Find out who has created or changed it, and remove it while Berth is stopped. The next start creates it again.',
  );
}

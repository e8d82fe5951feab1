import { readdirSync, readFileSync, statfsSync } from 'node:fs';
import { output } from '../../../setup/commands.mjs';
import type { Machine } from './doctor.ts';

/** The machine that `npm run doctor` checks. */
export const thisMachine: Machine = {
  read: (path) => orNothing(() => readFileSync(path, 'utf8')),
  list: (path) => orNothing(() => readdirSync(path)) ?? [],
  output: (command, ...args) => output(command, args),
  space: (path) =>
    orNothing(() => {
      const { bavail, blocks, bsize } = statfsSync(path);
      return { free: bavail * bsize, total: blocks * bsize };
    }),
  now: new Date(),
};

/** Returns undefined if something does not exist, is not accessible to this user, or does not respond. */
function orNothing<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'EINVAL', 'EPERM', 'ENOTCONN', 'EIO'].includes(code))
      return undefined;
    throw error;
  }
}

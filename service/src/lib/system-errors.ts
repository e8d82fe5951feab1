// The errors of system calls in words, by the codes of Node.js (errno(3), getaddrinfo(3), undici).

/** Why a file can't be read or written. */
export interface FileTrouble {
  code: string;
  /** Follows the name of the file or of its directory in a sentence. */
  failed: string;
  /** Advice in one or two sentences. */
  wayOut: string;
}

/** Why nothing more can be written. */
export interface NoRoom extends FileTrouble {
  /** The text of strerror(3), which initdb and PostgreSQL print. */
  words: string;
}

export const noRoom: readonly NoRoom[] = [
  {
    code: 'ENOSPC',
    words: 'No space left on device',
    failed: 'is on a disk that is full',
    wayOut: 'Free disk space there: "df -h" and "df -i" show what is used.',
  },
  {
    code: 'EDQUOT',
    words: 'Disk quota exceeded',
    failed: 'is at the limit of a disk quota',
    wayOut: 'Raise the quota of the user that Berth runs as, or free disk space there.',
  },
  {
    code: 'EROFS',
    words: 'Read-only file system',
    failed: 'is on a file system that is read-only',
    wayOut:
      'It may have been mounted so, or the kernel has made it so after a disk error: "findmnt" and "dmesg" tell. Mount it writable.',
  },
];

const denied = {
  failed: 'is not accessible to this user',
  wayOut: 'Run this as the user that it belongs to, or as root.',
};

const others: readonly FileTrouble[] = [
  { code: 'EACCES', ...denied },
  { code: 'EPERM', ...denied },
  { code: 'ENOENT', failed: 'does not exist', wayOut: 'Check the path.' },
  {
    code: 'ENOTDIR',
    failed: 'has a file in its path where a directory is expected',
    wayOut: 'Check the path.',
  },
  { code: 'EISDIR', failed: 'is a directory', wayOut: 'Name a file.' },
  { code: 'ENAMETOOLONG', failed: 'has a name that is too long', wayOut: 'Use a shorter one.' },
  {
    code: 'EIO',
    failed: 'is on a disk that has an error',
    wayOut: '"dmesg" tells more. Use another disk.',
  },
];

/** Finds the reason why nothing more can be written; undefined for any other error. */
export function noRoomReason(error: unknown): NoRoom | undefined {
  return noRoom.find(({ code }) => code === codeOf(error));
}

/** System calls on sockets and programs, whose errors can have a path as well. */
const ofNoFile = /^(connect|listen|bind|getaddrinfo|spawn)/;

/** Finds the reason why a file can't be read or written; undefined for an error that is not of a file. */
export function fileTrouble(error: unknown): FileTrouble | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  if (ofNoFile.test(String(error.syscall))) return undefined;
  const code = codeOf(error);
  const known = [...noRoom, ...others].find((one) => one.code === code);
  if (known || !('path' in error)) return known;
  return { code, failed: 'is not usable', wayOut: 'Check the path and its permissions.' };
}

/** Why there is no connection, or no complete answer. "its" is of what should answer. */
export const connectionWords: Readonly<Record<string, string>> = {
  ENOENT: 'its socket does not exist',
  ECONNREFUSED: 'the connection was refused',
  ENOTFOUND: 'its host name is unknown',
  EAI_AGAIN: 'its host name could not be resolved',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  ETIMEDOUT: 'the connection was not established in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection was not established in time',
  EAGAIN: 'it accepts no more connections at the moment',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
};

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

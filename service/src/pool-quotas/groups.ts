/** The qgroup of a subvolume: its usage and its limit, in bytes. */
export interface Group {
  /** The path of the subvolume relative to the mount. */
  path: string;
  charged: number;
  /** Null without a limit. */
  limit: number | null;
}

const line = /^0\/\d+ +(\d+) +\d+ +(none|\d+) +(?:none|\d+) +(.*\S)/gm;

/**
 * The groups of existing subvolumes. Guests may have created subvolumes with line breaks in their
 * names, before they were confined; so the limit of a path that appears twice is not trusted.
 * @param printed the output of `btrfs qgroup show -re --raw`
 */
export function parseGroups(printed: string): Group[] {
  const groups = new Map<string, Group>();
  for (const [, charged, limit, path = ''] of printed.matchAll(line)) {
    if (path.startsWith('<')) continue;
    const isClear = limit !== 'none' && !groups.has(path);
    groups.set(path, { path, charged: Number(charged), limit: isClear ? Number(limit) : null });
  }
  return [...groups.values()];
}

/** What the kernel charges to one subvolume, and the most that it lets it have; in bytes. */
export interface Group {
  /** Of the subvolume, below the mount. */
  path: string;
  charged: number;
  /** Null without a limit. */
  limit: number | null;
}

const line = /^0\/\d+ +(\d+) +\d+ +(none|\d+) +(?:none|\d+) +(.*\S)/gm;

/**
 * Those of subvolumes that are there. Names that guests gave to theirs, before they were confined, may have line
 * breaks: of a path that there is twice no limit is believed.
 * @param printed by `btrfs qgroup show -re --raw`
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

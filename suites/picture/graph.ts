import { folderOf, type Module } from '../imports.ts';
import type { Box } from './boxes.ts';

export interface Arrow {
  from: number;
  to: number;
}

/** Indexes of boxes that import each other. */
export interface Graph {
  /** Arrows to lower boxes that no longer path implies. */
  down: Arrow[];
  /** Arrows to higher boxes. */
  up: Arrow[];
}

/**
 * The imports between boxes, without type imports, which do not exist at run time, and without
 * arrows down to the foundation.
 * @throws Error for a folder that is in no box, if there is no default box, and for a box with a folder that does not
 * exist
 */
export function graphOf(modules: readonly Module[], boxes: readonly Box[]): Graph {
  const boxOf = finder(boxes, new Set(modules.map(({ file }) => folderOf(file))));
  const arrows = new Map<string, Arrow>();
  for (const { file, imports } of modules) {
    const from = boxOf(file);
    for (const one of imports) {
      if (one.typesOnly) continue;
      const to = boxOf(one.file);
      if (from !== to) arrows.set(`${from} ${to}`, { from, to });
    }
  }
  const all = [...arrows.values()].sort((a, b) => a.from - b.from || a.to - b.to);
  const down = all.filter(({ from, to }) => from < to && boxes[to]?.kind !== 'foundation');
  const plain = new Set(withoutShortcuts(down));
  return {
    down: down.filter((arrow) => plain.has(arrow) || boxes[arrow.to]?.allArrows),
    up: all.filter(({ from, to }) => from > to),
  };
}

function finder(boxes: readonly Box[], found: ReadonlySet<string>): (file: string) => number {
  const holds = (folder: string, inner: string) =>
    inner === folder || inner.startsWith(`${folder}/`);
  for (const folder of boxes.flatMap((box) => box.folders)) {
    if (![...found].some((inner) => holds(folder, inner))) {
      throw new Error(`suites/picture/boxes.ts has a box for ${folder}, which does not exist.`);
    }
  }
  return (file) => {
    const inner = folderOf(file);
    const named = boxes.findIndex((box) => box.folders.some((folder) => holds(folder, inner)));
    const index = named < 0 ? boxes.findIndex(({ takesOthers }) => takesOthers) : named;
    if (index < 0) throw new Error(`${inner} needs a place in a box of suites/picture/boxes.ts.`);
    return index;
  };
}

/** The arrows without those that a longer path implies. All of them must lead down. */
export function withoutShortcuts(arrows: readonly Arrow[]): Arrow[] {
  const next = Map.groupBy(arrows, ({ from }) => from);
  const reaches = (from: number, to: number): boolean =>
    (next.get(from) ?? []).some((one) => one.to === to || reaches(one.to, to));
  return arrows.filter(
    ({ from, to }) => !(next.get(from) ?? []).some((one) => one.to !== to && reaches(one.to, to)),
  );
}

import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import { readBuild } from '../version/build.ts';

/** Metrics of the release of this service, and of the free space in its data directory. */
export function processGauges(registry: Registry, dataDir: string | undefined): void {
  const registers = [registry];
  new Gauge({
    name: 'berth_build_info',
    help: 'Always 1. The labels are the release of this service, its Git commit, and its newest database migration.',
    labelNames: ['version', 'commit', 'schema'],
    registers,
    async collect() {
      const { version, commit, schema } = await readBuild();
      this.set({ version, commit: commit ?? '', schema }, 1);
    },
  });
  const fileSystem = (name: string, help: string, of: (found: StatsFs) => number) =>
    new Gauge({
      name: `berth_data_directory_${name}_bytes`,
      help,
      registers,
      async collect() {
        // A metric without labels would be zero.
        this.remove();
        if (dataDir !== undefined) this.set(of(await statfs(dataDir)));
      },
    });
  fileSystem(
    'size',
    "Size of the file system of this service's data directory. An embedded database is in it.",
    ({ bsize, blocks }) => bsize * blocks,
  );
  fileSystem(
    'available',
    "Free space in the file system of this service's data directory.",
    ({ bsize, bavail }) => bsize * bavail,
  );
}

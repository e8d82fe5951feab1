import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';

/** Metrics of the space in the data directory of this service. */
export function dataDirectoryGauges(registry: Registry, dataDir: string | undefined): void {
  const registers = [registry];
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

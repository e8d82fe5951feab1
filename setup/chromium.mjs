import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { output } from './commands.mjs';
import { unpackedDirectory } from './unpacked-packages.mjs';

/** The path of Chromium: that of the system, or the one that was unpacked for the tests. */
export function chromiumCommand() {
  const own = output('sh', ['-c', 'command -v chromium'])?.trim();
  return own ?? join(unpackedDirectory('chromium'), 'chromium');
}

import type { Output } from '../io.ts';

const usual = { columns: 80, rows: 24 };

/**
 * Some terminals, such as those of CI, say that they have no columns. Tables, charts and progress would have no room, and
 * libraries divide by the width.
 */
export function assumeSize(output: Output): void {
  if (!output.isTTY) return;
  const assume = () => {
    output.columns ||= usual.columns;
    output.rows ||= usual.rows;
  };
  assume();
  // First, so that others who listen get the corrected size.
  output.prependListener('resize', assume);
}

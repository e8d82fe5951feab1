import { counted } from '../lib/counted.ts';
import { Degraded, type HealthCheck } from './checks.ts';

/** Whether what is encrypted can be read. The service goes on without. */
export function keyCheck(countUnreadable: () => number): HealthCheck {
  return {
    name: 'secret key',
    async check() {
      const count = countUnreadable();
      if (count === 0) return;
      throw new Degraded(
        `${counted(count, 'encrypted value')} can not be read with any key in secret-key, which was lost or replaced. ` +
          'If there is a copy of the key from before, add its line to secret-key.',
      );
    },
  };
}

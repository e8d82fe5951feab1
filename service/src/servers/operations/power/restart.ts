import { next } from '../../../operations/define.ts';
import { operationTitles } from '../../../operations/titles.ts';
import { defineServerOperation } from '../../define-operation.ts';
import { showEngineStatus } from '../../truth.ts';
import { askToShutDown, awaitShutDown, type ShutdownState, shutDownFailures } from './shutdown.ts';
import { start, startFailures } from './start.ts';

export const restartOperation = defineServerOperation<ShutdownState>({
  kind: 'restart',
  title: operationTitles.restart,
  deadlineSeconds: 5 * 60,
  first: 'stop',
  failures: [...shutDownFailures, ...startFailures],
  steps: {
    stop: {
      weight: 1,
      doing: 'asking it to shut down',
      run: async (context) => (await askToShutDown(context)) ?? next('start'),
    },
    shutdown: {
      weight: 6,
      doing: 'waiting for it to shut down',
      run: async (context) => (await awaitShutDown(context)) ?? next('start'),
    },
    start: {
      weight: 3,
      doing: 'starting it again',
      async run(context) {
        const result = await start(context);
        return result.outcome === 'done'
          ? { ...result, message: 'The server was restarted.' }
          : result;
      },
    },
  },
  cancel: () => ({}),
  failed: showEngineStatus,
});

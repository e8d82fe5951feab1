import { defineOperation, done, next } from '../operations/define.ts';
import { setServerState } from './queries.ts';
import { start } from './start.ts';
import { shutDown } from './stop.ts';
import { showEngineStatus } from './truth.ts';

export const restartOperation = defineOperation<Record<string, never>>({
  kind: 'restart',
  title: 'Restarting the server',
  deadlineSeconds: 5 * 60,
  first: 'stop',
  steps: {
    stop: {
      weight: 3,
      doing: 'asking it to shut down',
      run: async (context) => (await shutDown(context, false)) ?? next('start'),
    },
    start: {
      weight: 1,
      doing: 'starting it again',
      async run(context) {
        const result = await start(context);
        if (result.outcome !== 'done') return result;
        return done('The server was restarted.', (trx) =>
          setServerState(trx, context.server.id, { status: 'started', realStatus: 'started' }),
        );
      },
    },
  },
  failed: showEngineStatus,
});

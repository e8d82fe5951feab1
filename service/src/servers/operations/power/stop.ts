import { doneBy } from '../../../operations/define.ts';
import { operationTitles } from '../../../operations/titles.ts';
import { defineServerOperation, type ServerStepContext } from '../../define-operation.ts';
import { showEngineStatus } from '../../truth.ts';
import { changeServer } from '../../worker-queries.ts';
import {
  askToShutDown,
  awaitShutDown,
  forceStop,
  type ShutdownState,
  shutDownFailures,
} from './shutdown.ts';

interface StopState extends ShutdownState {
  force: boolean;
  /** Whether Berth stops the server because its traffic allowance is used up. */
  forTraffic?: boolean;
  /** Whether it took the place of another operation, which has ended for good. */
  supersedes?: boolean;
}

export const stopOperation = defineServerOperation<StopState>({
  kind: 'stop',
  title: operationTitles.stop,
  deadlineSeconds: 5 * 60,
  first: 'stop',
  failures: shutDownFailures,
  steps: {
    stop: {
      weight: 1,
      doing: 'asking it to shut down',
      async run(context) {
        const { force } = context.operation.state;
        return (await (force ? forceStop(context) : askToShutDown(context))) ?? stopped(context);
      },
    },
    shutdown: {
      weight: 9,
      doing: 'waiting for it to shut down',
      run: async (context) => (await awaitShutDown(context)) ?? stopped(context),
    },
  },
  cancel: ({ state: { forTraffic, supersedes } }) => (forTraffic || supersedes ? undefined : {}),
  failed: showEngineStatus,
});

function stopped({ server }: ServerStepContext<StopState>) {
  const state = { status: 'stopped', realStatus: 'stopped', error: null } as const;
  return doneBy('The server was stopped.', changeServer(server.id, state));
}

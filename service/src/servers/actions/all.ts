import type { ServerAction as Name } from '@berth/contract/server-actions';
import { deleteAction } from './delete.ts';
import { moveAction } from './move.ts';
import { passwordAction } from './password.ts';
import { pauseAction } from './power/pause.ts';
import { restartAction } from './power/restart.ts';
import { startAction } from './power/start.ts';
import { stopAction } from './power/stop.ts';
import { unpauseAction } from './power/unpause.ts';
import { rebuildAction } from './rebuild.ts';
import { resizeAction } from './resize.ts';
import { retryAction } from './retry.ts';
import type { AnyServerAction } from './rules/define.ts';
import { suspendAction } from './suspension/suspend.ts';
import { unsuspendAction } from './suspension/unsuspend.ts';

/** All actions, in the order of the documentation. A new one needs a file and a line here. */
export const actions: { readonly [N in Name]: AnyServerAction & { name: N } } = {
  start: startAction,
  restart: restartAction,
  stop: stopAction,
  pause: pauseAction,
  unpause: unpauseAction,
  password: passwordAction,
  suspend: suspendAction,
  unsuspend: unsuspendAction,
  move: moveAction,
  retry: retryAction,
  rebuild: rebuildAction,
  resize: resizeAction,
  delete: deleteAction,
};

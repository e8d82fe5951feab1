import { noun } from '../verbs/noun.ts';
import { move, retry, suspend, unsuspend } from './administration.ts';
import { consoleVerb } from './console/verb.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { list } from './list.ts';
import { password } from './password.ts';
import { pause, restart, start, stop, unpause } from './power.ts';
import { rebuild } from './rebuild.ts';
import { resize } from './resize.ts';
import { show } from './show.ts';
import { ssh } from './ssh.ts';
import { setTraffic, traffic } from './traffic.ts';
import { label, rename, update } from './update.ts';
import { usage } from './usage.ts';
import { status, watch } from './watch.ts';

export const server = noun('server', 'Create, watch and control servers.', [
  ...[list, create, show, status, watch, start, stop, restart, pause, unpause, remove],
  ...[ssh, consoleVerb, usage, traffic, resize, rebuild, password, rename, label, update, retry],
  ...[move, suspend, unsuspend, setTraffic],
]);

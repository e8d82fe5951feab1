import { existsSync } from 'node:fs';
import { ownerIsGone } from '../../service/src/testing/reaper.ts';
import { removeEverything, site } from './site.ts';

// Removes a cluster whose run has ended without doing so itself.

await ownerIsGone();
if (existsSync(site.directory)) await removeEverything();

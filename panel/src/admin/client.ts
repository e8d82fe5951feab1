import { createClient } from '../api/berth.ts';

/** For what no project has, or each of them. */
export const installation = createClient({ isAboutAll: true });

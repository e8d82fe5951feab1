import { testShortRun } from './chaos/short-run.ts';

testShortRun('simulator');

import { existsSync } from 'node:fs';
import { ownerIsGone } from '../service/src/testing/reaper.ts';
import { removeStack, stackDirectory } from './stack.ts';

// Removes a stack whose run has ended without doing so itself.

const [name] = process.argv.slice(2);
if (!name) throw new TypeError('Name the stack to remove.');
await ownerIsGone();
if (existsSync(stackDirectory(name))) await removeStack(name);

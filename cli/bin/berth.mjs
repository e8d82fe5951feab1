#!/usr/bin/env node
// JavaScript, so that an old Node.js can say that it is too old instead of failing to parse TypeScript.
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `berth needs Node.js 22.18 or later, and this is ${process.version} (${process.execPath}).\n` +
      'From the clone of Berth, "npx berth" brings its own Node.js. Elsewhere, install Node.js 24: https://nodejs.org\n',
  );
  process.exit(1);
}
// The default is a folder that all users of the machine share.
const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
module.enableCompileCache(join(caches, 'berth', 'compiled'));
const { main } = await import('../src/main.ts');
await main();

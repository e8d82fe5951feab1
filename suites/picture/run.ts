import { readFile, writeFile } from 'node:fs/promises';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { findModules } from '../imports.ts';
import { boxes } from './boxes.ts';
import { toDot } from './draw.ts';
import { graphOf } from './graph.ts';

// `npm run picture` draws docs/architecture.svg: the folders of the service, and their imports. With `--check` it only
// checks whether the picture is current.

const file = new URL('../../docs/architecture.svg', import.meta.url);

const graphviz = await Graphviz.load();
const picture = graphviz.dot(toDot(boxes, graphOf(findModules(), boxes)));
if (!process.argv.includes('--check')) {
  await writeFile(file, picture);
} else if ((await readFile(file, 'utf8')) !== picture) {
  console.error('docs/architecture.svg is not up to date with the imports. Run: npm run picture');
  process.exitCode = 1;
}

import { readFile, writeFile } from 'node:fs/promises';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { findModules } from '../imports.ts';
import { boxes } from './boxes.ts';
import { toDot } from './draw.ts';
import { graphOf } from './graph.ts';
import { statesToDot } from './states.ts';

// `npm run picture` draws docs/architecture.svg, the folders of the service and their imports, and docs/states.svg, the
// states of a server. With `--check` it only checks whether the pictures are current.

const graphviz = await Graphviz.load();
const pictures = {
  'docs/architecture.svg': toDot(boxes, graphOf(findModules(), boxes)),
  'docs/states.svg': statesToDot(),
};
for (const [name, dot] of Object.entries(pictures)) {
  const file = new URL(`../../${name}`, import.meta.url);
  const picture = graphviz.dot(dot);
  if (!process.argv.includes('--check')) {
    await writeFile(file, picture);
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== picture) {
    console.error(`${name} is not current. Run: npm run picture`);
    process.exitCode = 1;
  }
}

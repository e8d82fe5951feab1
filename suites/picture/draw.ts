import { type Box, kinds } from './boxes.ts';
import type { Graph } from './graph.ts';

/** The graph in Graphviz's language. */
export function toDot(boxes: readonly Box[], { down, up }: Graph): string {
  const isFoundation = (box: Box) => box.kind === 'foundation';
  const node = (box: Box) => `b${boxes.indexOf(box)} ${label(box)}`;
  return [
    'digraph {',
    'rankdir=TB; nodesep=0.18; ranksep=0.42; bgcolor=white; fontname="Helvetica"; fontsize=11; newrank=true; labelloc=t;',
    `label=<${legend()}>;`,
    'node [shape=box, style="filled,rounded", color="#8a8a8a", fontname="Helvetica", fontsize=11, margin="0.17,0.06"];',
    'edge [color="#6a6a6a", arrowsize=0.6];',
    ...boxes.filter((box) => !isFoundation(box)).map(node),
    `subgraph cluster_foundation { label="${kinds.foundation.name}: anything may import it"; fontsize=11; color="#8a8a8a"; style=rounded;`,
    ...boxes.filter(isFoundation).map(node),
    '}',
    ...down.map(({ from, to }) => `b${from} -> b${to}${colorOf(boxes[to])};`),
    ...up.map(
      ({ from, to }) => `b${from} -> b${to} [color="#c62828", style=dashed, constraint=false];`,
    ),
    ...keepBelow(boxes),
    '}',
  ].join('\n');
}

/** The legend: a table of the colours, and the meaning of arrows. */
function legend(): string {
  const cells = Object.values(kinds).map(
    ({ name, color }) => `<TD BGCOLOR="${color}">${name}</TD>`,
  );
  const arrows = [
    'An arrow is an import. Arrows that a longer path implies are omitted.',
    'Orange: all imports of operations/ and incus/. Red: imports of a higher folder.',
  ];
  return [
    '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="6" CELLPADDING="10">',
    `<TR>${cells.join('')}</TR>`,
    ...arrows.map((line) => `<TR><TD COLSPAN="${cells.length}">${line}</TD></TR>`),
    '</TABLE>',
  ].join('');
}

const colorOf = (to?: Box) => (to?.allArrows ? ' [color="#e08a1e"]' : '');

/** The foundation is at the bottom, in one row. */
function keepBelow(boxes: readonly Box[]): string[] {
  const index = (box: Box) => `b${boxes.indexOf(box)}`;
  const [first, ...others] = boxes.filter(({ kind }) => kind === 'foundation').map(index);
  const above = boxes.filter(({ kind }) => kind !== 'foundation').map(index);
  return [
    `{ rank=same; ${[first, ...others].join('; ')} }`,
    ...above.map((one) => `${one} -> ${first} [style=invis, weight=0];`),
  ];
}

function label({ about, folders, kind }: Box): string {
  const names = folders.map((folder) =>
    folder === '.' ? 'start.ts, api.ts, workers.ts' : `${folder}/`,
  );
  const title = folders.join() === about ? [] : [`${about}:`];
  const lines = [...title, ...names].join('\\n');
  return `[label="${lines}", fillcolor="${kinds[kind].color}"];`;
}

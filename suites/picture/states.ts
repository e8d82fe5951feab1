import { offeredActions } from '../../contract/src/server-actions.ts';
import { actions } from '../../service/src/servers/actions/all.ts';

// The picture of the states of a server, from the table of actions.

/** While these operations are in progress, the server has this status. */
const during: Record<string, string> = { create: 'creating', delete: 'deleting' };
const colors: Record<string, string> = {
  creating: '#fde7cc',
  started: '#ddf0d8',
  stopped: '#ececec',
  paused: '#d9eaf8',
  error: '#f6d5d5',
  deleting: '#fde7cc',
};

interface Arrow {
  from: string;
  to: string;
  name: string;
}

/** The arrows that the table implies. Actions that leave the status as it is have none. */
export function arrowsOf(): Arrow[] {
  const arrows = offeredActions.flatMap((name): Arrow[] => {
    const { from, to, operation } = actions[name];
    if (to === undefined) return [];
    const between = during[operation.kind];
    const first = from
      .filter((status) => status !== between)
      .map((status) => ({ from: status, to: between ?? to, name }));
    return between === undefined ? first : [...first, { from: between, to, name: '' }];
  });
  const created = { from: '', to: 'creating', name: 'create' };
  const failed = { from: 'creating', to: 'error', name: 'fails' };
  return [
    created,
    ...joined([...arrows, failed]).filter(({ from, to }) => from !== to || to === 'started'),
  ];
}

/** Arrows between the same states share one. */
function joined(arrows: readonly Arrow[]): Arrow[] {
  const groups = Map.groupBy(arrows, ({ from, to }) => `${from} ${to}`);
  return [...groups.values()].flatMap(([first, ...more]) => {
    if (!first) return [];
    const names = [first, ...more].map(({ name }) => name).filter(Boolean);
    return { ...first, name: [...new Set(names)].join(', ') };
  });
}

/** The picture in Graphviz's language. */
export function statesToDot(): string {
  const arrows = arrowsOf();
  const states = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))];
  const id = (state: string) => `"${state || 'nothing'}"`;
  const node = (state: string) =>
    state === '' || state === 'deleted'
      ? `${id(state)} [label="", shape=circle, width=0.15, style=filled, fillcolor="#444444"];`
      : `${id(state)} [label="${state}", fillcolor="${colors[state] ?? 'white'}"];`;
  return [
    'digraph {',
    'rankdir=LR; nodesep=0.35; ranksep=0.5; bgcolor=white;',
    'node [shape=box, style="filled,rounded", color="#8a8a8a", fontname="Helvetica", fontsize=18, margin="0.15,0.08"];',
    'edge [color="#6a6a6a", fontname="Helvetica", fontsize=15, arrowsize=0.7];',
    ...states.map(node),
    ...arrows.map(({ from, to, name }) => `${id(from)} -> ${id(to)} [label=" ${name} "];`),
    '}',
  ].join('\n');
}

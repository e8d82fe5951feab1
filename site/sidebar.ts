import { titleOf } from './pages/repository.ts';
import type { Group, Plan } from './plan.ts';

interface Section {
  text: string;
  /** Paths of pages on the site without `.md`. One that ends with `/` has all pages of the folder. */
  pages: string[];
  collapsed?: true;
}

const sections: Section[] = [
  { text: 'Start', pages: ['index', 'get-started', 'concepts'] },
  {
    text: 'Guides',
    pages: [
      ...['guides/first-server', 'guides/fleet', 'guides/ci-runners', 'guides/monitoring'],
      ...['guides/billing', 'guides/backup', 'guides/cluster'],
    ],
  },
  {
    text: 'Using servers',
    pages: [
      ...['ssh-keys', 'root-password', 'user-data', 'labels', 'sizes', 'resizing'],
      ...['rebuilding', 'console', 'reaching-servers', 'disk-backups'],
    ],
  },
  {
    text: 'The panel and programs',
    pages: ['panel', 'cli', 'requests', 'events', 'webhooks', 'client', 'client-typescript'],
  },
  {
    text: 'Running Berth',
    pages: [
      ...[
        'installation',
        'settings',
        'serving',
        'people',
        'operations',
        'locations',
        'nodes',
        'drift',
      ],
      ...['image-servers', 'metrics', 'alerts', 'scaling', 'limits'],
    ],
  },
  { text: 'The API', collapsed: true, pages: ['reference/api/', 'reference/errors'] },
  { text: 'The commands', collapsed: true, pages: ['reference/cli/'] },
  {
    text: 'How it works',
    collapsed: true,
    pages: [
      ...['architecture', 'architecture/', 'security', 'metering', 'reliability', 'benchmarks'],
      'decisions/',
    ],
  },
  {
    text: 'Contributing',
    collapsed: true,
    pages: [
      ...['readme', 'contributing', 'adding-an-endpoint', 'adding-an-operation', 'releasing'],
      ...['reporting-vulnerabilities', 'changelog'],
    ],
  },
];

/** The sidebar of pages, by their paths. Throws if a page is missing in `sections`, or is there twice. */
export function planOf(pages: ReadonlyMap<string, string>): Plan {
  const left = new Set(pages.keys());
  const sidebar = sections.map(({ text, collapsed, pages: wanted }): Group => {
    const items = wanted
      .flatMap((one) => pathsOf(one, left))
      .map((path) => {
        const markdown = pages.get(path);
        if (markdown === undefined || !left.delete(path)) {
          throw new Error(`site/sidebar.ts: ${path} is no page, or is listed twice.`);
        }
        return { text: titleOf(markdown).replaceAll('`', ''), link: linkOf(path) };
      });
    return { text, items, ...(collapsed && { collapsed }) };
  });
  if (left.size > 0) throw new Error(`site/sidebar.ts does not list ${[...left].join(', ')}.`);
  const nav = [
    { text: 'Guides', link: '/guides/first-server' },
    { text: 'API', link: '/reference/api/' },
    { text: 'Commands', link: '/reference/cli/' },
  ];
  return { sidebar, nav };
}

function pathsOf(wanted: string, left: ReadonlySet<string>): string[] {
  if (!wanted.endsWith('/')) return [`${wanted}.md`];
  const inFolder = [...left].filter((path) => path.startsWith(wanted));
  return inFolder.sort((a, b) => Number(isIndex(b)) - Number(isIndex(a)) || (a < b ? -1 : 1));
}

const isIndex = (path: string) => path.endsWith('/index.md');

const linkOf = (path: string) => `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;

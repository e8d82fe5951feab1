import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { slugify } from '../pages/anchors.ts';
import { type Plan, planFile } from '../plan.ts';

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
/** `build.ts` writes it together with the pages. */
const { sidebar, nav }: Plan = JSON.parse(readFileSync(planFile, 'utf8'));

export default defineConfig({
  title: 'Berth',
  description: 'A small VPS cloud on your own Linux machines',
  lang: 'en',
  base: '/help/',
  srcDir: fileOf('../.pages'),
  outDir: fileOf('../dist'),
  cleanUrls: true,
  ignoreDeadLinks: false,
  // One after the other, so that the search index is the same each time. It is not slower.
  buildConcurrency: 1,
  // Nothing from other hosts, and nothing that the page would have to fetch: the policy of the service forbids both.
  router: { prefetchLinks: false },
  appearance: true,
  metaChunk: true,
  // The pages are plain Markdown: `<id>` in a page is text, and so is the name of a file that could be a host name.
  markdown: {
    ...{ html: false, linkify: false, anchor: { slugify } },
    languageAlias: { promql: 'sh' },
  },
  themeConfig: {
    nav,
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
  // The policy of the service forbids scripts in a page.
  transformHtml: (page, _path, { siteConfig: { outDir } }) =>
    page.replaceAll(
      /<script id="([\w-]+)">([\s\S]*?)<\/script>/g,
      (_, name: string, script: string) => {
        writeFileSync(join(outDir, 'assets', `${name}.js`), script);
        return `<script src="/help/assets/${name}.js"></script>`;
      },
    ),
  vite: { build: { chunkSizeWarningLimit: 8000, assetsInlineLimit: 0 } },
});

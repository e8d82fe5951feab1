import { fileURLToPath } from 'node:url';

// What `build.ts` tells the configuration of VitePress.

interface Link {
  text: string;
  link: string;
}

export interface Group {
  text: string;
  collapsed?: boolean;
  items: Link[];
}

export interface Plan {
  sidebar: Group[];
  nav: Link[];
}

export const planFile = fileURLToPath(new URL('.pages/plan.json', import.meta.url));

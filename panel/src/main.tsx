import { inBackground } from './background.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './panel.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { createQueries } from './api/queries.ts';
import { beginToLoad } from './begin.ts';
import { createPanelRouter } from './router.tsx';
import { sessionQuery } from './session/session.ts';
import { cssVariables, theme } from './theme.ts';
import { allowStylesOnly } from './trusted-types.ts';

allowStylesOnly();

const { nonce } = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]') ?? {};
// What keeps the page from scrolling below a dialog takes its nonce from here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

const queries = createQueries(() => {
  queries.setQueryData(sessionQuery.queryKey, null);
  inBackground(router.invalidate());
});
const router = createPanelRouter(queries);
beginToLoad(router, queries);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no element for the panel.');
createRoot(root).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce ?? ''}
  >
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </MantineProvider>,
);

import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';

export interface ApiReference {
  page: string;
  /** Several megabytes. The page loads it from `js/scalar.js`, relative to itself. */
  script: string;
}

/** The page that shows the document at `url`, and its script, as the plugin of Scalar serves them. */
export async function renderReference(url: string): Promise<ApiReference> {
  const app = fastify();
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url,
      pageTitle: 'Berth API',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // Requests from a page of no origin are refused by browsers.
      hideTestRequestButton: true,
      showDeveloperTools: 'never',
      authentication: { preferredSecurityScheme: 'token' },
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  });
  const [page, script] = await Promise.all([
    app.inject('/docs/'),
    app.inject('/docs/js/scalar.js'),
  ]);
  await app.close();
  return { page: page.body, script: script.body };
}

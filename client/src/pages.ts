import type { Answer, Berth, Init } from './berth.ts';
import type { paths } from './generated/schema.ts';

/** The paths of lists that have pages. */
export type ListPath = {
  [Path in keyof paths]: paths[Path] extends { get: List<unknown> } ? Path : never;
}[keyof paths];

interface List<Item> {
  parameters: { query?: { cursor?: string; limit?: number } };
  responses: { 200: { content: { 'application/json': Item[] } } };
}

export type ItemOf<Path extends ListPath> =
  paths[Path]['get'] extends List<infer Item> ? Item : never;

/**
 * Iterates over all items of a list. Each page is requested when the items of the previous one were used. `limit` of
 * the query is the size of a page; the default is 100.
 */
export async function* items<Path extends ListPath>(
  berth: Berth,
  path: Path,
  ...[init]: Record<never, never> extends Init<paths[Path]['get']>
    ? [init?: Init<paths[Path]['get']>]
    : [init: Init<paths[Path]['get']>]
): AsyncGenerator<ItemOf<Path>, void, undefined> {
  const { params, ...options } = (init ?? {}) as { params?: { query?: object } };
  const get = berth.GET as unknown as (path: Path, init: object) => Promise<Answer<ItemOf<Path>[]>>;
  let cursor: string | undefined;
  do {
    const query = { limit: 100, ...params?.query, ...(cursor && { cursor }) };
    const { data, response } = await get(path, { ...options, params: { ...params, query } });
    yield* data;
    cursor = nextCursor(response.headers);
  } while (cursor);
}

/** The cursor of the link to the next page (RFC 8288), which the last page does not have. */
function nextCursor(headers: Headers): string | undefined {
  const [, url] = /<([^>]*)>\s*;\s*rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  if (url === undefined) return undefined;
  return new URL(url, 'http://berth').searchParams.get('cursor') ?? undefined;
}

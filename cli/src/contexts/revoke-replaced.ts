import { type Berth, BerthError, items } from '@berth/client';
import { type Cli, connectTo } from '../cli.ts';
import type { Context } from './file.ts';

/**
 * Revokes the token that an earlier sign-in to a context had created, because nobody would use or find it any more. A
 * token that others were created with stays, because they would be revoked with it.
 */
export async function revokeReplaced(cli: Cli, { url, token }: Context): Promise<void> {
  const berth = connectTo(cli.io, cli.progress, { url, token });
  try {
    const id = (await berth.GET('/v1/whoami')).data.token_id;
    if (id === null) return;
    if (await hasMade(berth, id)) {
      cli.note(`The previous token of the context, ${id}, stays: others were created with it.`);
      return;
    }
    await berth.DELETE('/v1/tokens/{id}', { params: { path: { id: String(id) } } });
  } catch (error) {
    if (!(error instanceof BerthError)) throw error;
    // It was revoked before, or it has expired.
    if (error.status === 401) return;
    cli.note(`The previous token of the context was not revoked: ${error.detail}`);
  }
}

/** Whether tokens were created with the token. */
async function hasMade(berth: Berth, id: number): Promise<boolean> {
  try {
    for await (const { parent_id } of items(berth, '/v1/tokens')) {
      if (parent_id === id) return true;
    }
  } catch (error) {
    // A token that may not see tokens has not created any.
    if (!(error instanceof BerthError) || error.status !== 403) throw error;
  }
  return false;
}

import { Settings, SettingsUpdate } from '@berth/contract/settings';
import { difference } from '../audit/details.ts';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { findSettings, lockSettings, updateSettings } from './queries.ts';
import { settingsView } from './view.ts';

const tags = ['Settings'];
const config = { scope: 'admin' } as const;

export function settingsRoutes(app: App, deps: Deps): void {
  app.get(
    '/settings',
    {
      config,
      schema: {
        operationId: 'settings_view',
        summary: 'Get the settings',
        description: 'Returns the settings of the installation.',
        tags,
        response: { 200: Settings },
      },
    },
    async () => settingsView(await findSettings(deps.db)),
  );

  app.patch(
    '/settings',
    {
      // A shorter retention deletes the traces of whoever sets it.
      config: { ...config, needsConfirmation: true },
      schema: {
        operationId: 'settings_update',
        summary: 'Update the settings',
        description:
          'Changes settings of the installation. Settings that are omitted are not changed.',
        tags,
        body: SettingsUpdate,
        response: { 200: Settings },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx }) => {
        const before = await lockSettings(trx);
        const after = { ...before, ...request.body.retention };
        await updateSettings(trx, after);
        const details = difference(before, after);
        return { status: 200, body: settingsView(after), target: null, details };
      });
      return sendAnswer(reply, answer);
    },
  );
}

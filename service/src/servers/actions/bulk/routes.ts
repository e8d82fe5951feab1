import { BulkAction, BulkAnswer, mostServers } from '@berth/contract/bulk-actions';
import type { App, Deps } from '../../../callers/app-types.ts';
import { markRefusedParts } from '../../../changes/audit-marks.ts';
import { change, changesNothing } from '../../../changes/change.ts';
import { sendAnswer } from '../../../changes/idempotency.ts';
import type { Project } from '../../../db/project.ts';
import { readSelector } from '../../../labels/labels.ts';
import { type FieldError, invalidFields } from '../../../problems/problem.ts';
import { actions } from '../all.ts';
import { dryRunForEach, enterForEach, type Result, type Servers } from './bulk.ts';
import { selectedServers } from './queries.ts';
import { bulkView } from './view.ts';

export function bulkActionRoutes(app: App, deps: Deps): void {
  app.post(
    '/servers/actions',
    {
      config: { scope: 'servers:write', needsConfirmation: false, dryRunCountsAsAction: true },
      schema: {
        operationId: 'server_bulk_action',
        summary: 'Act on several servers',
        description:
          `Carries out an action on several servers of the project, ${mostServers} at most: those of \`ids\`, or those that ` +
          '`label_selector` selects. The response comes at once, and has for each server the operation that carries out ' +
          'the action, or the reason why it was refused: a server that refuses does not keep the others from accepting. ' +
          'Its status is 200 even if all of them refuse. Each server that accepts counts as a change in the rate limits, ' +
          'and has an entry in the audit log, as if it had been requested alone. If the limit is exceeded, or another ' +
          'error is returned, no server has accepted. With an `Idempotency-Key`, the same request gets the same results ' +
          'again, for the same servers, whatever their labels are by then; to try again those that were refused, use a ' +
          'new key. An operation can still fail: poll `GET /v1/operations/{id}`.',
        tags: ['Servers'],
        body: BulkAction,
        response: { 200: BulkAnswer },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const { action: name, force, dry_run: isDryRun = false } = body;
      const errors = contradictions(body);
      if (errors.length > 0) throw invalidFields(errors);
      const action = actions[name];
      const asked = { body: { ...(force !== undefined && { force }) }, query: {}, caller };
      const wanted = { action, wanted: await action.read?.(asked, deps) };
      if (isDryRun) {
        const dryRun = async () =>
          dryRunForEach(deps.db, caller.project, wanted, await serversOf(body, caller.project));
        return bulkView(name, await changesNothing(request, dryRun()), true);
      }
      let results: Result[] = [];
      const answer = await change(
        request,
        deps,
        async (place, servers) => {
          results = await enterForEach(place, wanted, servers);
          const parts = results
            .filter((result) => 'operation' in result)
            .map((result) => ({ ...partOf(result), details: result.details }));
          return { status: 200, body: bulkView(name, results, false), target: null, parts };
        },
        () => serversOf(body, caller.project),
      );
      const refused = results
        .filter((result) => 'refusal' in result)
        .map((result) => ({ ...partOf(result), code: result.refusal.code }));
      markRefusedParts(request, refused);
      return sendAnswer(reply, answer);

      function partOf({ serverId: id }: Result) {
        return { action: `server_${name}`, target: { kind: 'server', id } } as const;
      }
    },
  );
}

/** What the schema does not refuse. An empty selector, which selects all servers, is likely to be a mistake. */
function contradictions({ action, force, ids, label_selector: labels }: BulkAction): FieldError[] {
  const wrong = wrongSelector(ids, labels);
  return [
    ...(wrong ? [{ pointer: '/label_selector', detail: wrong }] : []),
    ...(force !== undefined && action !== 'stop' ? [{ pointer: '/force', detail: onlyStops }] : []),
  ];
}

function wrongSelector(ids: BulkAction['ids'], labels: string | undefined): string | undefined {
  if (labels === undefined) return undefined;
  if (ids !== undefined) return 'Cannot be sent together with `ids`.';
  return labels.trim() === '' ? selectsAll : undefined;
}

const selectsAll =
  'Must not be empty: it would select all servers of the project. To act on all of them, send `ids`.';
const onlyStops = 'Can only be sent with the action `stop`.';

/** Finds the servers of a request, before its transaction. Throws 422 if a selector selects too many. */
async function serversOf(
  { ids, label_selector: labels = '' }: BulkAction,
  project: Project,
): Promise<Servers> {
  if (ids) return { ids };
  const selector = readSelector(labels, 'body');
  const selected = await selectedServers(project, selector, mostServers + 1);
  if (selected.length <= mostServers) return { ids: selected, selector };
  const detail =
    `Selects more than ${mostServers} servers, which is the most on which one request can act. Add a requirement, or send ` +
    'several requests with `ids`.';
  throw invalidFields([{ pointer: '/label_selector', detail }]);
}

import { PathParams } from '@berth/contract/references';
import { SshKey, SshKeyCreate, SshKeyQuery, SshKeyUpdate } from '@berth/contract/ssh-keys';
import { Type } from 'typebox';
import { difference } from '../audit/details.ts';
import type { App, Deps } from '../callers/app-types.ts';
import { change } from '../changes/change.ts';
import { sendAnswer } from '../changes/idempotency.ts';
import { apiPath } from '../requests/api-path.ts';
import { readPage, sendList } from '../requests/pagination.ts';
import { findSshKey, listSshKeys } from './queries.ts';
import { changeSshKey, createSshKey, deleteSshKey, sshKeyNotFound } from './ssh-keys.ts';
import { sshKeyView } from './view.ts';

const params = PathParams({ id: 'ssh_key' });

const tags = ['SSH keys'];

export function sshKeyRoutes(app: App, deps: Deps): void {
  readRoutes(app);
  changeRoutes(app, deps);
}

function readRoutes(app: App): void {
  const config = { scope: 'servers:read' } as const;

  app.get(
    '/ssh-keys',
    {
      config,
      schema: {
        operationId: 'ssh_key_list',
        summary: 'List SSH keys',
        description: 'Returns the SSH keys of the project, sorted by ID.',
        tags,
        querystring: SshKeyQuery,
        response: { 200: Type.Array(SshKey) },
      },
    },
    async (request, reply) => {
      const page = readPage(request);
      const { project } = request.caller;
      return sendList(request, reply, page, listSshKeys(project, request.query), sshKeyView);
    },
  );

  app.get(
    '/ssh-keys/:id',
    {
      config,
      schema: {
        operationId: 'ssh_key_view',
        summary: 'Get an SSH key',
        description: 'Returns an SSH key.',
        tags,
        params,
        response: { 200: SshKey },
      },
    },
    async (request) => {
      const id = request.params.id;
      const row = await findSshKey(request.caller.project, id);
      if (!row) throw sshKeyNotFound(id);
      return sshKeyView(row);
    },
  );
}

function changeRoutes(app: App, deps: Deps): void {
  // Whoever uses a session that was left open could have later servers let them in.
  const config = { scope: 'servers:write', needsConfirmation: true } as const;
  const one = { tags, params, response: { 200: SshKey } };
  const target = (id: number) => ({ kind: 'ssh_key', id }) as const;

  app.post(
    '/ssh-keys',
    {
      config: { ...config, problems: ['name_taken', 'quota_exceeded', 'ssh_key_exists'] },
      schema: {
        operationId: 'ssh_key_create',
        summary: 'Create an SSH key',
        description:
          'Adds a public key to the project. Name it in `ssh_keys` of `POST /v1/servers` to have the new server let it in ' +
          'as `root`. Servers that exist are not changed. A project can have up to 100 SSH keys.',
        tags,
        body: SshKeyCreate,
        response: { 201: SshKey },
      },
    },
    async (request, reply) => {
      const answer = await change(request, deps, async ({ trx, project }) => {
        const row = await createSshKey(trx, project, request.body);
        const { id, name, fingerprint } = row;
        const headers = { Location: apiPath(request, `/ssh-keys/${id}`) };
        const details = { name, fingerprint };
        return { status: 201, headers, body: sshKeyView(row), target: target(id), details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.patch(
    '/ssh-keys/:id',
    {
      config: { ...config, problems: ['name_taken'] },
      schema: {
        ...one,
        operationId: 'ssh_key_update',
        summary: 'Rename an SSH key',
        description:
          'Renames an SSH key. Servers keep showing the name that it had when they were created.',
        body: SshKeyUpdate,
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const { before, row } = await changeSshKey(trx, project, id, request.body);
        const details = difference({ name: before.name }, { name: row.name });
        return { status: 200, body: sshKeyView(row), target: target(id), details };
      });
      return sendAnswer(reply, answer);
    },
  );

  app.delete(
    '/ssh-keys/:id',
    {
      // It lets nobody in, and takes no access from anyone.
      config: { ...config, needsConfirmation: false },
      schema: {
        ...one,
        operationId: 'ssh_key_delete',
        summary: 'Delete an SSH key',
        description:
          'Deletes an SSH key, so that no further server can be created with it. Servers that have it keep it: remove it ' +
          'from `/root/.ssh/authorized_keys` of each. A creation that was requested with it before still installs it.',
      },
    },
    async (request, reply) => {
      const id = request.params.id;
      const answer = await change(request, deps, async ({ trx, project }) => {
        const row = await deleteSshKey(trx, project, id);
        const { name, fingerprint } = row;
        const details = { name, fingerprint };
        return { status: 200, body: sshKeyView(row), target: target(id), details };
      });
      return sendAnswer(reply, answer);
    },
  );
}

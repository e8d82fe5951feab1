import { items } from '@berth/client';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { osNamed } from '../operating-systems/named.ts';
import { printNew } from '../servers/print-new.ts';
import { changeVerb } from '../verbs/change.ts';
import { follow } from '../verbs/follow.ts';
import { listVerb } from '../verbs/list.ts';
import { noun } from '../verbs/noun.ts';
import { settleAll } from '../verbs/operation.ts';
import {
  choice,
  collected,
  defined,
  diskSize,
  memory,
  pastTime,
  waiting,
  whole,
} from '../verbs/options.ts';
import { showVerb } from '../verbs/show.ts';
import { driftColumns } from './columns.ts';

const kinds = ['changed', 'missing_instance', 'unknown_instance', 'foreign_instance'] as const;

const list = listVerb({
  summary: 'List what somebody has changed in Incus, and since when',
  columns: driftColumns,
  options: (command) =>
    command
      .addOption(choice('--kind <kind...>', 'only drift of these kinds', kinds))
      .option('--location <location>', 'only drift at this location', collected)
      .option('--server <server>', 'only drift of this server', collected)
      .option('--search <text>', 'only instances whose name begins with this text')
      .option('--forgotten', 'what was forgotten, instead')
      .option('--after <time>', 'only drift since: 1h, 7d, 2026-11-27', pastTime)
      .option('--before <time>', 'only drift that is older', pastTime),
  rows: (berth, { kind, location, server, search, forgotten, after, before, pageSize }) => {
    const query = defined({
      ...{ limit: pageSize, kind, location_id: location, server_id: server, q: search },
      ...{ forgotten, from: after, to: before },
    });
    return items(berth, '/v1/drift', { params: { query } });
  },
});

const show = showVerb({
  summary: 'Show what differs, and what can be done about it',
  argument: '<drift>',
  columns: driftColumns,
  get: (berth, id) => berth.GET('/v1/drift/{id}', { params: { path: { id } } }),
});

const repair = (cli: Cli) =>
  waiting(
    new Command('repair')
      .summary('Put instances back as their servers are recorded')
      .description(
        'Put instances back as their servers are recorded. Devices that were added are removed. A running server keeps running.',
      )
      .argument('<drift...>', 'their IDs'),
  ).action(async (all, options) => {
    const start = (id: string) =>
      cli.berth().POST('/v1/drift/{id}/repair', { params: { path: { id } } });
    const sentence = (id: string) => `Drift ${id} is repaired.`;
    await settleAll(cli, all, start, { ...options, sentence });
  });

const forget = changeVerb({
  name: 'forget',
  summary: 'Accept differences as they are',
  about: 'They are not listed any more, until somebody changes the instance in another way.',
  argument: '<drift>',
  argumentIs: 'its ID',
  columns: driftColumns,
  request: (berth, id) => berth.POST('/v1/drift/{id}/forget', { params: { path: { id } } }),
  sentence: ({ id }) => `Drift ${id} is forgotten.`,
});

const adopt = (cli: Cli) =>
  waiting(
    new Command('adopt')
      .summary('Make a server of an instance that belongs to none')
      .description(
        'Make a server of an instance that belongs to none, in the project. Its disk and its addresses stay. A running instance is restarted.',
      )
      .argument('<drift>', 'its ID')
      .requiredOption('--os <os>', 'its operating system, which a rebuild uses')
      .option('--name <name>', 'the host name; by default the name of the instance')
      .option('--cpu <cores>', 'the number of CPU cores; by default those of the instance', whole)
      .option('--ram <amount>', 'the memory; by default that of the instance', memory)
      .option('--disk <amount>', 'the disk; by default that of the instance', diskSize),
  ).action(async (id, { wait, timeout, os, name, cpu, ram, disk }) => {
    const berth = cli.berth();
    const { data } = await berth.POST('/v1/drift/{id}/adopt', {
      params: { path: { id } },
      body: { os_id: await osNamed(cli, os), ...defined({ name, cpu, ram, disk }) },
    });
    if (wait) await follow(cli, data.operation.id, `Drift ${id}`, { timeout });
    const path = { id: String(data.server_id) };
    const { data: server } = await berth.GET('/v1/servers/{id}', { params: { path } });
    await printNew(cli, server, wait ? 'is adopted' : 'is being adopted');
  });

export const drift = noun('drift', 'See what differs between Berth and Incus, and correct it.', [
  ...[list, show, repair, adopt, forget],
]);

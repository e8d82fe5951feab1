// The service tells what to do as requests, because it is read by all kinds of clients. People at a terminal type commands.

/** The requests that texts of the service name, and what does the same. A word in braces stands for any word. */
export const commands: Record<string, string> = {
  'GET /v1/servers': 'server list',
  'GET /v1/servers/{id}': 'server show {id}',
  'PATCH /v1/servers/{id} with {"protection":{"{action}":false}}':
    'server update {id} --unprotect {action}',
  'POST /v1/servers/{id}/start': 'server start {id}',
  'POST /v1/servers/{id}/stop': 'server stop {id}',
  'POST /v1/servers/{id}/stop?force=true': 'server stop {id} --force',
  'POST /v1/servers/{id}/unpause': 'server unpause {id}',
  'POST /v1/servers/{id}/retry': 'server retry {id}',
  'GET /v1/operations': 'operation list',
  'GET /v1/operations/{id}': 'operation show {id}',
  'POST /v1/operations/{id}/cancel': 'operation cancel {id}',
  'GET /v1/locations': 'location list',
  'GET /v1/operating-systems': 'os list',
  'GET /v1/sizes': 'size list',
  'GET /v1/sizes?deprecated=false': 'size list --deprecated no',
  'GET /v1/sizes?location_id={id}': 'size list --location {id}',
  'GET /v1/nodes': 'node list',
  'GET /v1/ssh-keys': 'ssh-key list',
  'GET /v1/projects': 'project list',
  'GET /v1/drift': 'drift list',
  'POST /v1/projects/{id}/members': 'member add EMAIL --project {id}',
};

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const word = /\{(\w+)\}/g;

/** Longer requests first, because others are their beginnings. */
const replacements = Object.entries(commands)
  .sort(([one], [other]) => other.length - one.length)
  .map(([request, command]) => {
    const names = [...request.matchAll(word)].map(([, name]) => name);
    const parts = request.split(word).filter((_, index) => index % 2 === 0);
    const pattern = parts.map(escaped).join('([\\w-]+)');
    return { command, names, pattern: new RegExp(`\`?${pattern}\`?(?![\\w/?-])`, 'g') };
  });

/** A text of the service, with commands in place of the requests that they stand for. */
export const withCommands = (text: string): string =>
  replacements.reduce(
    (now, { pattern, command, names }) =>
      now.replaceAll(pattern, (...found: string[]) => {
        const filled = command.replaceAll(
          word,
          (_, name: string) => found[names.indexOf(name) + 1] ?? '',
        );
        return `"berth ${filled}"`;
      }),
    text,
  );

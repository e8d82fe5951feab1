import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { Command } from '@commander-js/extra-typings';
import type { Cli } from '../cli.ts';
import { Failure, Reported } from '../errors/failure.ts';
import type { Schemas } from '../schemas.ts';
import { primaryAddress } from './columns.ts';

export const ssh = (cli: Cli) =>
  new Command('ssh')
    .summary('Log in to a server with the ssh of this machine')
    .description(
      'Log in to a server with the ssh of this machine, whose exit status is returned. Everything after the name is passed to ssh: berth server ssh web-1 -L 8080:localhost:80 uptime',
    )
    .argument('<server>', 'its name or ID')
    .argument('[ssh-argument...]', 'options of ssh, and a command to run there')
    .option('-u, --user <user>', 'who logs in', 'root')
    .option('-6, --ipv6', 'use the IPv6 address')
    .passThroughOptions()
    .allowUnknownOption()
    .action(async (server, more, { user, ipv6 }) => {
      const path = { id: server };
      const { data } = await cli.berth().GET('/v1/servers/{id}', { params: { path } });
      refuseUnlessRunning(data);
      const own = data.ip_addresses.map(({ ip }) => ip);
      const address = ipv6 ? own.find((ip) => ip.includes(':')) : primaryAddress(data);
      if (!address) throw new Failure(`${data.hostname} has no ${ipv6 ? 'IPv6 ' : ''}address.`);
      // It must not be an option of ssh, such as one that runs a command here.
      if (!isIP(address)) throw new Failure(`${address} is not an IP address.`);
      const status = await runSsh(cli, ['-l', user, ...sshArguments(more, address)]);
      if (status !== 0) throw new Reported(status);
    });

/** What ssh(1) would say after some seconds does not name the reason. */
function refuseUnlessRunning({ hostname, status }: Schemas['Server']): void {
  const verb = { stopped: 'start', paused: 'unpause' }[status as string];
  if (verb === undefined) return;
  throw new Failure(`${hostname} is ${status}.`, {
    hint: `Run "berth server ${verb} ${hostname}" first.`,
  });
}

/** Options that take a value (ssh(1)); the address goes after the options, and before the command. */
const withValue = /^-[BbcDEeFIiJLlmOoPpQRSWw]$/;

function sshArguments(given: readonly string[], address: string): string[] {
  let at = 0;
  while (given[at]?.startsWith('-') && given[at] !== '--')
    at += withValue.test(given[at] ?? '') ? 2 : 1;
  const command = given.slice(given[at] === '--' ? at + 1 : at);
  return [...given.slice(0, at), address, ...command];
}

async function runSsh({ io }: Cli, args: string[]): Promise<number> {
  // Ctrl-C is for ssh.
  const child = spawn('ssh', args, { stdio: 'inherit', env: { ...io.env } });
  const [status] = await once(child, 'close').catch((error: Error) => {
    throw new Failure(`ssh cannot be run: ${error.message}`, {
      hint: 'Install it: apt install openssh-client',
    });
  });
  return status ?? 255;
}

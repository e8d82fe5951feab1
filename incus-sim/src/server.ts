import { type Answer, sync } from './answers.ts';
import type { Engine } from './engine.ts';
import { askedMember } from './members.ts';
import type { Routes } from './router.ts';

const apiExtensions = [
  'etag',
  'network',
  'storage',
  'projects',
  'instances',
  'clustering',
  'metrics',
];

/** The kernel of the host, as `uname -r` prints it. */
export const kernelVersion = '6.12.0-simulated';

const version = { api_extensions: apiExtensions, api_status: 'stable', api_version: '1.0' };

/** The answer to an untrusted client. */
export const untrustedView = (): Answer =>
  sync({ config: {}, ...version, auth: 'untrusted', public: false, auth_methods: ['tls'] });

export function serverRoutes({ model, version: release, cores, memoryBytes }: Engine): Routes {
  return {
    'GET /1.0': ({ query }) => {
      const member = askedMember(model, query.get('target'));
      return sync({
        config: {},
        ...version,
        auth: 'trusted',
        public: false,
        auth_methods: ['tls'],
        environment: {
          architectures: ['x86_64'],
          certificate_fingerprint: model.ownFingerprint,
          driver: 'lxc',
          driver_version: '6.0.4',
          kernel_version: kernelVersion,
          project: query.get('project') ?? 'default',
          server: 'incus',
          server_clustered: model.members.size > 0,
          server_name: model.members.size > 0 ? member : 'simulated',
          server_pid: process.pid,
          server_version: release,
          storage: 'btrfs',
          storage_supported_drivers: ['btrfs', 'dir'].map((name) => ({
            Name: name,
            Version: '1',
            Remote: false,
          })),
        },
      });
    },
    'GET /1.0/resources': ({ query }) => {
      askedMember(model, query.get('target'));
      return sync({
        cpu: { architecture: 'x86_64', total: cores, sockets: [] },
        memory: { total: memoryBytes, used: Math.floor(memoryBytes / 8) },
      });
    },
  };
}

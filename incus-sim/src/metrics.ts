import type { Answer } from './answers.ts';
import type { Engine } from './engine.ts';
import { useOf } from './instance-view.ts';
import { askedMember } from './members.ts';
import type { Instance } from './model.ts';
import type { Routes } from './router.ts';

/** How long Incus caches the metrics of a project. */
const keptMs = 8000;

type Labels = Record<string, string>;
type Sample = [labels: Labels, value: number];
type Use = ReturnType<typeof useOf>;

interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge';
  samples: (use: Use) => Sample[];
}

const one = (value: number): Sample[] => [[{}, value]];
const byDevice = (value: number): Sample[] => [
  [{ device: 'lo' }, 0],
  [{ device: 'eth0' }, value],
];

const families: Family[] = [
  {
    name: 'incus_cpu_seconds_total',
    help: 'The total number of CPU time used in seconds.',
    type: 'counter',
    samples: ({ cpuSeconds }) => [
      [{ cpu: '0', mode: 'system' }, cpuSeconds * 0.4],
      [{ cpu: '0', mode: 'user' }, cpuSeconds * 0.6],
    ],
  },
  {
    name: 'incus_cpu_effective_total',
    help: 'The total number of effective CPUs.',
    type: 'gauge',
    samples: ({ cores }) => one(cores),
  },
  {
    name: 'incus_disk_read_bytes_total',
    help: 'The total number of bytes read.',
    type: 'counter',
    samples: ({ diskRead }) => [[{ device: 'loop0' }, diskRead]],
  },
  {
    name: 'incus_disk_written_bytes_total',
    help: 'The total number of bytes written.',
    type: 'counter',
    samples: ({ diskWritten }) => [[{ device: 'loop0' }, diskWritten]],
  },
  {
    name: 'incus_memory_MemAvailable_bytes',
    help: 'The amount of available memory.',
    type: 'gauge',
    samples: ({ memoryTotalBytes, memoryBytes }) => one(memoryTotalBytes - memoryBytes),
  },
  {
    name: 'incus_memory_MemTotal_bytes',
    help: 'The amount of used memory.',
    type: 'gauge',
    samples: ({ memoryTotalBytes }) => one(memoryTotalBytes),
  },
  {
    name: 'incus_memory_Shmem_bytes',
    help: 'The amount of cached filesystem data that is swap-backed.',
    type: 'gauge',
    samples: ({ sharedBytes }) => one(sharedBytes),
  },
  {
    name: 'incus_network_receive_bytes_total',
    help: 'The amount of received bytes on a given interface.',
    type: 'counter',
    samples: ({ networkIn }) => byDevice(networkIn),
  },
  {
    name: 'incus_network_transmit_bytes_total',
    help: 'The amount of transmitted bytes on a given interface.',
    type: 'counter',
    samples: ({ networkOut }) => byDevice(networkOut),
  },
  {
    name: 'incus_procs_total',
    help: 'The number of running processes.',
    type: 'gauge',
    samples: ({ processes }) => one(processes),
  },
];

export function metricsRoutes({ model }: Engine): Routes {
  const kept = new Map<string, { text: string; at: number }>();
  return {
    'GET /1.0/metrics': ({ project, query }) => {
      const member = askedMember(model, query.get('target'));
      const key = `${member} ${project}`;
      const before = kept.get(key);
      if (before && Date.now() - before.at < keptMs) return textAnswer(before.text);
      const all = model.projects.get(project)?.instances.values() ?? [];
      const running = [...all].filter((i) => i.run && i.member === member);
      const text = metricsText(running);
      kept.set(key, { text, at: Date.now() });
      return textAnswer(text);
    },
  };
}

function textAnswer(text: string): Answer {
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: text };
}

/** The text format of OpenMetrics. */
function metricsText(instances: Instance[]): string {
  const lines: string[] = [];
  if (instances.length > 0) {
    const uses = instances.map((instance) => ({ instance, use: useOf(instance) }));
    for (const { name, help, type, samples } of families) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
      for (const { instance, use } of uses) {
        for (const [labels, value] of samples(use)) {
          lines.push(`${name}{${labelText(labels, instance)}} ${value}`);
        }
      }
    }
  }
  return `${[...lines, '# EOF'].join('\n')}\n`;
}

function labelText(labels: Labels, { name, project, type }: Instance): string {
  return Object.entries({ ...labels, name, project: project.name, type })
    .map(([key, value]) => `${key}="${value}"`)
    .join(',');
}

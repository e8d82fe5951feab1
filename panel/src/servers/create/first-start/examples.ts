import { familyOf } from '../os-family.ts';

export interface Example {
  name: string;
  text: string;
}

interface Packages {
  update: string;
  install: string;
}

const apt = {
  update: 'apt-get update && apt-get -y upgrade',
  install: 'apt-get update && apt-get -y install nginx',
};

/** By the family of the operating system. */
const managers: Record<string, Packages> = {
  debian: apt,
  ubuntu: apt,
  almalinux: { update: 'dnf -y upgrade', install: 'dnf -y install nginx' },
  alpine: { update: 'apk upgrade', install: 'apk add nginx' },
};

/** Commands to begin with, for the operating system. */
export function commandExamples(slug: string): Example[] {
  const manager = managers[familyOf(slug)];
  const ofPackages = manager && [
    { name: 'Install updates', text: manager.update },
    { name: 'Install nginx', text: manager.install },
  ];
  return [
    ...(ofPackages ?? []),
    { name: 'Write a file', text: "printf 'Ask Ada before a restart.\\n' > /etc/motd" },
    { name: 'Show the memory and the disk', text: 'free -m && df -h /' },
  ];
}

export const userDataExamples: Example[] = [
  {
    name: 'Packages',
    text: `#cloud-config
package_update: true
packages:
  - nginx
  - git
`,
  },
  {
    name: 'A user with an SSH key',
    text: `#cloud-config
users:
  - name: ada
    shell: /bin/bash
    ssh_authorized_keys:
      - ssh-ed25519 AAAA… ada@laptop
`,
  },
  {
    name: 'A file and a command',
    text: `#cloud-config
write_files:
  - path: /etc/motd
    content: |
      This server belongs to Ada.
runcmd:
  - echo "$(date) first boot" > /root/first-boot
`,
  },
  {
    name: 'A script',
    text: `#!/bin/sh
set -eu
date > /root/first-boot
`,
  },
];

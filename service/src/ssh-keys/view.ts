import type { SshKey } from '@berth/contract/ssh-keys';
import type { ShownSshKey } from './queries.ts';

/** An SSH key as the API shows it. */
export function sshKeyView(row: ShownSshKey): SshKey {
  return {
    id: row.id,
    name: row.name,
    fingerprint: row.fingerprint,
    public_key: row.public_key,
    project_id: row.project_id,
    created_at: row.created_at,
  };
}

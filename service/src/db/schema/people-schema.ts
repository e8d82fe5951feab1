import type { Generated, GeneratedAlways } from 'kysely';
import type { Timestamp } from './timestamp-schema.ts';

export type Role = 'owner' | 'member' | 'viewer';

interface UsersTable {
  id: GeneratedAlways<number>;
  email: string;
  name: string;
  password_hash: string | null;
  is_admin: Generated<boolean>;
  created_at: Timestamp;
  disabled_at: Timestamp | null;
  deleted_at: Timestamp | null;
}

interface MembershipsTable {
  project_id: number;
  user_id: number;
  role: Role;
  created_at: Timestamp;
}

interface IdentitiesTable {
  issuer: string;
  subject: string;
  user_id: number;
  created_at: Timestamp;
}

interface PasskeysTable {
  id: GeneratedAlways<number>;
  user_id: number;
  credential_id: Buffer;
  public_key: Buffer;
  counter: number;
  transports: Generated<string[]>;
  name: string;
  created_at: Timestamp;
  last_used_at: Timestamp | null;
}

interface SessionsTable {
  id: GeneratedAlways<number>;
  secret_sha256: Buffer;
  user_id: number;
  address: string;
  user_agent: string;
  created_at: Timestamp;
  last_used_at: Timestamp;
  confirmed_at: Timestamp;
  expires_at: Timestamp;
}

interface KnownNetworksTable {
  user_id: number;
  network: string;
  used_at: Timestamp;
}

interface SignInStatesTable {
  secret_sha256: Buffer;
  kind: string;
  data: Buffer;
  expires_at: Timestamp;
}

/** The tables of users, memberships and authentication. */
export interface PeopleTables {
  users: UsersTable;
  memberships: MembershipsTable;
  identities: IdentitiesTable;
  passkeys: PasskeysTable;
  sessions: SessionsTable;
  known_networks: KnownNetworksTable;
  sign_in_states: SignInStatesTable;
}

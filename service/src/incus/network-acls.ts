import { type Api, type CallOptions, orNull, readTagged } from './transport/api.ts';

/** A rule of an ACL. Lists of addresses, ranges (`10.0.0.1-10.0.0.9`) and ports are separated by commas. */
export interface AclRule {
  /** The action. Rules with `drop` are applied before those with `allow` (Incus documentation, "Network ACLs"). */
  action: 'allow' | 'drop';
  /** The destination; all addresses by default. */
  destination?: string;
  /** The protocol; all protocols by default. */
  protocol?: 'tcp' | 'udp' | 'icmp4' | 'icmp6';
  destination_port?: string;
}

export interface AclRules {
  /** The rules for outgoing traffic of instances. */
  egress: AclRule[];
  /** The rules for incoming traffic of instances. */
  ingress: AclRule[];
}

type Stored = AclRule & { state: 'enabled' | 'disabled' | 'logged' };

export interface NetworkAcl {
  name: string;
  description: string;
  egress: Stored[];
  ingress: Stored[];
  config: Record<string, string>;
  /** The URLs of the networks, instances and profiles that use the ACL. */
  used_by: string[] | null;
}

export type NetworkAclCalls = ReturnType<typeof networkAclCalls>;

/**
 * Creates the calls for ACLs. With `features.networks=false` in the project, these are the ACLs of the default project.
 */
export function networkAclCalls(api: Api) {
  const { project } = api;
  const at = (name: string) => ({ path: ['network-acls', name], query: { project } });
  return {
    get: (name: string, options?: CallOptions) =>
      orNull(api.read({ method: 'GET', ...at(name) }, options, readTagged<NetworkAcl>)),

    /** Creates an ACL. Throws `already_exists`. */
    create: (acl: AclRules & { name: string; description: string }, options?: CallOptions) => {
      const json = { ...acl, ...enabled(acl), config: {} };
      return api.change(
        { method: 'POST', path: ['network-acls'], query: { project }, json },
        options,
      );
    },

    /**
     * Replaces all rules of an ACL that was read with this `etag` at once. Open connections are kept. Throws `busy` if
     * the ACL was changed in the meantime, and `failed` or `unreachable` while a member of a cluster is unreachable.
     * Some members may have the new rules then.
     */
    replace(
      { name, description, config }: NetworkAcl,
      rules: AclRules,
      etag: string,
      options?: CallOptions,
    ): Promise<void> {
      const json = { description, config, ...enabled(rules) };
      const headers = { 'if-match': etag };
      return api.change({ method: 'PUT', ...at(name), headers, json }, options);
    },

    /** Deletes an ACL. Throws `failed` while a network uses it. */
    delete: (name: string, options?: CallOptions) =>
      api.change({ method: 'DELETE', ...at(name) }, options),
  };
}

function enabled({ egress, ingress }: AclRules) {
  const state = 'enabled' as const;
  return {
    egress: egress.map((rule) => ({ ...rule, state })),
    ingress: ingress.map((rule) => ({ ...rule, state })),
  };
}

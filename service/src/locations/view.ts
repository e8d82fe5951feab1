import type { Location } from '@berth/contract/locations';
import { limitsOf } from './limits.ts';
import type { LocationState, ShownLocation, Viewer } from './queries.ts';

const unwatched = 'No service has checked this location recently.';

const withoutRules = 'Only bridges that Incus manages have rules for what servers may reach.';

/** A location as the API shows it to administrators, without the address of its engine. */
export function locationView(row: ShownLocation): Location {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    limits: limitsOf(row),
    overcommit: {
      cpu: row.overcommit_cpu,
      ram: row.overcommit_ram,
      disk: row.overcommit_disk,
    },
    enabled: row.enabled,
    reachable: row.isReachable,
    unreachable_reason: row.reachable && !row.isReachable ? unwatched : row.unreachable_reason,
    traffic_allowance: row.traffic_allowance,
    traffic_counted: row.traffic_counted,
    traffic_policy: row.traffic_policy,
    traffic_throttle: row.traffic_throttle,
    os_ids: row.os_ids,
    creates_per_node: row.creates_per_node,
    allowed_destinations: row.allowed_destinations,
    smtp: row.smtp,
    drift: row.openDrift,
    adopt_from: row.adopt_from,
    network_policy: networkPolicyView(row),
  };
}

const unusable = 'The engine of this location cannot be used at the moment.';

/**
 * A location as a caller may see it. Only administrators see drift, other Incus projects, and why the engine can't be reached, because the
 * reason may contain its socket.
 */
export function locationViewFor({ isAdmin }: Viewer) {
  return (row: ShownLocation): Location => {
    const view = locationView(row);
    if (isAdmin) return view;
    const isSaid = row.reachable || row.unreachable_reason === null;
    return {
      ...view,
      drift: null,
      adopt_from: null,
      ...(!isSaid && { unreachable_reason: unusable }),
    };
  };
}

export function networkPolicyView(row: LocationState): Location['network_policy'] {
  const { network_kind, policy_wanted, policy_applied, policy_reason: reason } = row;
  const since = row.policy_since;
  if (network_kind !== 'bridge') return { status: 'unavailable', reason: withoutRules, since };
  const isApplied = policy_applied === policy_wanted && reason === null;
  return { status: isApplied ? 'applied' : 'pending', reason, since };
}

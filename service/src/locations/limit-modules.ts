/** The kernel modules with which Incus limits the traffic of servers (`tc`). */
export const modulesToLimit = {
  incoming: 'sch_htb',
  outgoing: 'act_police, cls_u32 or sch_ingress',
} as const;

import type { World } from './bad-input-cases.ts';

/** Queries of lists with a value that is refused, and the parameter that must be named. */
export function badFilters(world: World): [path: string, pointer: string][] {
  return [
    ['servers?status=running', '?status'],
    ['servers?status=', '?status'],
    ['servers?status=started,running', '?status'],
    ['servers?status=started,', '?status'],
    ['servers?status=started&status=running', '?status'],
    [`servers?status=${'started,'.repeat(100)}started`, '?status'],
    ['servers?location_id=abc', '?location_id'],
    ['servers?location_id=0', '?location_id'],
    ['servers?os_id=9007199254740992', '?os_id'],
    ['servers?os_id=-1', '?os_id'],
    ...['env=', 'in (prod', ',env', 'env in ()', 'é', '%00', 'a,'.repeat(64), `a=${'b'.repeat(64)}`]
      .map((selector) => selector.replace('env=', 'env=,,'))
      .concat('a'.repeat(4097), 'a&label_selector=b')
      .map((text) => [`servers?label_selector=${text}`, '?label_selector'] as [string, string]),
    ['servers?node=', '?node'],
    ['servers?node=%00', '?node'],
    ['servers?hostname=a%00b', '?hostname'],
    [`servers?hostname=${'a'.repeat(254)}`, '?hostname'],
    ...['a,', '-a', 'a_b', 'web 1', '10.0.0.1', 'a..b', `${'a'.repeat(64)}.b`].map(
      (name) => [`servers?hostname=${name}`, '?hostname'] as [string, string],
    ),
    ['servers?group=-a', '?group'],
    [`servers?group=${'a'.repeat(64)}`, '?group'],
    ['servers?node=nowhere', '?node'],
    ['servers?node=99999', '?node'],
    ['servers?location_id=nowhere,test', '?location_id'],
    ['servers?location_id=99999', '?location_id'],
    ['servers?os_id=plan-9', '?os_id'],
    ['servers?os_id=debian-12,99999', '?os_id'],
    ['servers?project_id=99999', '?project_id'],
    ['servers?project_id=nobodys', '?project_id'],
    ['servers?project_id=other', '?project_id'],
    ['servers?q=', '?q'],
    ['servers?q=%00', '?q'],
    ['servers?q=a&q=b', '?q'],
    [`servers?q=${'a'.repeat(254)}`, '?q'],
    ...['yesterday', '2026-11-21', '2026-11-21T00:00:00', '2026-02-30T00:00:00Z']
      .concat(['2026-11-21T24:00:00Z', '2026-11-21T00:00:60Z', '0000-01-01T00:00:00Z'])
      .concat(['2026-11-21T00:00:00.1234567Z', '2026-11-21T00:00:00%2B15:00', ''])
      .map((from) => [`servers?from=${from}`, '?from'] as [string, string]),
    ['servers?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z', '?from'],
    ['servers?from=2026-11-21T00:00:00Z&to=2026-11-21T00:30:00%2B01:00', '?from'],
    ...['', 'web', '10.0.0.256', '10.0.0', '10.0.0.01', '1::2::3', 'fe80::1%25eth0', '10.0.0.1/8']
      .concat(['10.0.0.1%00', '0x7f.0.0.1', '::ffff:1.2.3.256', '%2010.0.0.1', '1:2:3:4:5:6:7'])
      .map((ip) => [`servers?ip=${ip}`, '?ip'] as [string, string]),
    ['operations?server_id=abc', '?server_id'],
    ['operations?server_id=99999', '?server_id'],
    [`operations?server_id=${world.foreignServer}`, '?server_id'],
    ['operations?project_id=99999', '?project_id'],
    ['operations?kind=create,format', '?kind'],
    ['operations?status=canceled', '?status'],
    ['operations?status=cancelled,done', '?status'],
    ['operations?from=yesterday', '?from'],
    ['operations?from=2026-11-21T00:00:00Z&to=2026-11-20T00:00:00Z', '?from'],
    ['operations?labels=env', '?labels'],
    ...['in (prod', 'env in ()', 'é', '%00', 'a'.repeat(4097), 'a&label_selector=b'].map(
      (text) => [`operations?label_selector=${text}`, '?label_selector'] as [string, string],
    ),
    ['audit?action=foo', '?action'],
    ['audit?action=server_create,foo', '?action'],
    ['audit?target_kind=planet', '?target_kind'],
    ['audit?target_id=web', '?target_id'],
    ['audit?target_id=1', '?target_id'],
    ['audit?target_kind=server,project&target_id=1', '?target_id'],
    ['audit?target_kind=server,project&target_id=web', '?target_id'],
    ['audit?token_id=99999', '?token_id'],
    ['audit?user_id=nobody@example.com', '?user_id'],
    ['audit?project_id=99999', '?project_id'],
    ['audit?status=99', '?status'],
    ['audit?address=10.0.0', '?address'],
    ['operations?status=started', '?status'],
    ['operations?kind=format', '?kind'],
    ['operations?sort=hostname', '?sort'],
    ['locations?enabled=yes', '?enabled'],
    ['projects?q=', '?q'],
    ['tokens?name=x', '?name'],
    ['locations?sort=id', '?sort'],
    ['operating-systems?type=vm', '?type'],
    ['operating-systems?architecture=x', '?architecture'],
    ['operating-systems?architecture=x86_64,arm64', '?architecture'],
    ...['', 'a%20b', 'a/b', `${'a'.repeat(65)}`].map(
      (id) => [`audit?request_id=${id}`, '?request_id'] as [string, string],
    ),
  ];
}

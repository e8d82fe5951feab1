import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { pages as adminPages } from '../admin/pages.ts';
import { inBackground } from '../background.ts';
import { useActions } from '../servers/actions/provider.tsx';
import { foundServersQuery } from '../servers/find.ts';
import { serverQuery } from '../servers/one/queries.ts';
import { useMayChange } from '../session/may-change.ts';
import { sessionQuery } from '../session/session.ts';
import { links, projectLinks } from '../shell/navigation.tsx';
import { actionsFor, isPage, matching, readTyped, serversNamed } from './entries.ts';

export interface Entry {
  id: string;
  label: string;
  detail?: string;
  run: () => void;
}

export interface EntryGroup {
  name: string;
  entries: readonly Entry[];
}

const typingMs = 150;

/** What was found for what somebody typed. */
export function useEntries(typed: string, showHelp: () => void) {
  const pages = usePages(showHelp);
  const { actions, servers, error, isSearching } = useServers(typed);
  const about: EntryGroup[] = [
    { name: 'Servers', entries: servers },
    { name: 'Actions', entries: actions },
  ];
  // The first one is chosen by Enter, which must begin an action only if somebody has typed it.
  if (readTyped(typed).actions.length > 0) about.reverse();
  const groups = [...about, { name: 'Pages', entries: matching(pages, typed) }].filter(
    ({ entries }) => entries.length > 0,
  );
  return { groups, error, isSearching };
}

const creations = [
  { to: '/servers/new', label: 'New server' },
  { to: '/ssh-keys/new', label: 'Add an SSH key' },
  { to: '/tokens/new', label: 'New token' },
  { to: '/webhooks/new', label: 'New webhook' },
] as const;

const administration = adminPages.map(({ to, name }) => ({
  to,
  label: name,
  detail: 'administration',
}));

function usePages(showHelp: () => void): Entry[] {
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const isAllowed = useMayChange();
  const shown = [
    ...[...links, ...projectLinks].map(({ to, name }) => ({ to, label: name })),
    ...(isAllowed ? creations : []),
    { to: '/account', label: 'Account' } as const,
    ...(session?.user.is_admin ? administration : []),
  ];
  const go = shown.map(({ to, ...words }) => ({
    id: to,
    ...words,
    run: () => inBackground(navigate({ to })),
  }));
  return [...go, { id: 'help', label: 'Keyboard shortcuts', run: showHelp }];
}

type ServerPath = '/servers/$id' | '/servers/$id/console' | '/servers/$id/settings';

/** The servers that were found, and what can be done with them. Without a name it is the server of the page. */
function useServers(typed: string) {
  const navigate = useNavigate();
  const ask = useActions();
  const isAllowed = useMayChange();
  const open = (id: number, to: ServerPath) =>
    inBackground(navigate({ to, params: { id: String(id) } }));
  const wanted = readTyped(typed);
  const [name] = useDebouncedValue(wanted.name, typingMs);
  const current = useCurrentServer();
  const search = useQuery({
    ...foundServersQuery(name),
    enabled: name !== '',
    placeholderData: keepPreviousData,
  });
  // Until the service has answered, those of before that still match.
  const found = serversNamed(search.data ?? [], wanted.name);
  const able = typed.trim() === '' && current ? [current] : found;
  return {
    error: search.error,
    isSearching: name !== wanted.name || search.isFetching,
    actions: actionsFor(isAllowed ? able : [], wanted).map(({ action, server, label }) => ({
      id: `${action}-${server.id}`,
      label,
      run: () =>
        isPage(action) ? open(server.id, `/servers/$id/${action}`) : ask(action, [server]),
    })),
    servers: found.map(({ id, hostname, status }) => ({
      id: `server-${id}`,
      label: hostname,
      detail: status,
      run: () => open(id, '/servers/$id'),
    })),
  };
}

function useCurrentServer() {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [, id] = /^\/servers\/(\d+)$/.exec(path) ?? [];
  return useQuery({ ...serverQuery(Number(id)), enabled: id !== undefined }).data;
}

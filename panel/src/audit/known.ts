import { useQuery } from '@tanstack/react-query';
import { managesMembers, nameOf } from '../members/members.ts';
import { membersQuery } from '../members/queries.ts';
import type { Session } from '../session/session.ts';
import { tokensQuery } from '../tokens/queries.ts';
import type { Known } from './callers.ts';

/** The names of people and tokens, as far as this person may know them. Without them, IDs are shown. */
export function useKnown(session: Session): Known {
  const { user, project } = session;
  const { data: tokens = [] } = useQuery(tokensQuery);
  const { data: members = [] } = useQuery({
    ...membersQuery(project?.id ?? 0),
    enabled: managesMembers(session),
  });
  return {
    self: user.id,
    users: new Map(members.map((member) => [member.user_id, nameOf(member)])),
    tokens: new Map(tokens.map(({ id, name }) => [id, name])),
  };
}

import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { berth } from '../api/berth.ts';
import { say, sayChanged } from '../servers/actions/toasts.tsx';
import { sessionQuery } from '../session/session.ts';
import { type Member, nameOf, type Role, roleWords } from './members.ts';
import { membersQuery } from './queries.ts';

type Named = Pick<Member, 'user_id' | 'email' | 'name'>;
type Present = Named & Pick<Member, 'role'>;

/** Changes members, and reads again what depends on them. */
export function useMemberChanges(projectId: number) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const paramsOf = ({ user_id }: Named) => ({ path: { id: projectId, user_id } });

  async function setRole(member: Present, role: Role, isSelf: boolean): Promise<void> {
    const body = { role };
    const params = paramsOf(member);
    await berth.PUT('/v1/projects/{id}/members/{user_id}', { params, body });
    // Those who are no longer owners may not read the members.
    if (isSelf) await queries.invalidateQueries(sessionQuery);
    await queries.invalidateQueries(membersQuery(projectId));
    const name = roleWords[role].name.toLowerCase();
    // Only owners change roles.
    if (isSelf) return say(`You are now ${aOrAn(name)}`, []);
    const undo = () => setRole({ ...member, role }, member.role, isSelf);
    sayChanged(nameOf(member), `They are now ${aOrAn(name)}.`, undo);
  }

  async function remove(member: Named, isSelf: boolean): Promise<void> {
    await berth.DELETE('/v1/projects/{id}/members/{user_id}', { params: paramsOf(member) });
    if (isSelf) {
      // There may be another project to show, or none.
      await navigate({ to: '/servers' });
      queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' });
      await queries.invalidateQueries(sessionQuery);
    } else {
      await queries.invalidateQueries(membersQuery(projectId));
    }
    say(isSelf ? 'You have left the project' : `${nameOf(member)} was removed`, []);
  }

  return { setRole, remove };
}

const aOrAn = (word: string): string => `${word === 'owner' ? 'an' : 'a'} ${word}`;

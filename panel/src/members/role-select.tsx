import { NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { sayFailed } from '../servers/actions/toasts.tsx';
import type { Session } from '../session/session.ts';
import { Question, useAsked } from '../shell/question.tsx';
import { useMemberChanges } from './changes.ts';
import {
  givesUp,
  isRole,
  isSelf,
  type Member,
  nameOf,
  type Role,
  roleChoices,
  roleWords,
} from './members.ts';

interface RoleSelectProps {
  member: Member;
  session: Session;
  projectId: number;
}

/** The role of a member, which a choice changes. People are asked before they give up their own. */
export function RoleSelect({ member, session, projectId }: RoleSelectProps) {
  const { setRole } = useMemberChanges(projectId);
  const { asked, ask, ...question } = useAsked<Role>();
  const self = isSelf(member, session);
  const changing = useMutation({
    mutationFn: (role: Role) => setRole(member, role, self),
    onError: (error) => sayFailed(`The role of ${nameOf(member)} was not changed`, error),
  });
  const choose = (role: string) => {
    if (!isRole(role)) return;
    if (givesUp(member, role, session)) ask(role);
    else changing.mutate(role);
  };
  return (
    <>
      <NativeSelect
        size="xs"
        miw={105}
        maw={130}
        aria-label={`Role of ${nameOf(member)}`}
        data={roleChoices}
        value={changing.isPending ? changing.variables : member.role}
        disabled={changing.isPending}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      />
      <Question
        {...question}
        title="Give up your role?"
        answer="Change my role"
        act={async () => {
          if (asked) await setRole(member, asked, self);
        }}
      >
        {asked && (
          <>
            <b>{roleWords[asked].name}</b>: {roleWords[asked].explanation}
          </>
        )}{' '}
        Only an owner or an administrator can give you more again.
      </Question>
    </>
  );
}

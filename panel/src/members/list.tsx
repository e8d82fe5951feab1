import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '../session/session.ts';
import { sessionQuery } from '../session/session.ts';
import { type Column, List } from '../shell/list.tsx';
import { Empty } from '../shell/messages.tsx';
import { NewLink } from '../shell/new-link.tsx';
import { Page } from '../shell/page.tsx';
import { Question, useAsked } from '../shell/question.tsx';
import { Time } from '../shell/time.tsx';
import { useMemberChanges } from './changes.ts';
import { Leave } from './leave.tsx';
import { isSelf, type Member, managesMembers, nameOf } from './members.ts';
import { membersQuery } from './queries.ts';
import { RoleSelect } from './role-select.tsx';

/** The people who can use the project, and what each of them may do. */
export function MembersPage() {
  const { data: session } = useQuery(sessionQuery);
  if (!session?.project) return null;
  const isManager = managesMembers(session);
  return (
    <Page title="Members" action={isManager && <Add />}>
      {isManager ? (
        <Members session={session} projectId={session.project.id} />
      ) : (
        <Leave session={session} project={session.project} />
      )}
    </Page>
  );
}

const Add = () => <NewLink to="/members/new">Add a member</NewLink>;

function Members({ session, projectId }: { session: Session; projectId: number }) {
  const query = useQuery(membersQuery(projectId));
  const { remove } = useMemberChanges(projectId);
  const { asked, ask, ...question } = useAsked<Member>();
  const isOwn = asked !== undefined && isSelf(asked, session);
  const columns: Column<Member>[] = [
    { name: 'Person', show: (member) => <Who member={member} isSelf={isSelf(member, session)} /> },
    { name: 'Role', show: (member) => <RoleSelect {...{ member, session, projectId }} /> },
    { name: 'Since', show: ({ since }) => <Time at={since} relative /> },
  ];
  return (
    <>
      <List
        name="members"
        query={query}
        columns={columns}
        minWidth={480}
        actions={(member) => (
          <Button variant="subtle" color="red" size="xs" onClick={() => ask(member)}>
            {isSelf(member, session) ? 'Leave' : 'Remove'}
            <span className="sr-only">
              {isSelf(member, session) ? ' the project' : ` ${nameOf(member)}`}
            </span>
          </Button>
        )}
        empty={
          <Empty title="This project has no members">
            <Text>
              Only administrators and its tokens use it. Add people by the email address with which
              they sign in.
            </Text>
            <Add />
          </Empty>
        }
      />
      <Question
        {...question}
        title={isOwn ? 'Leave the project?' : `Remove ${asked && nameOf(asked)}?`}
        answer={isOwn ? 'Leave the project' : 'Remove the member'}
        act={async () => {
          if (asked) await remove(asked, isOwn);
        }}
      >
        {isOwn
          ? 'You lose access to the project, unless you are an administrator, and the tokens that you created for it are revoked.'
          : 'They lose access to the project at once, and the tokens that they created for it are revoked.'}{' '}
        Servers stay as they are.
      </Question>
    </>
  );
}

function Who({ member, isSelf }: { member: Member; isSelf: boolean }) {
  const { name, email } = member;
  return (
    <>
      {nameOf(member)}
      {isSelf && (
        <Text span c="dimmed" size="sm" fw={400}>
          {' '}
          (you)
        </Text>
      )}
      {name && (
        <Text c="dimmed" size="xs" fw={400}>
          {email}
        </Text>
      )}
    </>
  );
}

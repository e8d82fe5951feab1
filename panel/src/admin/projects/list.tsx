import { Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { sessionQuery } from '../../session/session.ts';
import { List } from '../../shell/list.tsx';
import { Page } from '../../shell/page.tsx';
import { Question, useAsked } from '../../shell/question.tsx';
import { Time } from '../../shell/time.tsx';
import { AddLink, OneLink } from '../links.tsx';
import { limits } from './form.ts';
import { type Project, projectsQuery } from './queries.ts';

/** All projects of the installation. */
export function ProjectsPage() {
  const query = useQuery(projectsQuery);
  const queries = useQueryClient();
  const { asked, ask, ...question } = useAsked<Project>();
  const remove = async () => {
    if (!asked) return;
    await berth.DELETE('/v1/projects/{id}', { params: { path: { id: asked.id } } });
    await queries.invalidateQueries(projectsQuery);
    await queries.invalidateQueries(sessionQuery);
    say(`The project ${asked.name} was deleted`, []);
  };
  return (
    <Page title="Projects" action={<AddLink to="/admin/projects/new">New project</AddLink>}>
      <List
        name="projects"
        query={query}
        columns={[
          {
            name: 'Name',
            show: ({ id, name }) => (
              <OneLink to="/admin/projects/$id" id={id}>
                {name}
              </OneLink>
            ),
          },
          {
            name: 'Description',
            show: ({ description }) => <Text size="sm">{description}</Text>,
          },
          { name: 'Limits', show: limitsInWords },
          { name: 'Created', show: ({ created_at }) => <Time at={created_at} relative /> },
        ]}
        actions={(project) => (
          <Button variant="subtle" color="red" size="xs" onClick={() => ask(project)}>
            Delete<span className="sr-only"> {project.name}</span>
          </Button>
        )}
      />
      <Question
        {...question}
        title={`Delete ${asked?.name}?`}
        answer="Delete the project"
        act={remove}
      >
        Only a project without servers can be deleted. Its tokens and SSH keys end with it. What was
        done in it stays recorded.
      </Question>
    </Page>
  );
}

/** What servers of the project can have; the limit of outputs refuses nothing. */
function limitsInWords({ quota }: Project): string {
  const set = limits
    .filter(({ name }) => name !== 'outputs' && quota[name] !== null)
    .map(({ name, label, show }) => `${label.split(',')[0]}: ${show(quota[name] ?? 0)}`);
  return set.join(', ') || 'none';
}

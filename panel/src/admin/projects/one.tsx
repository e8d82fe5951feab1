import { Card, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { isMissing } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import { say } from '../../servers/actions/toasts.tsx';
import { sessionQuery } from '../../session/session.ts';
import { Fact, Facts } from '../../shell/facts.tsx';
import { Form } from '../../shell/form.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Missing } from '../../shell/missing.tsx';
import { Page } from '../../shell/page.tsx';
import { ProjectFields } from './fields.tsx';
import { bodyOf, limits, names } from './form.ts';
import { Members } from './members.tsx';
import { type Project, projectQuery, quotaQuery } from './queries.ts';

const route = getRouteApi('/signed-in/admin/projects/$id');

/** A project: its limits, what it uses, and its members. */
export function ProjectPage() {
  const id = Number(route.useParams().id);
  const { data: project, error, refetch } = useQuery(projectQuery(id));
  if (isMissing(error)) return <Missing what="project" to="/admin/projects" />;
  return (
    <Page title={project?.name ?? 'Project'}>
      {error && !project && (
        <Failure
          title="The project cannot be shown"
          error={error}
          retry={() => inBackground(refetch())}
        />
      )}
      {!project && !error && <Loading />}
      {project && (
        <>
          <Usage id={id} />
          <Members projectId={id} />
          <Title order={2} size="h3">
            Settings
          </Title>
          <Settings key={project.id} project={project} />
        </>
      )}
    </Page>
  );
}

/** What the servers of the project have together, of what they may have. */
function Usage({ id }: { id: number }) {
  const { data: quota, error } = useQuery(quotaQuery(id));
  if (error && !quota) return <Failure title="What it uses cannot be shown" error={error} />;
  return (
    <Card withBorder maw={720} component="section" aria-label="In use" aria-busy={!quota}>
      <Facts>
        {limits.map(({ name, label, show }) => (
          <Fact key={name} name={label.split(',')[0] ?? label}>
            {/* What is below does not move when it is there. */}
            {quota ? inUse(quota[name], show) : '…'}
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}

interface Share {
  used: number;
  limit: number | null;
}

function inUse({ used, limit }: Share, show: (amount: number) => string): string {
  return limit === null ? `${show(used)}, without a limit` : `${show(used)} of ${show(limit)}`;
}

function Settings({ project }: { project: Project }) {
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: async (form: FormData) => {
      const params = { path: { id: project.id } };
      return (await berth.PATCH('/v1/projects/{id}', { params, body: bodyOf(form) })).data;
    },
    onSuccess: async ({ name }) => {
      await queries.invalidateQueries({ queryKey: ['projects'] });
      await queries.invalidateQueries(sessionQuery);
      say(`The project ${name} was changed`, []);
    },
  });
  const { error, isPending } = changing;
  const { fields, rest } = fieldErrors(error, names, { name_taken: 'name' });
  return (
    <Form
      button="Save"
      submit={(form) => changing.mutate(new FormData(form))}
      {...{ isPending, error, rest }}
    >
      <ProjectFields project={project} fields={fields} error={error} />
    </Form>
  );
}

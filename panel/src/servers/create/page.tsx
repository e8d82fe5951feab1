import type { components } from '@berth/client';
import { Alert, Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { locationsQuery } from '../../api/queries.ts';
import { isQuotaExceeded } from '../../api/words.ts';
import { Form } from '../../shell/form.tsx';
import { Failure, Loading } from '../../shell/messages.tsx';
import { Page } from '../../shell/page.tsx';
import { expectations } from '../actions/toasts.tsx';
import { Fields } from './fields.tsx';
import {
  bodyOf,
  fields as fieldNames,
  generatePassword,
  missingChoices,
  type Values,
} from './form.ts';
import { PasswordDialog } from './password-dialog.tsx';
import { systemsQuery } from './queries.ts';

const nothing: Values = {
  ...{ name: '', location_id: '', os_id: '', size: '' },
  ...{ cpu: 1, ram: 1024, disk: 10, ssh_keys: [], password_login: true },
};

export function NewServerPage() {
  return (
    <Page title="New server">
      <Choices />
    </Page>
  );
}

/** Reads what has to be chosen from, and chooses the first of each. */
function Choices() {
  const locations = useQuery(locationsQuery);
  const systems = useQuery(systemsQuery);
  const error = locations.error ?? systems.error;
  if (error) {
    const retry = () => void Promise.all([locations.refetch(), systems.refetch()]);
    return <Failure title="The form cannot be shown" error={error} retry={retry} />;
  }
  if (!locations.data || !systems.data) return <Loading />;
  const location = locations.data.find(({ enabled }) => enabled);
  const system = systems.data.find(({ id }) => location?.os_ids?.includes(id) ?? true);
  return (
    <NewServer
      initial={{
        ...nothing,
        location_id: String(location?.id ?? ''),
        os_id: String(system?.id ?? ''),
      }}
    />
  );
}

function NewServer({ initial }: { initial: Values }) {
  const [values, setValues] = useState(initial);
  const [missing, setMissing] = useState<ReturnType<typeof missingChoices>>({});
  const navigate = useNavigate();
  const goTo = (id: number) => void navigate({ to: '/servers/$id', params: { id: String(id) } });

  const checking = useMutation({
    mutationFn: async () => {
      const body = bodyOf(values, generatePassword());
      return (await berth.POST('/v1/servers/dry-run', { body })).data;
    },
  });
  const creating = useMutation({
    // The password is forgotten with the page.
    gcTime: 0,
    mutationFn: async () => {
      const password = generatePassword();
      const { data } = await berth.POST('/v1/servers', { body: bodyOf(values, password) });
      const { id, hostname, operation } = data;
      expectations.expect(operation.id, { action: 'create', hostname, serverId: id });
      return { id, hostname, password };
    },
    onSuccess: ({ id }) => {
      if (!values.password_login) goTo(id);
    },
  });

  function begin(request: typeof checking | typeof creating): void {
    const found = missingChoices(values);
    setMissing(found);
    checking.reset();
    creating.reset();
    if (Object.keys(found).length === 0) request.mutate();
  }
  const error = creating.error ?? checking.error;
  const { fields, rest } = fieldErrors(error, fieldNames);
  const { data: created } = creating;

  return (
    <>
      <Form
        button="Create and start"
        submit={() => begin(creating)}
        isPending={creating.isPending}
        more={
          <Button variant="default" loading={checking.isPending} onClick={() => begin(checking)}>
            Check only
          </Button>
        }
        {...{ error, rest }}
      >
        {isQuotaExceeded(error) && (
          <Anchor size="sm" renderRoot={(props) => <Link to="/quota" {...props} />}>
            See what is left of the quota
          </Anchor>
        )}
        <Fields values={values} change={setValues} errors={{ ...missing, ...fields }} />
        {checking.data && <Outlook plan={checking.data} />}
      </Form>
      {created && values.password_login && (
        <PasswordDialog {...created} goOn={() => goTo(created.id)} />
      )}
    </>
  );
}

/** What a create would do. */
function Outlook({ plan }: { plan: components['schemas']['ServerDryRun'] }) {
  const addresses = plan.ip_addresses.map(({ ip }) => ip).join(' and ') || 'no address';
  return (
    <Alert variant="outline" title="The server can be created" role="status">
      <Text size="sm">
        It would run on {plan.node}, with {addresses}.
      </Text>
      {plan.warnings.map((warning) => (
        <Text key={warning} size="sm">
          {warning}
        </Text>
      ))}
    </Alert>
  );
}

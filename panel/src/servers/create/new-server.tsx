import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { berth } from '../../api/berth.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { inBackground } from '../../background.ts';
import { Form } from '../../shell/form.tsx';
import { Loading } from '../../shell/messages.tsx';
import { expectations } from '../actions/toasts.tsx';
import { generatePassword } from '../generate-password.ts';
import { Fields } from './fields.tsx';
import { commandErrors } from './first-start/commands.ts';
import { labelError } from './first-start/labels.ts';
import { bodyOf, fields as fieldNames, missingChoices, type Values } from './form.ts';
import classes from './new-server.module.css';
import { Outlook } from './outlook/outlook.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { sentCommandsKey } from './progress/queries.ts';

// The form does not need the library that quotes words of the shell.
const AsCode = lazy(() => import('./as-code/as-code.tsx'));

/** The form, and beside it what would come of it. */
export function NewServer({ initial }: { initial: Values }) {
  const [values, setValues] = useState(initial);
  const [missing, setMissing] = useState<ReturnType<typeof missingChoices>>({});
  const navigate = useNavigate();
  const queries = useQueryClient();
  const goTo = (id: number) =>
    inBackground(navigate({ to: '/servers/$id/creation', params: { id: String(id) } }));

  const creating = useMutation({
    // The password is forgotten with the page.
    gcTime: 0,
    mutationFn: async (values: Values) => {
      const generated = values.password ? undefined : generatePassword();
      const body = bodyOf(values, generated ?? values.password);
      const { data } = await berth.POST('/v1/servers', { body });
      const { id, hostname, operation } = data;
      expectations.expect(operation.id, { action: 'create', hostname, serverId: id });
      queries.setQueryData(sentCommandsKey(id), body.initialCommands);
      return { id, hostname, password: values.password_login ? generated : undefined };
    },
    onSuccess: async ({ id, password }) => {
      await queries.invalidateQueries({ queryKey: ['quota'] });
      if (!password) goTo(id);
    },
  });

  function submit(): void {
    const found = missingChoices(values);
    setMissing(found);
    creating.reset();
    if (Object.keys(found).length === 0) creating.mutate(values);
  }
  const { error, data: created, variables: sent } = creating;
  const { fields, rest } = fieldErrors(error, fieldNames);
  const ofLabel = labelError(error);

  return (
    <div className={classes.columns}>
      <Form
        button="Create and start"
        submit={submit}
        isPending={creating.isPending}
        {...{ error, rest }}
      >
        <Fields
          values={values}
          set={(changed) => setValues((before) => ({ ...before, ...changed }))}
          errors={{ ...missing, ...fields, ...(ofLabel && { labels: ofLabel }) }}
          commandErrors={commandErrors(error, sent?.initialCommands ?? [])}
        />
      </Form>
      <div className={classes.beside}>
        <Outlook values={values} />
      </div>
      <Suspense fallback={<Loading />}>
        <AsCode values={values} />
      </Suspense>
      {created?.password && (
        <PasswordDialog
          hostname={created.hostname}
          password={created.password}
          goOn={() => goTo(created.id)}
        />
      )}
    </div>
  );
}

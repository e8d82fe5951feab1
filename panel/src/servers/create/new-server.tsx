import { Anchor } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { berth } from '../../api/berth.ts';
import { isQuotaExceeded } from '../../api/words.ts';
import { inBackground } from '../../background.ts';
import { Form } from '../../shell/form.tsx';
import { Loading } from '../../shell/messages.tsx';
import { expectations } from '../actions/toasts.tsx';
import { generatePassword } from '../generate-password.ts';
import { Fields } from './fields.tsx';
import { bodyOf, missingChoices, type Values } from './form.ts';
import classes from './new-server.module.css';
import { Outlook } from './outlook/outlook.tsx';
import { PasswordDialog } from './password-dialog.tsx';
import { sentCommandsKey } from './progress/queries.ts';
import { shownErrors } from './shown-errors.ts';
import { chosenSize } from './sizes/offered.ts';
import { useSizes } from './sizes/use-sizes.ts';

// The form does not need the library that quotes words of the shell.
const AsCode = lazy(() => import('./as-code/as-code.tsx'));

/** The form, and beside it what would come of it. */
export function NewServer({ initial }: { initial: Values }) {
  const [entered, setEntered] = useState(initial);
  const [tried, setTried] = useState<Values>();
  const { offered, ...place } = useSizes(entered);
  const values = { ...entered, size: chosenSize(entered.size, offered, place) };
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
    setTried(values);
    creating.reset();
    if (Object.keys(missingChoices(values)).length === 0) creating.mutate(values);
  }
  const { error, data: created } = creating;
  const { errors, ofCommands, rest } = shownErrors(error, values, tried);

  // The form would be checked again, now with the quota that the new server uses.
  if (created) {
    const { hostname, password, id } = created;
    if (!password) return <Loading />;
    return <PasswordDialog {...{ hostname, password }} goOn={() => goTo(id)} />;
  }
  return (
    <div className={classes.columns}>
      <Form
        button="Create and start"
        submit={submit}
        isPending={creating.isPending}
        {...{ error, rest }}
      >
        {isQuotaExceeded(error) && (
          <Anchor size="sm" renderRoot={(props) => <Link to="/quota" {...props} />}>
            See what is left of the quota
          </Anchor>
        )}
        <Fields
          values={values}
          set={(changed) => setEntered((before) => ({ ...before, ...changed }))}
          errors={errors}
          commandErrors={ofCommands}
        />
      </Form>
      <div className={classes.beside}>
        <Outlook values={values} />
      </div>
      <Suspense fallback={<Loading />}>
        <AsCode values={values} />
      </Suspense>
    </div>
  );
}

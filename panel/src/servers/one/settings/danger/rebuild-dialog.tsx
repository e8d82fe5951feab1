import { Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { berth } from '../../../../api/berth.ts';
import type { Server } from '../../../../live/apply.ts';
import { SecretDialog } from '../../../../shell/secret-dialog.tsx';
import { announce } from '../../../actions/act.ts';
import { generatePassword } from '../../../generate-password.ts';
import { bodyOf, type Rebuild } from './rebuild.ts';
import { RebuildForm } from './rebuild-form.tsx';

interface DialogProps {
  server: Server;
  isOpen: boolean;
  close: () => void;
}

/** Gives a server a new system once its name has been typed, and shows its password once. */
export default function RebuildDialog({ server, isOpen, close }: DialogProps) {
  const { id, hostname } = server;
  const rebuilding = useMutation({
    // The password is forgotten with the dialog.
    gcTime: 0,
    mutationFn: async (rebuild: Rebuild) => {
      const password = generatePassword();
      const { data } = await berth.POST('/v1/servers/{id}/rebuild', {
        params: { path: { id } },
        body: bodyOf(rebuild, password),
      });
      announce('rebuild', server, data);
      return rebuild.password_login ? password : undefined;
    },
    onSuccess: close,
  });
  const { data: password, error, isPending } = rebuilding;
  const cancel = () => {
    if (isPending) return;
    rebuilding.reset();
    close();
  };
  return (
    <>
      <Modal opened={isOpen} onClose={cancel} title={`Rebuild ${hostname}?`} size="lg">
        <RebuildForm server={server} submit={rebuilding.mutate} {...{ error, isPending, cancel }} />
      </Modal>
      {password && (
        <SecretDialog
          title={`The password of root on ${hostname}`}
          secret={password}
          what="password"
          button="Done"
          goOn={rebuilding.reset}
        >
          The server is being rebuilt.
        </SecretDialog>
      )}
    </>
  );
}

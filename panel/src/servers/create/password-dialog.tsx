import { SecretDialog } from '../../shell/secret-dialog.tsx';

interface DialogProps {
  hostname: string;
  password: string;
  goOn: () => void;
}

/** Shows a password that is kept nowhere else. */
export function PasswordDialog({ hostname, password, goOn }: DialogProps) {
  return (
    <SecretDialog
      title={`The password of root on ${hostname}`}
      secret={password}
      what="password"
      button="Watch the creation"
      goOn={goOn}
    >
      The server is being created.
    </SecretDialog>
  );
}

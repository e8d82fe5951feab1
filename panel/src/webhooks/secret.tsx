import type { components } from '@berth/client';
import type { ReactNode } from 'react';
import { SecretDialog } from '../shell/secret-dialog.tsx';

interface SecretProps {
  webhook: components['schemas']['NewWebhookSecret'];
  button: string;
  goOn: () => void;
  children: ReactNode;
}

/** The secret with which events are signed. */
export function WebhookSecret({ webhook: { name, secret }, ...rest }: SecretProps) {
  return <SecretDialog title={`The secret of ${name}`} secret={secret} what="secret" {...rest} />;
}

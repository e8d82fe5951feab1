import { Button } from '@mantine/core';
import IconKey from '@tabler/icons-react/icons/IconKey';
import IconLogin2 from '@tabler/icons-react/icons/IconLogin2';
import type { OtherMethods } from './other-methods.ts';

export type OtherMethod = 'passkey' | 'provider';

interface MethodButtonsProps {
  methods: OtherMethods;
  labels: { passkey: string; provider: (name: string) => string };
  /** The one that is in use now. */
  pending: string | undefined;
  choose: (method: OtherMethod) => void;
}

/** Without a name, the provider is called by its host name, which can be long. */
const wrapping = {
  ...{ h: 'auto', mih: 36, py: 6 },
  styles: { label: { whiteSpace: 'normal', overflowWrap: 'anywhere', lineHeight: 1.4 } },
} as const;

/** What can be used in the place of a password. */
export function MethodButtons({ methods, labels, pending, choose }: MethodButtonsProps) {
  const { hasPasskeys, provider } = methods;
  const button = (method: OtherMethod, label: string, Icon: typeof IconKey) => (
    <Button
      variant="default"
      leftSection={<Icon size={18} aria-hidden />}
      loading={pending === method}
      onClick={() => choose(method)}
      fullWidth
      {...wrapping}
    >
      {label}
    </Button>
  );
  return (
    <>
      {hasPasskeys && button('passkey', labels.passkey, IconKey)}
      {provider && button('provider', labels.provider(provider), IconLogin2)}
    </>
  );
}

import { Anchor, Text } from '@mantine/core';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Empty } from './messages.tsx';
import { useTitle } from './title.ts';

interface MissingProps {
  /** Such as `user`. */
  what: string;
  /** Where all are listed. */
  to: LinkProps['to'];
}

/** In the place of an object that does not exist. */
export function Missing({ what, to }: MissingProps) {
  const title = `There is no such ${what}`;
  useTitle(title);
  return (
    <Empty title={title} isWhole>
      <Text>It may have been deleted.</Text>
      <Anchor renderRoot={(props) => <Link to={to} {...props} />}>Show all {what}s</Anchor>
    </Empty>
  );
}

import { Text } from '@mantine/core';
import { PageLinks } from '../shell/page-links.tsx';
import { pages } from './pages.ts';

/** Leads to the pages for administrators. */
export function AdministrationLinks({ onChosen }: { onChosen: () => void }) {
  return (
    <>
      <Text size="xs" fw={600} c="dimmed" px="sm" pt="lg" pb={4} id="administration">
        Administration
      </Text>
      <PageLinks links={pages} onChosen={onChosen} labelledBy="administration" />
    </>
  );
}

import { useDocumentTitle } from '@mantine/hooks';

/** The title of the page, as it is in tabs and in the history. */
export const useTitle = (title: string): void => useDocumentTitle(`${title} · Berth`);

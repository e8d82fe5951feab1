import type { Page } from 'playwright-core';

/** Finds parts of the page that a test is at, by the names that people read. Names are exact, patterns are not. */
export function findIn(page: () => Page) {
  const byRole = (role: Parameters<Page['getByRole']>[0]) => (name: string | RegExp) =>
    page().getByRole(role, { name, exact: true });
  return {
    button: byRole('button'),
    heading: byRole('heading'),
    choice: byRole('combobox'),
    region: byRole('region'),
    /** Tables and menus may have the same link. */
    link: (name: string) => byRole('link')(name).first(),
    field: (name: string) => page().getByLabel(name, { exact: true }),
    dialog: () => page().getByRole('dialog'),
  };
}

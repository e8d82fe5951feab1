import { type CSSVariablesResolver, createTheme, Modal, Notification } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cyan',
  // Darker than usual, for the contrast of white text (WCAG 2.2, 1.4.3).
  primaryShade: { light: 9, dark: 9 },
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Code", Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        // It is not the header of the page.
        attributes: { header: { role: 'presentation' } },
      },
    }),
    Notification: Notification.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' } },
    }),
  },
});

/** Secondary text has enough contrast, too. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[6],
    '--mantine-color-anchor': colors.cyan[9],
    '--mantine-color-error': colors.red[9],
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[2],
    '--mantine-color-anchor': colors.cyan[4],
    '--mantine-color-error': colors.red[4],
  },
});

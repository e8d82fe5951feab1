import {
  type ComboboxProps,
  type CSSVariablesResolver,
  createTheme,
  type ModalProps,
  type NotificationProps,
} from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cyan',
  // Darker than usual, for the contrast of white text (WCAG 2.2, 1.4.3).
  primaryShade: { light: 9, dark: 9 },
  fontFamily: 'system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "Cascadia Code", Menlo, Consolas, monospace',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  // Without `extend` of the components, with which each page would load all of them.
  components: {
    Alert: {
      // The usual colour of the border has too little contrast for text.
      styles: { title: { color: 'var(--mantine-color-bright)' } },
    },
    // Drawing and placing lists that are not open takes a tenth of the time until a page with some is shown.
    Combobox: { defaultProps: { keepMounted: false } satisfies Partial<ComboboxProps> },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        // It is not the header of the page.
        attributes: { header: { role: 'presentation' } },
      } satisfies Partial<ModalProps>,
    },
    Notification: {
      defaultProps: {
        closeButtonProps: { 'aria-label': 'Close' },
      } satisfies Partial<NotificationProps>,
    },
  },
});

// That of the darkest shade would be a lighter one, on which white text has too little contrast.
const hover = { '--mantine-color-cyan-filled-hover': '#095c6b' };

/** Text has enough contrast everywhere. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    ...hover,
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[6],
    '--mantine-color-anchor': colors.cyan[9],
    '--mantine-color-error': colors.red[9],
  },
  dark: {
    ...hover,
    // Otherwise, disabled buttons cannot be told from their card.
    '--mantine-color-disabled': colors.dark[5],
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[2],
    '--mantine-color-anchor': colors.cyan[4],
    '--mantine-color-error': colors.red[4],
    // Otherwise, the colour of a button that destroys something is almost white.
    '--mantine-color-red-light-color': colors.red[3],
    '--mantine-color-cyan-light-color': colors.cyan[3],
  },
});

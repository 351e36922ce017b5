import { createTheme, type MantineColorsTuple } from '@mantine/core';

const teal: MantineColorsTuple = [
  '#e6fafd',
  '#d3f0f5',
  '#a5dfe8',
  '#74cedc',
  '#50c0d1',
  '#3ab7cb',
  '#2ab3c8',
  '#189db1',
  '#0b7285',
  '#085a69',
];

/** One accent, system fonts, quiet surfaces: colour is for states. */
export const theme = createTheme({
  primaryColor: 'callout',
  primaryShade: 8,
  colors: { callout: teal },
  autoContrast: true,
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  // Their sign alone says nothing to those who do not see it.
  components: {
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
  },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.5rem' }, h2: { fontSize: '1.15rem' }, h3: { fontSize: '1rem' } },
  },
});

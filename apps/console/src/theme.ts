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
  radius: { xs: '2px', sm: '4px', md: '6px', lg: '10px', xl: '32px' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  // Lists and logs are compared line by line: the more of them fit, the better.
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.25rem' },
  spacing: { xs: '0.5rem', sm: '0.75rem', md: '1rem', lg: '1.25rem', xl: '2rem' },
  components: {
    // Their sign alone says nothing to a person who does not see it.
    Modal: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Most texts are those of lists and logs; links, too, are such texts.
    Text: { defaultProps: { size: 'sm' } },
    Badge: { defaultProps: { radius: 'sm' } },
    Paper: { defaultProps: { radius: 'lg' } },
    Alert: { defaultProps: { radius: 'lg' } },
    Table: { defaultProps: { verticalSpacing: 8, horizontalSpacing: 12 } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
  },
  headings: {
    fontWeight: '650',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.0625rem' }, h3: { fontSize: '0.9375rem' } },
  },
});

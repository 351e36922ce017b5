import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Small and quiet: what is to be known beside something else. */
export const Note = Text.withProps({ size: 'xs', c: 'dimmed' });

/** A label and what it names, for rows of facts above a page. */
export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Stack gap={2}>
      <Note>{label}</Note>
      <Text component="div" className="break-anywhere">
        {children}
      </Text>
    </Stack>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: number | string;
  /** What is to be known beside the number. */
  readonly note?: ReactNode;
}

/** One number, large. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <Paper withBorder p="md" className="tile">
      <Text c="dimmed">{label}</Text>
      <Text fz={{ base: 20, sm: 24 }} fw={650}>
        {value.toLocaleString()}
      </Text>
      <Note component="div" className="break-anywhere">
        {note}
      </Note>
    </Paper>
  );
}

import { Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A label and what it names, for rows of facts above a page. */
export function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div" size="sm" className="break-anywhere">
        {children}
      </Text>
    </Stack>
  );
}

interface FigureProps {
  readonly label: string;
  readonly value: number | undefined;
  /** What is to be known beside the number. */
  readonly note?: ReactNode;
}

/** One number, large. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <Paper withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text fz={26} fw={650} lh={1.3}>
        {value?.toLocaleString() ?? '…'}
      </Text>
      <Text component="div" size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  );
}

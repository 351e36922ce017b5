import { Stack, Text } from '@mantine/core';
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

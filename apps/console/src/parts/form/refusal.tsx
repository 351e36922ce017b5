import { Text } from '@mantine/core';

/** What the API refuses of inputs that have no place for it of their own; it is focused as an input is. */
export function Refusal({ error }: { readonly error: string | undefined }) {
  if (error === undefined) return null;
  return (
    <Text c="var(--mantine-color-error)" role="alert" tabIndex={-1} data-is-refusal>
      {error}
    </Text>
  );
}

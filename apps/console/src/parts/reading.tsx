import { Skeleton, Stack } from '@mantine/core';

/** Stands where something is still being read: a region, since nothing else may have a name. `label`: what, such as `the settings`. */
export function Reading({ label }: { readonly label: string }) {
  return (
    <Stack component="section" gap="xs" aria-busy aria-label={`Reading ${label}`}>
      {['a', 'b', 'c'].map((key) => (
        <Skeleton key={key} height={36} />
      ))}
    </Stack>
  );
}

import { Alert, Button, Stack, Text } from '@mantine/core';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { problemOf } from '../parts/problem.tsx';

/** Shown in place of a page that could not be drawn. */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Alert color="red" title="This page could not be shown">
      <Stack align="flex-start">
        <Text size="sm">{problemOf(error)}</Text>
        <Button size="xs" variant="default" onClick={() => void router.invalidate()}>
          Try again
        </Button>
      </Stack>
    </Alert>
  );
}

import { ApiError } from '@callout/client';
import { Alert, Button, List, Stack, Text } from '@mantine/core';

/** What went wrong, in a sentence that says what to do. */
export function problemOf(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  if (error instanceof TypeError) return 'The API does not answer. Check that it is running and try again.';
  return error instanceof Error ? error.message : String(error);
}

/**
 * Whether nothing can be shown of what was read: it never was, or is refused now. While the API fails otherwise, what is
 * known stays.
 */
export function isUnreadable({ data, error }: { readonly data: unknown; readonly error: Error | null }): boolean {
  if (error === null) return false;
  return data === undefined || (error instanceof ApiError && error.status < 500 && error.status !== 429);
}

interface ProblemProps {
  readonly title: string;
  readonly error: unknown;
  /** Tries again what failed. */
  readonly retry?: (() => void) | undefined;
}

/** An error in place: all sentences of the API, its request id for the log, and a way to try again. */
export function Problem({ title, error, retry }: ProblemProps) {
  const details = error instanceof ApiError ? error.details : [];
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert color="red" title={title} role="alert">
      <Stack gap="xs" align="flex-start">
        {details.length > 1 ? (
          <List size="sm">
            {details.map(({ message }) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
        ) : (
          <Text size="sm">{problemOf(error)}</Text>
        )}
        {requestId !== null && (
          <Text size="xs" c="dimmed">
            Request {requestId}
          </Text>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

import { ApiError } from '@callout/client';
import { Alert, Button, List, Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Note } from './show/fact.tsx';

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
    <Alert color="red" title={title} role="alert" tabIndex={-1} data-is-problem>
      <Stack gap="xs" align="flex-start">
        {details.length > 1 ? (
          <List size="sm">
            {details.map(({ message }) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
        ) : (
          <Text>{problemOf(error)}</Text>
        )}
        {requestId !== null && <Note>Request {requestId}</Note>}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            Try again
          </Button>
        )}
      </Stack>
    </Alert>
  );
}

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

interface LoadedProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  /** What is read, such as `the settings`. */
  readonly label: string;
  readonly children: (data: Data) => ReactNode;
}

/** What is made of a query: while it is read, when it cannot be read, and then of its data. */
export function Loaded<Data>({ query: { data, error, refetch }, label, children }: LoadedProps<Data>) {
  if (isUnreadable({ data, error })) {
    const title = `${label.charAt(0).toUpperCase()}${label.slice(1)} could not be read`;
    return <Problem title={title} error={error} retry={() => void refetch()} />;
  }
  return data === undefined ? <Reading label={label} /> : children(data);
}

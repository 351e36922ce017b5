import { ApiError } from '@callout/client';
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from './session.ts';

/** Refusals are final; anything else, such as a restart of the API, is tried again for some seconds. */
const mayRepeat = (failures: number, error: Error): boolean =>
  failures < 3 && !(error instanceof ApiError && error.status < 500 && error.status !== 429);

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: { queries: { retry: mayRepeat, staleTime: 5_000 } },
  queryCache: new QueryCache({
    onError(error) {
      // The session has ended: the shell asks to sign in again.
      if (error instanceof ApiError && error.status === 401) queryClient.setQueryData(sessionQuery.queryKey, null);
    },
  }),
});

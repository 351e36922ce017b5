import { ApiError } from '@callout/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { mayBeOutage, noteAnswer, suspectOutage, watchOutages } from './outage.ts';
import { endSession, signIn } from './session.ts';

/** Refusals are final; anything else is tried again for some seconds, and for as long as the API is away. */
function mayRepeat(failures: number, error: Error): boolean {
  if (mayBeOutage(error)) suspectOutage();
  return failures < 3 && !(error instanceof ApiError && error.status < 500 && error.status !== 429);
}

watchOutages();

/** The session has ended: the shell asks to sign in again. */
function noticeEnd(error: Error): void {
  if (error instanceof ApiError && error.status === 401) endSession(queryClient);
}

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRepeat, staleTime: 5_000, refetchOnReconnect: 'always' },
    // What a person asks for fails at once: it must not be done when they have gone on.
    mutations: { networkMode: 'always' },
  },
  queryCache: new QueryCache({ onSuccess: noteAnswer, onError: noticeEnd }),
  mutationCache: new MutationCache({
    onError(error, _variables, _context, { options }) {
      if (mayBeOutage(error)) suspectOutage();
      // A sign-in that is refused ends no session.
      if (options.mutationFn !== signIn) noticeEnd(error);
    },
  }),
});

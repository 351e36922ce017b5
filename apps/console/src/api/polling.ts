import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';

/** A poll without news costs a 304. */
const everyMs = 2_000;

/**
 * Reads queries again every two seconds while the page is in sight, and at once when the page comes into sight.
 * @param queryKeys the beginnings of the keys of the queries.
 */
export function usePolling(queryKeys: readonly QueryKey[]): void {
  const queryClient = useQueryClient();
  const poll = useEffectEvent(() => {
    if (document.hidden) return;
    // A query under way is not read twice.
    for (const queryKey of queryKeys) void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false });
  });
  useEffect(() => {
    const timer = setInterval(() => poll(), everyMs);
    const onVisible = () => poll();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, []);
}
